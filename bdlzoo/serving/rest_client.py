"""Client of the REST API: JSON over HTTP, without protocol buffers.

    client = RESTClient("127.0.0.1:8501", "digits")
    answer = client.predict(images, num_samples=64, seed=7)
    answer["probabilities"], answer["mutual_information"]
"""

import base64
import http.client
import json
import threading

import numpy as np

from bdlzoo.serving.client import Client
from bdlzoo.serving.serving_error import ServingError

_TYPES = {"DT_FLOAT": "float32", "DT_DOUBLE": "float64", "DT_INT32": "int32",
          "DT_INT64": "int64", "DT_UINT8": "uint8", "DT_BOOL": "bool",
          "DT_STRING": "object"}


class RESTClient(Client):
    """Sends requests over HTTP.

    Args:
        address: String, `"host:port"`; the usual port is 8501.
        model: String, name of the model.
        version: Integer, version of the model; `None` for the newest one.
        timeout: Float, seconds to wait for an answer.
    """

    def __init__(self, address, model, version=None, timeout=60.0):
        super().__init__(address, model, version, timeout)
        self._local = threading.local()  # A connection for each thread.

    def ask(self, signature, tensors):
        inputs = {name: _plain(np.asarray(value)) for name, value in tensors.items()}
        answer = self._call("POST", ":predict", {
            "signature_name": signature, "inputs": inputs})["outputs"]
        infos = self.signature(signature)["outputs"]
        if len(infos) == 1:  # The server leaves out its name.
            answer = dict.fromkeys(infos, answer)
        return {name: np.array(value, infos[name][0])
                for name, value in answer.items()}

    def metadata(self):
        found = self._call("GET", "/metadata")["metadata"]["signature_def"]
        return {name: {part: {key: _info(info) for key, info in each[part].items()}
                       for part in ("inputs", "outputs")}
                for name, each in found["signature_def"].items() if each["inputs"]}

    def status(self):
        return [{"version": int(each["version"]), "state": each["state"],
                 **each["status"]}
                for each in self._call("GET", "")["model_version_status"]]

    def close(self):
        connection = self._local.__dict__.pop("connection", None)
        if connection is not None:
            connection.close()

    def _call(self, verb, path, body=None):
        place = f"/versions/{self.version}" if self.version is not None else ""
        target = f"/v1/models/{self.model}{place}{path}"
        text = None if body is None else json.dumps(body)
        reused = "connection" in self._local.__dict__
        try:
            response, content = self._send(verb, target, text)
        except (http.client.HTTPException, ConnectionError):
            # The server may have closed an idle connection: try once more.
            self.close()
            if not reused:
                raise
            response, content = self._send(verb, target, text)
        answer = json.loads(content)
        if response.status != 200:
            raise ServingError.of_http(response.status, answer.get("error", ""))
        return answer

    def _send(self, verb, target, text):
        if "connection" not in self._local.__dict__:
            self._local.connection = http.client.HTTPConnection(
                self.address, timeout=self.timeout)
        connection = self._local.connection
        connection.request(verb, target, text, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response, response.read()


def _info(info):
    shape = info["tensor_shape"]
    known = not shape.get("unknown_rank", False)
    sizes = [int(dim["size"]) for dim in shape.get("dim", [])]
    return _TYPES.get(info["dtype"]), tuple(
        size if size >= 0 else None for size in sizes) if known else None


def _plain(array):
    if array.dtype != object:
        return array.tolist()
    return np.array([{"b64": base64.b64encode(
        item if isinstance(item, bytes) else item.encode()).decode()}
        for item in array.flat], dtype=object).reshape(array.shape).tolist()
