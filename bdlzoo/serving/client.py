"""Base class of clients of a served model."""

import numpy as np


class Client:
    """Sends requests to a served model, on this machine or another.

    A client can be used by many threads. Errors of the server are raised as
    `ServingError`.

    Args:
        address: String, `"host:port"`.
        model: String, name of the model.
        version: Integer, version of the model; `None` for the newest one.
        timeout: Float, seconds to wait for an answer.
    """

    def __init__(self, address, model, version=None, timeout=60.0):
        self.address = address
        self.model = model
        self.version = version
        self.timeout = timeout
        self._signatures = None

    # What a client overrides.

    def ask(self, signature, tensors):
        """Sends one request to a signature.

        Args:
            signature: String, name of the signature.
            tensors: Dictionary of input arrays by name.

        Returns:
            Dictionary of output arrays by name.
        """
        raise NotImplementedError

    def metadata(self):
        """Signatures of the model by name.

        Returns:
            Dictionary from a name to `{"inputs": ..., "outputs": ...}`. Both are
            dictionaries from the name of a tensor to `(dtype, shape)`; a `None` in a
            shape is a dimension of any size.
        """
        raise NotImplementedError

    def status(self):
        """States of the versions of the model.

        Returns:
            List of dictionaries with `version`, `state`, `error_code` and
            `error_message`, one for each version.
        """
        raise NotImplementedError

    def close(self):
        """Closes the connection."""

    # What a user calls.

    def predict(self, inputs, num_samples=None, seed=None):
        """Returns the prediction for rows, with its uncertainty.

        Args:
            inputs: Array `[B, ...]`, or a dictionary of arrays by name. Strings and
                bytes are given as arrays of objects or as lists.
            num_samples: Integer, number of draws. If it and the seed are `None`, the
                number and the seed of the export are used.
            seed: Integer or pair of integers; the same seed gives the same answer.

        Returns:
            Dictionary of arrays by name.
        """
        if num_samples is None and seed is None:
            return self.ask("serving_default", self._named(inputs))
        return self.ask("predict", self._request(inputs, num_samples, seed))

    def samples(self, inputs, num_samples, seed=0):
        """Returns raw draws of the outputs, `[S, B, ...]`.

        Args:
            inputs: Array `[B, ...]`, or a dictionary of arrays by name. Strings and
                bytes are given as arrays of objects or as lists.
            num_samples: Integer, number of draws.
            seed: Integer or pair of integers; the same seed gives the same answer.
        """
        return self.ask("samples", self._request(inputs, num_samples, seed))[
            "samples"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def signature(self, name):
        """A signature of `metadata`, which is requested only once."""
        if self._signatures is None:
            self._signatures = self.metadata()
        return self._signatures[name]

    def _request(self, inputs, num_samples, seed):
        if num_samples is None:
            raise ValueError("Expected `num_samples` if a seed is given. Received: "
                             "num_samples=None")
        pair = np.append(np.ravel(0 if seed is None else seed), 0)[:2]
        if not np.array_equal(pair, pair.astype("int32")):  # It would wrap.
            raise ValueError("Expected a seed of 32 bits, or a pair of them, as "
                             f"requests hold. Received: seed={seed}")
        words = {"num_samples": np.array([num_samples], "int32"),
                 "seed": pair.astype("int32")[None]}
        named = self._named(inputs)
        # Where an input has such a name, the signature has another one for the word.
        return {**named, **{f"request_{word}" if word in named else word: value
                            for word, value in words.items()}}

    def _named(self, inputs):
        """Arrays by name, converted to the types of the signature."""
        infos = self.signature("serving_default")["inputs"]
        if not isinstance(inputs, dict):
            if len(infos) != 1:
                raise ValueError("Expected a dictionary of the inputs "
                                 f"{sorted(infos)}. Received: {type(inputs).__name__}")
            inputs = dict.fromkeys(infos, inputs)
        return {name: np.asarray(value, infos[name][0] if name in infos else None)
                for name, value in inputs.items()}
