"""Deep ensembles: networks trained from different starts, averaged.

    p(y | x) = mean over m of p(y | x, w_m)
    loss     = mean over m of nll(w_m) + ||w_m - a_m||**2 / (2 s**2 num_data)

Without `prior_scale` s there is no penalty; with it the anchors a_m are 0, or
drawn from the prior, one for each member: randomised MAP sampling. In a linear
model with `target_noise` as large as the noise in the data its members are exact
posterior samples; with clean targets they are too close to each other.

The strongest simple baseline there is: a Bayesian method must beat it. Members
are averaged as probabilities, never as logits.

Reference: Lakshminarayanan et al., Simple and Scalable Predictive Uncertainty
Estimation using Deep Ensembles, NeurIPS 2017; Pearce et al., Uncertainty in
Neural Networks: Approximately Bayesian Ensembling, AISTATS 2020.
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise, stacking
from bdlzoo.families import weight_prior
from bdlzoo.families.member_model import MemberModel
from bdlzoo.surgery.stacked_network import StackedNetwork, twin


@keras.saving.register_keras_serializable(package="bdlzoo")
class DeepEnsemble(MemberModel):
    """Trains members side by side, in one computation.

    Args:
        *args: See `MemberModel`.
        prior_scale: Float, standard deviation of the zero-mean prior on the
            weights; `None` has no prior.
        anchored: Bool, whether each member is drawn to a sample of that prior
            in place of zero.
        target_noise: Float, standard deviation of noise on real targets, the
            same for a row whenever a member sees it.
        adversarial_epsilon: Float, length of a signed gradient step on the
            inputs; the loss there is added, which smooths the prediction. One
            per cent of the range of the inputs is usual.
        **kwargs: See `MemberModel`.

    Example:

        model = bdlzoo.methods.DeepEnsemble(network, num_members=5)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, *args, prior_scale=None, anchored=False, target_noise=0.0,
                 adversarial_epsilon=0.0, **kwargs):
        super().__init__(*args, **kwargs)
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
        """An ensemble of networks that are trained already.

        Args:
            models: List of Keras models of one architecture.
            likelihood: See `PredictiveModel`.
            **kwargs: See `DeepEnsemble`.
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
        ensemble = cls(StackedNetwork(twin(models[0]), len(models)), likelihood,
                       num_members=len(models), **kwargs)
        ensemble.build(models[0].input_shape)
        for index, model in enumerate(models):
            ensemble.network.set_copy(index, model)
        _check_same(ensemble, models)
        return ensemble

    def build(self, input_shape):
        super().build(input_shape)
        if self.anchored:
            # Known from the seed: not to be saved, nor to be served.
            key = noise.key(self.seed, noise.ANCHOR, 1)
            self._anchors = stacking.Untracked([
                self.prior_scale * noise.normal(w.shape, noise.fold_in(key, i))
                for i, w in enumerate(self.network.trainable_variables)])

    def objective(self, x, y, sample_weight, key):
        x, y, sample_weight = self.by_member((x, y, sample_weight))
        if self.target_noise:
            y = self._perturbed(x, y)
        if self.adversarial_epsilon:  # Each member has an attack of its own.
            x = tf.nest.map_structure(
                lambda part: stacking.spread(part, self.num_members), x)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            if self.adversarial_epsilon:
                tape.watch(x)
            nlls, outputs = self.member_nll(x, y, key)  # [M, B]
        nll = self.mean_over_rows(nlls, sample_weight)
        loss = nll
        if self.adversarial_epsilon:
            attacked = tf.nest.map_structure(
                lambda part, slope: tf.stop_gradient(
                    part + self.adversarial_epsilon * tf.sign(slope)),
                x, tape.gradient(nlls, x))
            loss += self.mean_over_rows(
                self.member_nll(attacked, y, key)[0], sample_weight)
        return self.with_prior(nll, loss), (outputs, y, sample_weight)

    def kl(self):
        """Minus log prior of a member, the mean of all, up to a constant."""
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
        size = y.shape[2] if y.shape.rank > 2 else 1  # Targets of a row.
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
    """Raises where a member does not compute what its model does."""
    row = keras.tree.map_shape_structure(
        lambda shape: noise.normal([2, *shape[1:]], noise.key(0, noise.INITIAL)),
        models[0].input_shape)
    draws = ensemble.draw(row, len(models), None)
    for index, model in enumerate(models):
        gap = tf.reduce_max(tf.abs(draws[index] - model(row, training=False)))
        if gap > 1e-3 * (1.0 + tf.reduce_max(tf.abs(draws[index]))):
            raise ValueError(
                "Expected models of one architecture. Received: number "
                f"{index}, which does something else with its weights than number 0")
