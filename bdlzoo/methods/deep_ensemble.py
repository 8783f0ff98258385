"""Deep ensembles: networks trained from different starts, averaged.

    p(y | x) = mean over m of p(y | x, w_m)
    loss     = mean over m of nll(w_m) + ||w_m - a_m||**2 / (2 s**2 num_data)

Without `prior_scale` s there is no penalty. With it the anchors a_m are 0, or drawn
from the prior, one for each member: randomised MAP sampling. In a linear model with
`target_noise` as large as the noise in the data, its members are exact posterior
samples; without noise on the targets, members are too close to each other.

A strong and simple baseline, which a Bayesian method should beat. The probabilities of
the members are averaged, never their logits.

Reference: Lakshminarayanan et al., Simple and Scalable Predictive Uncertainty
Estimation using Deep Ensembles, NeurIPS 2017; Pearce et al., Uncertainty in
Neural Networks: Approximately Bayesian Ensembling, AISTATS 2020.
"""

import math

import keras
import tensorflow as tf
from absl import logging

from bdlzoo.core import batches, noise, stacking
from bdlzoo.families import weight_prior
from bdlzoo.families.member_model import MemberModel
from bdlzoo.surgery import probe
from bdlzoo.surgery.stacked_network import StackedNetwork, twin


@keras.saving.register_keras_serializable(package="bdlzoo")
class DeepEnsemble(MemberModel):
    """Trains members side by side, in one computation.

    Args:
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers. Members are copies of it that start from their own
            initial weights, not from those of the model.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        num_members: Integer, networks in the ensemble, at least 2.
        own_order: Bool, whether each member sees arrays in its own order; batches of a
            dataset are the same for all members.
        num_samples: Integer, members that predict, counted from the first; `None` for
            all. If it is larger than `num_members`, members are used repeatedly, in
            turn.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        anchored: Bool, whether each member is pulled to its own sample of the prior
            instead of zero.
        target_noise: Float, standard deviation of noise that is added to real targets.
            For one row and one member it is always the same.
        adversarial_epsilon: Float, length of a signed gradient step on the inputs; the
            loss at the moved inputs is added, which makes predictions smoother. One per
            cent of the range of the inputs is usual; 0 for none.
        num_train_samples: Integer, draws in a training step. It has no effect here: a
            step makes one pass through each member.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.DeepEnsemble(network, num_members=5)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, network, likelihood="categorical", num_members=5, own_order=True,
                 num_samples=None, prior_scale=None, anchored=False, target_noise=0.0,
                 adversarial_epsilon=0.0, num_train_samples=1, kl_weight=1.0,
                 num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_members=num_members, own_order=own_order,
            num_samples=num_samples, num_train_samples=num_train_samples,
            kl_weight=kl_weight, num_data=num_data, seed=seed, **kwargs)
        for name, value in (("target_noise", target_noise),
                            ("adversarial_epsilon", adversarial_epsilon)):
            if value < 0:
                raise ValueError("Expected a number that is not negative. "
                                 f"Received: {name}={value}")
        if anchored and prior_scale is None:
            raise ValueError("Expected a prior to draw anchors from: give "
                             "`prior_scale`. Received: prior_scale=None")
        self.prior_scale = prior_scale
        self.anchored = anchored
        self.target_noise = target_noise
        self.adversarial_epsilon = adversarial_epsilon

    @classmethod
    def from_models(cls, models, likelihood="categorical", **kwargs):
        """Makes an ensemble of networks that are trained already.

        Args:
            models: List of at least two Keras models of one architecture.
            likelihood: Likelihood of the targets, as in the constructor.
            **kwargs: Other arguments of the constructor, such as `seed`.

        Returns:
            Built `DeepEnsemble` with copies of the weights.
        """
        models = list(models)
        shapes = [[tuple(w.shape) for w in model.weights] for model in models]
        other = [i for i, shape in enumerate(shapes) if shape != shapes[0]]
        if len(models) < 2 or other:
            raise ValueError(
                "Expected at least two models of one architecture. Received: "
                f"{len(models)} models" + "".join(
                    f", number {i} with other weights than number 0"
                    for i in other[:1]))
        try:
            plain = twin(models[0])
        except ValueError as error:  # It can be used, and neither copied nor saved.
            logging.warning("Model %s is used itself, since it has no copy: %s",
                            models[0].name, error)
            plain = models[0]
        ensemble = cls(StackedNetwork(plain, len(models)), likelihood,
                       num_members=len(models), **kwargs)
        ensemble.build(batches.row_shapes(probe.inputs(models[0])))
        for index, model in enumerate(models):
            ensemble.network.set_copy(index, model)
        _check_same(ensemble, models)
        return ensemble

    def build(self, input_shape):
        super().build(input_shape)
        if self.anchored:
            # They follow from the seed, so they are neither saved nor served.
            key = noise.key(self.seed, noise.ANCHOR, 1)
            self._anchors = stacking.Untracked([
                self.prior_scale * noise.normal(w.shape, noise.fold_in(key, i))
                for i, w in enumerate(self.network.trainable_variables)])

    def objective(self, x, y, sample_weight, key):
        x, y, sample_weight = self.by_member((x, y, sample_weight))
        mask = self.member_mask(x)
        if self.target_noise:
            y = self._perturbed(x, y)
        if self.adversarial_epsilon:  # Each member is attacked separately.
            x = tf.nest.map_structure(
                lambda part: stacking.spread(part, self.num_members), x)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            if self.adversarial_epsilon:
                tape.watch(x)
            nlls, outputs = self.member_nll(x, y, key)  # [M, B, ...]
        parts = y, outputs, sample_weight, mask
        nll = self.mean_over_rows(nlls, *parts)
        loss = nll
        if self.adversarial_epsilon:
            attacked = tf.nest.map_structure(
                lambda part, slope: tf.stop_gradient(
                    part + self.adversarial_epsilon * tf.sign(slope)),
                x, tape.gradient(nlls, x))
            loss += self.mean_over_rows(
                self.member_nll(attacked, y, key)[0], *parts)
        return self.with_prior(nll, loss), (outputs, y, sample_weight, mask)

    def kl(self):
        """Minus log prior, mean over members, up to a constant."""
        if self.prior_scale is None:
            return None
        weights = self.network.trainable_variables
        if self.anchored:
            weights = [w - anchor for w, anchor
                       in zip(weights, self._anchors.value, strict=True)]
        return weight_prior.energy(weights, self.prior_scale) / self.num_members

    def _perturbed(self, x, y):
        """Targets with noise that is a function of the row and the member."""
        x, y = tf.nest.map_structure(
            lambda part: stacking.spread(part, self.num_members), (x, y))
        size = math.prod(y.shape[2:])  # Targets of a row.
        keys = noise.split(noise.key(self.seed, noise.ANCHOR, 0),
                           self.num_members * size)
        uniforms = tf.map_fn(
            lambda each: noise.row_uniform(tf.nest.map_structure(
                lambda part: part[each[0] // size], x), each[1]),
            (tf.range(self.num_members * size), keys),
            fn_output_signature=tf.float32)
        normals = tf.math.ndtri(uniforms)  # [M * D, B]
        normals = tf.reshape(normals, [self.num_members, size, -1])
        normals = tf.reshape(tf.transpose(normals, [0, 2, 1]), tf.shape(y))
        return tf.cast(y, tf.float32) + self.target_noise * normals

    def get_config(self):
        return {**super().get_config(), "prior_scale": self.prior_scale,
                "anchored": self.anchored, "target_noise": self.target_noise,
                "adversarial_epsilon": self.adversarial_epsilon}


def _check_same(ensemble, models):
    """Raises if a member does not compute the same as its model."""
    row = probe.inputs(models[0])
    draws = ensemble.draw(row, len(models), None)
    for index, model in enumerate(models):
        outputs = tf.cast(model(row, training=False), tf.float32)
        gap = tf.reduce_max(tf.abs(draws[index] - outputs))
        if gap > 1e-3 * (1.0 + tf.reduce_max(tf.abs(draws[index]))):
            raise ValueError(
                "Expected models of one architecture. Received: number "
                f"{index}, which computes another function of its weights than "
                "number 0")
