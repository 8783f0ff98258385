"""Base class of adversarial models whose adversary is an attack of the zoo."""

import tensorflow as tf

from bdlzoo.core import registry
from bdlzoo.families.adversarial_model import AdversarialModel, Attacked


class AttackedModel(AdversarialModel):
    """Moves inputs by an attack with the radius and the box of the model.

    A subclass may write `usual_attack`.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be the categorical likelihood of logits.
        attack: Name or spec of a `bdlzoo.attacks.Attack` without its radius and
            box, or a dictionary of options that change the default attack; `None`
            for the default. Steps grow with the radius in the warm-up.
        **kwargs: Arguments of `AdversarialModel`: `epsilon`, `warm_up`, `low`,
            `high`, `prior_scale`, `num_samples`, `num_train_samples`, `kl_weight`,
            `num_data`, `seed`.
    """

    def __init__(self, network, likelihood="categorical", *, attack=None, **kwargs):
        super().__init__(network, likelihood, **kwargs)
        self.attack = attack
        self._attack = None
        if self.epsilon:
            self._attack = registry.build(self._spec(), epsilon=self.epsilon,
                                          low=self.low, high=self.high)
            # A separate function, so that its loops become loops of a graph, also
            # in a step that Keras does not convert.
            self._perturb = tf.function(self._run, reduce_retracing=True)

    def usual_attack(self):
        """Spec of the default attack: PGD of 7 steps of a quarter of the radius."""
        return dict(type="PGD", num_steps=7, step_size=self.epsilon / 4)

    def _spec(self):
        spec = {} if self.attack is None else self.attack
        if isinstance(spec, str):
            spec = {"type": spec}
        if not isinstance(spec, dict) or {"epsilon", "low", "high"} & set(spec):
            raise ValueError(
                "Expected the name of an attack, or a dictionary of its options "
                "without radius and box, which are the model's. Received: "
                f"attack={self.attack!r}")
        return spec if "type" in spec else {**self.usual_attack(), **spec}

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

    def check_data(self, x, y):
        super().check_data(x, y)
        if self._attack:
            self._attack.check_model(self.network, tf.cast(x[:8], tf.float32))

    def quick_check(self, x, y):
        # What the attack asks for is the same for all batches.
        return super().quick_check(x, y)

    def get_config(self):
        return {**super().get_config(), "attack": self.attack}
