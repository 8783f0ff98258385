"""The gradients of a step with an adversarial distribution, without the rest.

As many gradients with respect to the inputs, of as many rows, and one training step.
"""

import tensorflow as tf

from bdlzoo.core.ball import slope
from bdlzoo.families.adversarial_model import AdversarialModel, Attacked
from tools.benchmark.workers import adversarial_distribution as ours
from tools.benchmark.workers import keras_steps, protocol, training


class Passes(AdversarialModel):
    """Computes gradients with respect to the inputs, and hardly uses them."""

    def attacked(self, ball, y, key):
        del key
        labels = tf.tile(y, [ours.DRAWS])
        tall = tf.tile(ball.center, [ours.DRAWS, 1, 1, 1])

        def one(count, x):
            rise = slope(lambda x: tf.reduce_sum(self.losses_of(x, labels)), x)
            return count + 1, x + 1e-9 * rise

        _, found = tf.while_loop(lambda count, _: count < ours.STEPS, one,
                                 (0, tall), parallel_iterations=1)
        return Attacked(tf.stop_gradient(found[:tf.shape(y)[0]]))


def prepare(workload, mode, steps):
    model = Passes(ours.network(workload), num_data=training.NUM_DATA,
                   seed=0, **ours.BALL)
    model.compile(metrics=[], **keras_steps.compile_arguments(mode, steps))
    return keras_steps.steps_of(model, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
