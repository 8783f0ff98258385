"""Feature attack: makes an image look, inside the network, like others.

    for each image, K copies, a target of another class for each of them:
    x_{t+1} = project(x_t - step_size * sign(grad (1 - cos(phi(x_t), phi(target)))))

until any copy is misclassified; an image has withstood it if none ever is. phi is
what the last layer with weights reads, averaged over positions where it has some.
Losses of the outputs are not used: it finds what is hidden behind flat ones.

Reference: Lin, Feature Attack, 2019, the code that Dong et al., Adversarial
Distributional Training for Robust Deep Learning, NeurIPS 2020, evaluate with.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.attacks.attack_loss import margin
from bdlzoo.attacks.step_attack import StepAttack
from bdlzoo.core import noise, registry
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.surgery.encoder import Encoder


@registry.register
class FeatureAttack(StepAttack):
    """Attacks an image with many copies at once, each after features of its own.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, length of a step.
        num_steps: Integer, steps of a copy at most.
        images: Array `[N, ...]` of images to choose targets from, in the box.
        labels: Integer classes `[N]` of them.
        num_targets: Integer, copies of an image.
        random_start: See `StepAttack`.
        **kwargs: `low`, `high`, `num_samples` and `from_logits`; see `Attack`.

    Call arguments:
        model: Functional or Sequential Keras classifier, or zoo model with noise
            inside one, whose features are averaged over draws.

    Returns:
        Tensor like `x`: of the copies of an image, the one of least margin.

    Example:

    ```python
    attack = FeatureAttack(8 / 255, 1 / 255, images=x_test, labels=y_test)
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps=50, images=None, labels=None,
                 num_targets=200, random_start=True, **kwargs):
        super().__init__(epsilon, step_size, num_steps, random_start=random_start,
                         **kwargs)
        if images is None or labels is None:
            raise ValueError("Expected images to choose targets from, and their "
                             "classes. Received: images or labels=None")
        self.images = tf.constant(images, tf.float32)
        self.labels = tf.reshape(tf.cast(labels, tf.int32), [-1])
        self.num_targets = num_targets
        self.check_settings()

    def settings(self):
        return {**super().settings(), "images": self.images, "labels": self.labels}

    def check_settings(self):
        super().check_settings()
        if self.targeted:
            raise ValueError("Expected no classes to end in: targets are images. "
                             "Received: targeted=True")
        _, counts = np.unique(self.labels, return_counts=True)
        others = len(self.labels) - max(counts, default=0)
        if not 1 <= self.num_targets <= others:
            raise ValueError(
                "Expected at least one target, and as many images of other classes, "
                f"whatever the class: {others} here. Received: "
                f"num_targets={self.num_targets}")
        if len(self.labels) != len(self.images):
            raise ValueError(
                "Expected one class for each image. Received: "
                f"images.shape={self.images.shape}, labels.shape={self.labels.shape}")

    def check_model(self, model, x):
        if hasattr(model, "draw") and (
                getattr(type(model), "draw", None) is not PredictiveModel.draw):
            raise ValueError(
                "Expected one network with features: attack one of the networks of "
                f"this model. Received: model={type(model).__name__}")
        return super().check_model(model, x)

    def perturb(self, model, x, y, seed, images, labels, **settings):
        encoder = Encoder(model.network if hasattr(model, "draw") else model)

        def one(place):
            key = noise.key(seed, noise.ATTACK, place)
            rank = noise.uniform(tf.shape(labels), noise.fold_in(key, -2))
            # Own ones last; there are enough others.
            rank += tf.cast(labels == y[place], tf.float32)
            chosen = tf.math.top_k(-rank, self.num_targets).indices
            return self._climb_to(model, encoder, x[place], y[place],
                                  tf.gather(images, chosen), key, **settings)

        return tf.map_fn(one, tf.range(tf.shape(x)[0]), parallel_iterations=1,
                         fn_output_signature=tf.TensorSpec(x.shape[1:], tf.float32))

    def _climb_to(self, model, encoder, image, label, targets, key, epsilon, low, high,
                  step_size, num_steps):
        origin = tf.repeat(image[None], self.num_targets, axis=0)  # [K, ...]
        labels = tf.fill([self.num_targets], label)
        start_key, goal_key = noise.fold_in(key, -1), noise.fold_in(key, -3)
        found = self.start(origin, start_key, epsilon, low, high)
        goal, _ = self._both(model, encoder, targets, goal_key)  # [K, F]
        for step in tf.range(num_steps):
            with tf.GradientTape() as tape:
                tape.watch(found)
                features, scores = self._both(model, encoder, found,
                                              noise.fold_in(key, step))
                near = tf.reduce_sum(features * goal)
            ascent = tf.sign(tape.gradient(near, found))
            if tf.reduce_any(margin(scores, labels) < 0):
                break
            found = self.project(found + step_size * ascent, origin, epsilon, low, high)
        # A posterior is judged by draws that no step has seen.
        _, scores = self._both(model, encoder, found, noise.fold_in(key, num_steps))
        return found[tf.argmin(margin(scores, labels))]

    def _both(self, model, encoder, x, key):
        """Features of length one `[K, F]`, and scores `[K, C]`."""
        if not hasattr(model, "draw"):
            features, outputs = encoder.both(x)
            return _unit(features), self.as_scores(outputs)
        features, outputs = [], []
        for draw_key in tf.unstack(noise.split(key, self.num_samples)):
            with noise.draws(draw_key, coherent=True):
                inside, out = encoder.both(x)
            features.append(tf.cast(inside, tf.float32))
            outputs.append(tf.cast(out, tf.float32))
        prediction = model.likelihood.prediction(tf.stack(outputs))
        return _unit(sum(features) / self.num_samples), prediction.log_mixture


def _unit(features):
    features = tf.cast(features, tf.float32)
    positions = list(range(1, len(features.shape) - 1))
    return tf.math.l2_normalize(tf.reduce_mean(features, positions), axis=-1)
