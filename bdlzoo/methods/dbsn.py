"""DBSN: uncertainty over the structure of a network, in place of its weights.

    alpha = softmax((theta + beta g) / tau),    g ~ Gumbel(0, 1)      one draw a step
    loss  = nll(w, alpha) + kl_weight / num_data * (log q(alpha) - log p(alpha))
    p(y | x) = mean over s of p(y | x, w, alpha_s)

Every edge of a cell mixes operations with random weights. A draw is one structure for
all cells, all rows and all replicas. Its divergence, at that draw, counts once for any
number of cells. The weights w are points: they and the logits theta learn from the same
loss, with separate optimisers. tau falls from step to step and beta from epoch to
epoch, and predictions use their last values. With beta < 1 the posterior is a cold one.

    learn_structure  draw_structure
    True             True             DBSN
    True             False            theta is a point too: alpha = softmax(theta / tau)
    False            True             structures of the prior, nothing is learnt of them
    False            False            alpha = 1 / K

are the baselines of the paper. The paper has the last one also with dropout and with
drop-path: these are options of the network.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, and its released code.
"""

import contextlib

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.structure_model import StructureModel
from bdlzoo.layers.concrete_structure import current_law, drawn_by


@keras.saving.register_keras_serializable(package="bdlzoo")
class DBSN(StructureModel):
    """Learns the weights of a network and the distribution of its structure.

    Args:
        network: Keras model with one `ConcreteStructure` and the cells that it
            connects, such as `bdlzoo.networks.CellCNN` or `CellMLP`.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        num_samples: Integer, structures that are drawn and averaged at prediction.
        num_train_samples: Integer, structures that are drawn in a training step.
        kl_weight: Float, weight of the divergence of the structure, and of the prior on
            the weights.
        tau: Temperature of the mixing weights: a float above 0, or a schedule over
            steps, such as `bdlzoo.ExponentialFall` (also a dictionary with its name
            under `type`).
        beta: Scale of the Gumbel noise: a float in (0, 1], or a schedule over epochs,
            which are counted from 0.
        learn_structure: Bool, whether the logits theta are learnt; otherwise structures
            come from the prior.
        draw_structure: Bool, whether structures are drawn; otherwise there is one
            structure, `softmax(theta / tau)`.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights, not on the logits of the structure; `None` for no prior.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        network = bdlzoo.networks.CellMLP((64,), outputs=10)
        model = bdlzoo.methods.DBSN(network, tau=bdlzoo.ExponentialFall(3.0, 1e-3, 1.0))
        model.compile(keras.optimizers.SGD(0.1, momentum=0.9))
        model.fit(x, y, epochs=20)
        model.most_probable_structure()
    """

    log_names = ("loss", "nll", "kl", "tau", "beta")
    optimizer_names = ("optimizer", "structure_optimizer")

    def __init__(self, network, likelihood="categorical", num_samples=32,
                 num_train_samples=1, kl_weight=1.0, tau=1.0, beta=0.5,
                 learn_structure=True, draw_structure=True, prior_scale=None,
                 num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight, tau=tau,
            beta=beta, learn_structure=learn_structure, draw_structure=draw_structure,
            prior_scale=prior_scale, num_data=num_data, seed=seed, **kwargs)
        # A weight, as `num_data` is: `fit` sets it, and compiled steps see it.
        self.epoch_steps = self.add_weight(
            name="epoch_steps", initializer="ones", dtype="int32", trainable=False,
            autocast=False)

    def compile(self, optimizer=None, structure_optimizer=None, **kwargs):
        """Compiles as in Keras, with optimisers for weights and structure.

        Args:
            optimizer: Optimiser of the weights; `None` is the published one, SGD
                with learning rate 0.1, momentum 0.9 and gradients of norm 5 at most.
            structure_optimizer: Optimiser of the logits theta; `None` is the
                published one, Adam with learning rate 3e-4 and `beta_1` 0.5.
            **kwargs: Other arguments of `keras.Model.compile`, such as `metrics`,
                `jit_compile` and `steps_per_execution`.
        """
        super().compile(optimizer=optimizer or keras.optimizers.SGD(
            0.1, momentum=0.9, global_clipnorm=5.0), **kwargs)
        self.structure_optimizer = keras.optimizers.get(
            structure_optimizer or keras.optimizers.Adam(3e-4, beta_1=0.5))
        if self.built:
            self.build_optimizers()

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto",
            callbacks=None, **kwargs):
        """Trains as in Keras; epochs must have a known length if `beta` falls.

        Args:
            x: Inputs, as arrays, or a dataset of pairs `(x, y)`.
            y: Targets; `None` for a dataset.
            batch_size: Integer, rows in a step; `None` is 32 for arrays.
            epochs: Integer, passes over the data.
            verbose: Progress bar: `"auto"`, 0, 1 or 2.
            callbacks: List of Keras callbacks.
            **kwargs: Other arguments of `keras.Model.fit`, and `num_data` and
                `checkpoint_dir`.
        """
        callbacks = [*(callbacks or ()), _EpochLength()]
        return super().fit(x, y, batch_size, epochs, verbose, callbacks, **kwargs)

    def objective(self, x, y, sample_weight, key):
        step = self.optimizer.iterations
        law = self.law(step, step // tf.cast(self.epoch_steps, step.dtype))
        # Replicas share the structure, but no other draws.
        shared, _ = self.step_keys()
        with drawn_by(law._replace(key=shared)):
            logs, prediction = super().objective(x, y, sample_weight, key)
        return {**logs, "tau": law.tau, "beta": law.beta}, prediction

    def train_draws(self, inputs, key):
        # In turn: BatchNorm must not mix the statistics of several structures.
        hidden, draws = self._parts.begin(inputs, training=True), []
        for place in range(self.num_train_samples):
            with noise.draws(noise.fold_in(key, place)), _turn(place):
                outputs = self._parts.finish(hidden, training=True)
                draws.append(tf.cast(outputs, tf.float32))
        return tf.stack(draws)  # [S, B, ...]

    def kl(self):
        """Mean of the divergence over the structures of the step."""
        terms = []
        for place in range(self.num_train_samples):
            with _turn(place):
                terms.append(super().kl())
        return tf.add_n(terms) / len(terms)

    def variable_groups(self):
        """Trainable weights, and the logits of the structure."""
        theta = self.structure.theta
        return ([w for w in self.trainable_variables if w is not theta],
                [w for w in self.trainable_variables if w is theta])


class _EpochLength(keras.callbacks.Callback):
    """Tells the model how many steps an epoch has, before the first one."""

    def on_train_begin(self, logs=None):
        steps = self.params["steps"]
        if steps is not None:
            self.model.epoch_steps.assign(steps)
        elif callable(self.model.beta):
            raise ValueError(
                "Expected epochs of known length, since beta falls from epoch to "
                "epoch: use `fit(..., steps_per_epoch=)`. Received: data of unknown "
                "length")


@contextlib.contextmanager
def _turn(place):
    """Scope of one of the structures of a step."""
    law = current_law()
    key = None if law.key is None else noise.fold_in(law.key, place)
    with drawn_by(law._replace(key=key)):
        yield
