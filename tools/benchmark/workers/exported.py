"""Requests to the export of any method of the zoo, by its name."""

import numpy as np

from bdlzoo import runs
from tools.benchmark.workers import protocol, served, training, zoo_model


def prepare(method, workload, mode, steps):
    images = training.images(128)
    config = zoo_model.config(method, "lenet", own_network=True, thinning=1,
                              exploration=0.0)
    model = runs.load_model(config, training.SHAPES["lenet"], metrics=[])
    # One step for each kept sample: without samples a sampler cannot predict.
    side = {name: images for name in model.side_data if name == "unlabelled"}
    model.fit(images, np.arange(len(images)) % 10, batch_size=4, verbose=0, **side)
    return served.requests_of(model, workload, mode, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
