"""Mixin of the methods that a run calls on its model."""


class RunHooks:
    """Methods that a run calls besides those of training.

    A run knows no kind of model by name. It calls these methods on every model, and a
    model overrides the ones that it needs.
    """

    instead = {}  # From a missing method to the one to use in its place.
    run_config = None  # Config of the run that trains the model, as JSON.
    labelled_side_sets = ()  # Those whose labels, if known, are for scores alone.
    config_sections = ()  # Keys that a config of this model needs besides `method`.

    @classmethod
    def network_arguments(cls, config, row_shape):
        """Arguments of the networks of a config, by the names of the networks.

        Args:
            config: Dictionary, the whole config.
            row_shape: Shape of one input.
        """
        del config, row_shape
        return {}

    def after_fit(self, train, validation=None, **options):
        """Finishes a model after `fit` in a run; by default it does nothing.

        Args:
            train: `Split` that the model was trained on.
            validation: Held-out `Split`, or `None`.
            **options: The section `after_fit` of the config.
        """
        del train, validation
        if options:
            raise ValueError("Expected no `after_fit` in the config: a "
                             f"{type(self).__name__} has no step after `fit`. "
                             f"Received: after_fit={options}")

    def facts(self):
        """Further numbers for the scores of a run, by name."""
        return {}

    def findings(self):
        """Results besides the scores: dictionaries of numbers or texts by headline."""
        return {}

    def pictures(self, x):
        """Figures of the report of a run.

        Args:
            x: Arrays of held-out inputs.

        A model with `labelled_side_sets` also takes the `Split` of test rows of each
        by name, where the run has it, and `history`, lists of logs of epochs by name.

        Returns:
            Dictionary from the name of a file to a pair: the name of a function of
            `bdlzoo.reports`, and a dictionary of its arguments.
        """
        del x
        return {}

    def predict_uncertainty(self, *args, **kwargs):
        """Raises an error, because this model predicts no labels."""
        raise self.refusal("predict_uncertainty")

    def sample_outputs(self, *args, **kwargs):
        """Raises an error, because this model predicts no labels."""
        raise self.refusal("sample_outputs")

    def calibrate(self, *args, **kwargs):
        """Raises an error, because this model predicts no labels."""
        raise self.refusal("calibrate")

    def refusal(self, word):
        """Error for a method that this kind of model does not have."""
        instead = self.instead.get(word)
        hint = f" Use {instead}." if instead else ""
        return ValueError(f"Expected a model that has `{word}`: a "
                          f"{type(self).__name__} has not.{hint}")
