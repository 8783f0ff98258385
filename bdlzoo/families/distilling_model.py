"""Base class of samplers that train a student, which predicts in place of samples.

A step moves the chains (see `bdlzoo.families.chain_model`) and then trains the student.
The optimiser of the model moves the chains, the student has its own. Only the student
is served.
"""

import keras

from bdlzoo.core import noise
from bdlzoo.families.chain_model import ChainModel


class DistillingModel(ChainModel):
    """Runs chains, and trains a student while they run.

    A subclass writes `learn`, `draw` and `served_parts`.

    Args:
        network: Keras model; chains start from their own initial weights.
        likelihood: Name, spec or `Likelihood` of the targets.
        own_order: Bool, whether each chain sees arrays in its own order; the
            student sees the rows that the chains see.
        **kwargs: Arguments of `ChainModel`: `num_chains`, `burn_in`, `thinning`,
            `num_kept`, `temperature`, `prior_scale`, `sample_file`,
            `num_samples`, `num_train_samples`, `kl_weight`, `num_data`, `seed`.
    """

    stores_draws = False

    def __init__(self, network, likelihood="categorical", *, own_order=False,
                 **kwargs):
        super().__init__(network, likelihood, own_order=own_order, **kwargs)

    @property
    def trainable_variables(self):
        """Weights of the chains: the student has its own optimiser."""
        return [*self.network.trainable_variables,
                *self.member_likelihood.trainable_variables]

    def learn(self, x, key):
        """Trains the student for one step, in a graph; returns means of logs.

        Args:
            x: Inputs of the batch.
            key: Key of the step, the same on all replicas.
        """
        raise NotImplementedError

    def build(self, input_shape):
        super().build(input_shape)
        self.num_learnt = self.new_state("num_learnt", (), "int32")

    def check_ready(self):
        super().check_ready()
        if not int(self.num_learnt.numpy()):
            raise ValueError("Expected a student with at least one training step: "
                             f"call `fit` first. Received: burn_in={self.burn_in}, "
                             "and a student without a step")

    def train_step(self, data):
        results = super().train_step(data)
        x, _, _ = keras.utils.unpack_x_y_sample_weight(data)
        key = noise.key(self.seed, noise.DISTIL, self.optimizer.iterations)
        return {**results, **self.reduced(self.learn(x, key))}
