"""Mixin of the exports of a model: for servers, and for other runtimes."""

from bdlzoo.model import portable_file, saved_model

_SAVED_MODEL = "tf_saved_model"


class Exports:
    """Writes models for others to run, without this package."""

    def endpoints(self, **options):
        """What a served model answers: name to `(function, list of specs)`."""
        raise self.refusal("export")

    def served_parts(self):
        """Parts whose variables a served model needs."""
        return [self]

    def fixed_answer(self, num_samples=None, seed=None):
        """Function from inputs to the tensors of an answer, whose draws are fixed.

        Args:
            num_samples: Integer, number of draws; `None` takes that of the model.
            seed: Integer or pair of integers; `None` takes that of the model.
        """
        del num_samples, seed
        raise ValueError(
            "Expected a model that predicts labels, whose draws can be fixed: export "
            f"as `format=\"{_SAVED_MODEL}\"`. Received: a {type(self).__name__}")

    def export(self, path, preprocessing=None, finish=None, verbose=False,
               format=_SAVED_MODEL, **options):
        """Writes the next version of a SavedModel below `path`, or another format.

        Args:
            path: Folder of the served model; versions 1, 2, ... go below it. For the
                other formats the path of the file.
            preprocessing: Keras model that runs before this one, on what requests
                hold; `None` for none.
            finish: Function of a folder, called once the version is written and
                before it can be seen: what it adds is there from the start.
            verbose: Bool, whether Keras prints the signatures.
            format: `"tf_saved_model"`; or `"onnx"` or `"litert"`: one file, in which
                the draws are constants.
            **options: For a SavedModel, arguments of
                `bdlzoo.model.signatures.signatures`, such as `max_samples` and
                `jit_compile`. For the other formats `num_samples` and `seed` of the
                draws; `None` takes those of the model.

        Returns:
            Path of the version, or of the file.
        """
        if format != _SAVED_MODEL and format not in portable_file.FORMATS:
            raise ValueError(f"Expected one of {[_SAVED_MODEL, *portable_file.FORMATS]}"
                             f". Received: format={format!r}")
        self.check_ready()
        self.check_weights()
        if format in portable_file.FORMATS:
            if finish is not None:
                raise ValueError("Expected no `finish`, which is for folders. "
                                 f"Received: format={format!r}")
            return portable_file.write(self, path, format, preprocessing, **options)
        parts = self.served_parts()
        if preprocessing is not None:
            parts, options["preprocessing"] = [*parts, preprocessing], preprocessing
        return saved_model.write(parts, self.endpoints(**options), path, finish,
                                 self.row_group, verbose=verbose)
