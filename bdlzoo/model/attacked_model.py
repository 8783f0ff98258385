"""An adversarial model whose adversary is an attack of the zoo."""

import tensorflow as tf

from bdlzoo.core import registry
from bdlzoo.model.adversarial_model import AdversarialModel, Attacked


class AttackedModel(AdversarialModel):
    """Moves inputs by an attack, whose radius and box are those of the model.

    Args:
        *args: See `AdversarialModel`.
        attack: Spec of a `bdlzoo.attacks.Attack` without its radius and box;
            `None` is PGD of 7 steps, each a quarter of the radius. Steps that it
            takes grow with the radius in the warm-up.
        **kwargs: See `AdversarialModel`.
    """

    def __init__(self, *args, attack=None, **kwargs):
        super().__init__(*args, **kwargs)
        if attack is not None and not isinstance(attack, (str, dict)):
            raise ValueError(
                "Expected the name of an attack, or a dictionary with `type` and its "
                f"options. Received: attack of type {type(attack).__name__}")
        taken = {"epsilon", "low", "high"} & set(
            attack if isinstance(attack, dict) else ())
        if taken:
            raise ValueError(
                "Expected an attack without radius and box, which are the model's: "
                "give them to the model. Received: attack with "
                f"{', '.join(sorted(taken))}")
        self.attack = attack
        self._attack = None
        if self.epsilon:
            spec = dict(type="PGD", num_steps=7, step_size=self.epsilon / 4) if (
                attack is None) else attack
            self._attack = registry.build(spec, epsilon=self.epsilon, low=self.low,
                                          high=self.high)
            # A function of its own: loops in it become those of a graph, also in a
            # step that Keras does not convert.
            self._perturb = tf.function(self._run, reduce_retracing=True)

    def attacked(self, ball, y, key):
        settings = self._attack.settings()
        share = ball.radius / self.epsilon
        for name in {"epsilon", "step_size"} & set(settings):
            settings[name] *= share
        settings = tf.nest.map_structure(tf.convert_to_tensor, settings)
        return Attacked(tf.stop_gradient(
            self._perturb(ball.center, y, key, settings)))

    def _run(self, x, y, key, settings):
        return self._attack.perturb(self.network, x, y, key, **settings)

    def get_config(self):
        return {**super().get_config(), "attack": self.attack}
