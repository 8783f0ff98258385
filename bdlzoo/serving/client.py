"""What all clients of a served model can do."""

import numpy as np


class Client:
    """Asks a served model; the address decides which server, local or not.

    A client is safe in many threads. Errors of the server are `ServingError`.

    Args:
        address: String, `"host:port"`.
        model: String, name of the model.
        version: Integer; `None` for the newest one.
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
        """Asks one signature.

        Args:
            signature: String, name of the signature.
            tensors: Dictionary of arrays by name.

        Returns:
            Dictionary of arrays by name.
        """
        raise NotImplementedError

    def metadata(self):
        """Signatures: name to `{"inputs": ..., "outputs": ...}`, each a dictionary
        of name to `(dtype, shape)`; `None` is a dimension of any size."""
        raise NotImplementedError

    def status(self):
        """List of dictionaries, one for each version: `version`, `state`,
        `error_code` and `error_message`."""
        raise NotImplementedError

    def close(self):
        """Closes the connection."""

    # What a user calls.

    def predict(self, inputs, num_samples=None, seed=None):
        """Returns what the model says of rows, its uncertainty with it.

        Args:
            inputs: Array `[B, ...]`, or a dictionary of them by name; strings and
                bytes as arrays of objects, or lists.
            num_samples: Integer, how many draws; `None`, with no seed either,
                asks for the count and the seed of the export.
            seed: Integer, or a pair: the same one gives the same answer.

        Returns:
            Dictionary of arrays by name.
        """
        if num_samples is None and seed is None:
            return self.ask("serving_default", self._named(inputs))
        return self.ask("predict", self._request(inputs, num_samples, seed))

    def samples(self, inputs, num_samples, seed=0):
        """Returns raw draws of the outputs, `[S, B, ...]`.

        Args:
            inputs: See `predict`.
            num_samples: See `predict`.
            seed: See `predict`.
        """
        return self.ask("samples", self._request(inputs, num_samples, seed))[
            "samples"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def signature(self, name):
        """One of `metadata`, which is asked for once."""
        if self._signatures is None:
            self._signatures = self.metadata()
        return self._signatures[name]

    def _request(self, inputs, num_samples, seed):
        if num_samples is None:
            raise ValueError("Expected a number of draws with a seed. Received: "
                             "num_samples=None")
        pair = np.append(np.ravel(0 if seed is None else seed), 0)[:2]
        return {**self._named(inputs), "num_samples": np.array([num_samples], "int32"),
                "seed": pair.astype("int32")[None]}

    def _named(self, inputs):
        """Arrays by name, in the types of the signature."""
        infos = self.signature("serving_default")["inputs"]
        if not isinstance(inputs, dict):
            if len(infos) != 1:
                raise ValueError("Expected a dictionary of the inputs "
                                 f"{sorted(infos)}. Received: {type(inputs).__name__}")
            inputs = dict.fromkeys(infos, inputs)
        return {name: np.asarray(value, infos[name][0] if name in infos else None)
                for name, value in inputs.items()}
