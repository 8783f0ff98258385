"""Mean teacher on MNIST, 100 labels.

    bdlzoo train --config=mnist/mean_teacher.py --workdir=runs/mean_teacher
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/consistency.py", "mnist")
    config.method.update(type="MeanTeacher", decay=0.999, ramp_decay=0.99,
                         statistics="own", predictor="teacher")
    if variant == "smoke":
        config.data.limit, config.data.labels, config.epochs = 64, 32, 1
        config.method.num_samples = 4
    return config
