"""Questions of a run to its model, and the error of a model without an answer."""


class RunHooks:
    """Mixin of models: what they do, know and show beside training.

    A run knows no method by name; it calls these, and a model overrides those that it
    has something to say to.
    """

    instead = {}  # What to use for a word that this kind of model does not have.
    config_sections = ()  # Keys that a config of this model needs beside `method`.

    @classmethod
    def network_arguments(cls, config, row_shape):
        """Arguments of the networks that a config describes, by their names in it.

        Args:
            config: Dictionary, the whole config.
            row_shape: Shape of one input.
        """
        del config, row_shape
        return {}

    def after_fit(self, train, validation=None, **options):
        """Finishes a model after `fit`, in a run; nothing, unless overridden.

        Args:
            train: `Split` that the model was trained on.
            validation: Held-out `Split`, or `None`.
            **options: What the config has under `after_fit`.
        """
        del train, validation
        if options:
            raise ValueError("Expected no `after_fit` in the config: a "
                             f"{type(self).__name__} has nothing to finish. "
                             f"Received: after_fit={options}")

    def facts(self):
        """Numbers that belong to the scores of a run, by name."""
        return {}

    def findings(self):
        """What was learnt beside the weights: headline to name to number or text."""
        return {}

    def pictures(self, x):
        """Figures of a report: file name to a function of `bdlzoo.reports`, by its
        name, and a dictionary of its arguments.

        Args:
            x: Held-out inputs, as arrays.
        """
        del x
        return {}

    def predict_uncertainty(self, *args, **kwargs):
        """Refuses: a model that predicts no labels has none to be unsure of."""
        raise self.refusal("predict_uncertainty")

    def sample_outputs(self, *args, **kwargs):
        """Refuses, as `predict_uncertainty` does."""
        raise self.refusal("sample_outputs")

    def calibrate(self, *args, **kwargs):
        """Refuses, as `predict_uncertainty` does."""
        raise self.refusal("calibrate")

    def refusal(self, word):
        """The error of a model that is asked for what it cannot do."""
        instead = self.instead.get(word)
        hint = f" Use {instead}." if instead else ""
        return ValueError(f"Expected a model that has `{word}`: a "
                          f"{type(self).__name__} has not.{hint}")
