"""Two heads that disagree on the target, and features on which they cannot.

    discrepancy = mean over rows and classes of |softmax(head 1) - softmax(head 2)|
    step A      features and heads lower  nll(head 1) + nll(head 2)  on the source
    step B      heads lower               nll(head 1) + nll(head 2) - discrepancy
    step C      features lower            discrepancy,               several times

Step A is that of the loss of the model, to which this adds the second head.
"""

import tensorflow as tf

from bdlzoo.core import initial_weights, noise
from bdlzoo.core.checks import check_count
from bdlzoo.families.alignment import Alignment
from bdlzoo.surgery import cloning


class ClassifierDiscrepancy(Alignment):
    """Trains a second head, and both heads against the features.

    Args:
        head_layers: Integer, last layers with weights that are a head.
        num_feature_steps: Integer, steps C for each batch.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, head_layers=1, num_feature_steps=4, **kwargs):
        super().__init__(**kwargs)
        check_count("head_layers", head_layers)
        check_count("num_feature_steps", num_feature_steps)
        self.head_layers = head_layers
        self.num_feature_steps = num_feature_steps

    def attach(self, model, feature_size, key):
        head = {id(w) for layer in model.encoder.head for w in layer.weights}
        if all(id(w) in head for w in model.network.trainable_variables):
            raise ValueError(
                "Expected a network with trainable layers before its head, whose "
                f"features learn too. Received: head_layers={self.head_layers} for "
                f"network {model.network.name}")
        self.second = []
        for place, layer in enumerate(model.encoder.head):
            twin = cloning.clone(layer)
            twin.build_from_config(layer.get_build_config())
            twin.set_weights(initial_weights.fresh(layer, noise.fold_in(key, place)))
            self.second.append(twin)
        super().attach(model, feature_size, key)

    def both(self, encoder, hidden, training=False):
        """Outputs of both heads for what they read, `[B, C]` each."""
        return [tf.cast(encoder.finish(hidden, training, layers), tf.float32)
                for layers in (None, self.second)]

    def terms(self, model, pair):
        with noise.draws(pair.key):
            outputs = tf.cast(model.encoder.finish(
                pair.hidden, True, self.second), tf.float32)
        return {"second_nll": (1.0, model.label_loss(
            pair.y, pair.sample_weight, outputs))}

    def further_steps(self, model, batch, key):
        x, *_, target = batch
        encoder = model.encoder
        mine = {id(w) for layer in [*encoder.head, *self.second]
                for w in layer.trainable_variables}
        heads = [w for w in model.trainable_variables if id(w) in mine]
        rest = [w for w in model.network.trainable_variables if id(w) not in mine]
        for step in range(self.num_feature_steps):
            with tf.GradientTape() as tape, noise.draws(noise.fold_in(key, step)):
                hidden = encoder(target, training=True)
                if not step:
                    # Heads do not move the features: one pass serves steps B and C.
                    self._move_heads(model, heads, batch, tf.stop_gradient(hidden))
                gap = self._discrepancy(encoder, hidden)
            model.rival_step(tape, gap, rest, x)
        return {"discrepancy": gap}

    def _move_heads(self, model, heads, batch, hidden):
        """Step B."""
        x, y, sample_weight, _ = batch
        encoder = model.encoder
        known = tf.stop_gradient(encoder(x, training=True))
        with tf.GradientTape() as tape:
            loss = tf.add_n([model.label_loss(y, sample_weight, outputs)
                             for outputs in self.both(encoder, known, True)])
            loss -= self._discrepancy(encoder, hidden)
        model.rival_step(tape, loss, heads, x)

    def _discrepancy(self, encoder, hidden):
        first, second = map(tf.nn.softmax, self.both(encoder, hidden, True))
        return tf.reduce_mean(tf.abs(first - second))
