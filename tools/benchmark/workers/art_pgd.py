"""PGD of adversarial-robustness-toolbox, on the Keras model itself."""

import keras
from art.attacks.evasion import ProjectedGradientDescent
from art.estimators.classification import TensorFlowV2Classifier

from tools.benchmark.workers import attacked, protocol


def prepare(workload, mode, steps):
    del mode  # The toolbox calls the model eagerly.
    network, (x, y) = attacked.network(workload), attacked.rows(steps)
    estimator = TensorFlowV2Classifier(
        network, nb_classes=10, input_shape=(28, 28, 1), clip_values=(0.0, 1.0),
        loss_object=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    attack = ProjectedGradientDescent(
        estimator, eps=attacked.EPSILON, eps_step=attacked.STEP_SIZE,
        max_iter=attacked.NUM_STEPS, num_random_init=0,
        batch_size=attacked.BATCH_SIZE, verbose=False)
    found = {}

    def run():
        found["x"] = attack.generate(x, keras.utils.to_categorical(y, 10))

    run.facts = lambda: {
        "robust accuracy": attacked.accuracy(network, found["x"], y)}
    return run


if __name__ == "__main__":
    protocol.serve(prepare, "adversarial-robustness-toolbox", "keras", "tensorflow")
