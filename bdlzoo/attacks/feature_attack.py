"""Feature attack: moves the features of an image towards those of other images.

    for each image, K copies, a target of another class for each of them:
    x_{t+1} = project(x_t - step_size * sign(grad (1 - cos(phi(x_t), phi(target)))))

until a copy is misclassified. The features phi are the inputs of the last layer with
weights, averaged over positions if there are any. The outputs have no part in the
loss, so the attack also works where their gradient is zero.

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
    """Attacks an image with many copies, each with another target image.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, length of a step.
        num_steps: Integer, largest number of steps of a copy.
        images: Array `[N, ...]` of images from which targets are chosen, in the box.
        labels: Integer classes `[N]` of these images.
        num_targets: Integer, number of copies of an image.
        random_start: Bool, whether copies start at random points of the ball, and not
            at the image.
        start_scale: Float, standard deviation of normal starts around the image;
            `None` for uniform starts in the ball.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        targeted: Bool, which must be `False`, since targets are images.
        num_samples: Integer, draws of a zoo model in every gradient.
        from_logits: Bool, whether a plain Keras model returns logits; `False` means
            probabilities. For a zoo model it has no effect.
        jit_compile: Bool, whether XLA compiles the attack, once for each batch size.

    Call arguments:
        model: Functional or Sequential Keras classifier, or zoo model with such a
            network, whose features are averaged over draws.
        x: Inputs `[B, ...]` inside `[low, high]`.
        y: Integer classes `[B]`.
        seed: Integer or pair of integers.

    Returns:
        Tensor like `x`: for each image the copy of least margin.

    Example:

    ```python
    attack = FeatureAttack(8 / 255, 1 / 255, images=x_test, labels=y_test)
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps=50, images=None, labels=None,
                 num_targets=200, random_start=True, start_scale=None, low=0.0,
                 high=1.0, targeted=False, num_samples=1, from_logits=True,
                 jit_compile=False):
        super().__init__(epsilon, step_size, num_steps, random_start,
                         start_scale=start_scale, low=low, high=high, targeted=targeted,
                         num_samples=num_samples, from_logits=from_logits,
                         jit_compile=jit_compile)
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
            raise ValueError("Expected `targeted=False`, because targets are images. "
                             "Received: targeted=True")
        _, counts = np.unique(self.labels, return_counts=True)
        others = len(self.labels) - max(counts, default=0)
        if not 1 <= self.num_targets <= others:
            raise ValueError(
                "Expected at least one target, and at most as many as there are images "
                f"of other classes, here {others}. Received: "
                f"num_targets={self.num_targets}")
        if len(self.labels) != len(self.images):
            raise ValueError(
                "Expected one class for each image. Received: "
                f"images.shape={self.images.shape}, labels.shape={self.labels.shape}")

    def check_model(self, model, x):
        if hasattr(model, "draw") and (
                getattr(type(model), "draw", None) is not PredictiveModel.draw):
            raise ValueError(
                "Expected a model with one network: attack one of the networks of this "
                f"model. Received: model={type(model).__name__}")
        return super().check_model(model, x)

    def perturb(self, model, x, y, seed, images, labels, **settings):
        encoder = Encoder(model.network if hasattr(model, "draw") else model)

        def one(place):
            key = noise.key(seed, noise.ATTACK, place)
            rank = noise.uniform(tf.shape(labels), noise.fold_in(key, -2))
            # Images of the same class come last, and are never chosen.
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
        # A posterior is judged by draws that no step has used.
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
