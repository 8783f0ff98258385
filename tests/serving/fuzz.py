"""Sends seeded requests, good and bad, to a server, and judges its answers.

    python -m tests.serving.fuzz --count=100000

starts a server of two small models, and ends with counts: answers by status, faults,
and the memory of the server. A fault is a status of 500, the code INTERNAL or UNKNOWN,
an answer that is not JSON, more answers than requests, a good request that is not
answered as before, or a server that is gone.
"""

import collections
import http.client
import json
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types

import grpc
import numpy as np
import tensorflow as tf
from absl import app, flags

from bdlzoo.serving import apis
from tests.serving import fuzz_grpc, fuzz_rest

ROOT = pathlib.Path(__file__).parents[2]
SECONDS = 60  # Longest wait for an answer.
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) [^\r\n]*\r\n")
_CODES = {"INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "CANCELLED", "DATA_LOSS"}
_OPTIONS = [("grpc.enable_retries", 0), ("grpc.max_receive_message_length", -1)]


class Fuzzer:
    """Sends requests to a server, one a step.

    Args:
        rest: String, `"host:port"` of REST.
        grpc_address: String, `"host:port"` of gRPC.
        models: Names of the models. They have one input, a string for files of images.
        seed: Integer; the same seed gives the same requests.
    """

    def __init__(self, rest, grpc_address, models, seed=0):
        self.rest = rest
        self.rng = random.Random(seed)
        self.counts = collections.Counter()  # Of answers by protocol and status.
        self.faults = []
        self.expected = {}  # Answers to good requests, which must not change.
        self._http = http.client.HTTPConnection(rest, timeout=SECONDS)
        self._channel = grpc.insecure_channel(grpc_address, _OPTIONS)
        self._models = [self._read(name) for name in models]

    def step(self):
        """Sends one request, or a few on one connection, and judges the answer."""
        model, kind = self.rng.choice(self._models), self.rng.random()
        way = (self._good_rest if kind < 0.1 else self._good_grpc if kind < 0.2 else
               self._bad_body if kind < 0.45 else self._bad_head if kind < 0.65 else
               self._bad_call)
        try:
            way(model)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._http.close()
            self.faults.append(f"{way.__name__}: {type(error).__name__}: {error}")

    def run(self, count):
        """Makes `count` steps."""
        for _ in range(count):
            self.step()

    def close(self):
        self._http.close()
        self._channel.close()

    def _read(self, name):
        """Name, input, shape of a row and outputs of a model."""
        self._http.request("GET", f"/v1/models/{name}/metadata")
        found = json.loads(self._http.getresponse().read())
        signature = found["metadata"]["signature_def"]["signature_def"][
            "serving_default"]
        [(key, info)] = signature["inputs"].items()
        shape = [int(dim["size"]) for dim in info["tensor_shape"].get("dim", [])[1:]]
        return types.SimpleNamespace(
            name=name, input=key, shape=shape, files=info["dtype"] == "DT_STRING",
            outputs=sorted(signature["outputs"]))

    def _post(self, path, text):
        self._http.request("POST", path, text)
        response = self._http.getresponse()
        return self._judged(response.status, response.read(), path)

    def _judged(self, status, text, what):
        self.counts[f"REST {status}"] += 1
        if status >= 500 and status not in (501, 503, 505):
            self.faults.append(f"{status} of {what[:300]!r}: {text[:300]!r}")
        if text.startswith(b"<!doctype html>") and status == 200:
            return None  # The page.
        answer = json.loads(text)
        if status != 200 and (set(answer) != {"error"} or not answer["error"]):
            self.faults.append(f"{status} without an explanation: {text[:300]!r}")
        return answer

    def _good_rest(self, model):
        asked, key = fuzz_rest.good(self.rng, model)
        answer = self._post(f"/v1/models/{model.name}:predict", json.dumps(asked))
        if "predictions" in answer:
            found = [row["probabilities"] for row in answer["predictions"]]
        else:
            found = answer.get("outputs", {}).get("probabilities")
        self._compare(key, np.array(found, "float32"), answer)

    def _good_grpc(self, model):
        request, key = fuzz_grpc.good(self.rng, model)
        told = self._call(fuzz_grpc.SERVICE + "Predict", request.SerializeToString())
        if not isinstance(told, bytes):
            self.faults.append(f"A good request got {told}")
            return
        answer = apis.predict_pb2.PredictResponse.FromString(told)
        self._compare(key, tf.make_ndarray(answer.outputs["probabilities"]), told)

    def _compare(self, key, found, answer):
        if found.ndim != 2 or not np.array_equal(
                found, self.expected.setdefault(key, found)):
            self.faults.append(f"{key} was answered by {str(answer)[:300]}")

    def _bad_body(self, model):
        path = fuzz_rest.target(self.rng, model)
        if "[" in path:  # The client of Python refuses to send it.
            path = "/v1"
        self._post(path, fuzz_rest.body(self.rng, model))

    def _bad_head(self, model):
        sent, most = fuzz_rest.head(self.rng, model, self.rest)
        answers = list(self._answers(exchange(self.rest, sent), sent))
        for status, text in answers:
            if status != 100:
                self._judged(status, text, sent)
        if len(answers) > most:
            self.faults.append(f"{len(answers)} answers, at most {most} are right: "
                               f"{sent[:300]!r}")

    def _answers(self, received, sent):
        """Statuses and bodies of the answers on a connection."""
        while received:
            found = _STATUS.match(received)
            if found is None:
                self.faults.append(f"{sent[:300]!r} got {received[:300]!r}")
                return
            lines, _, received = received.partition(b"\r\n\r\n")
            size = re.search(rb"\r\nContent-Length: (\d+)", lines)
            size = int(size[1]) if size else 0
            if len(received) < size:
                self.faults.append(f"{sent[:300]!r} got a part of an answer")
            yield int(found[1]), received[:size]
            received = received[size:]

    def _bad_call(self, model):
        path, sent = fuzz_grpc.call(self.rng, model)
        told = self._call(path, sent)
        if told in _CODES:
            self.faults.append(f"{told} of {path} {sent[:300]!r}")

    def _call(self, path, sent):
        """Bytes of the answer, or the name of the code of an error."""
        try:
            told = self._channel.unary_unary(path)(sent, timeout=SECONDS)
            self.counts["gRPC OK"] += 1
            return told
        except grpc.RpcError as error:
            self.counts[f"gRPC {error.code().name}"] += 1
            return error.code().name


def exchange(address, sent, seconds=SECONDS):
    """Sends bytes over a socket; returns all that comes back until it is closed.

    Args:
        address: String, `"host:port"`.
        sent: Bytes to send. The end of them is said to the server.
        seconds: Float, longest wait.
    """
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as connection:
        received = b""
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
        except OSError:  # The server has closed it before the end.
            pass
        while part := connection.recv(2**16):
            received += part
        return received


def resident(pid):
    """Memory of a process, in MB; 0 if it is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+) kB", text)
    return int(found[1]) / 1000 if found else 0.0


def publish_models(folder):
    """Publishes two small classifiers: of numbers, and of files of images.

    Args:
        folder: Folder for their folders.

    Returns:
        Dictionary from the name to the folder of its versions.
    """
    from bdlzoo.methods import MCDropout
    from bdlzoo.networks import SmallCNN
    from bdlzoo.serving.preprocessing import image_bytes
    from bdlzoo.serving.publish import publish

    network = SmallCNN((8, 8, 1), filters=(4,), hidden=(8,), outputs=10, dropout=0.4,
                       dropout_at="last")
    model = MCDropout(network, num_samples=4, seed=3)
    model.build((None, 8, 8, 1))
    folders = {name: pathlib.Path(folder, name) for name in ("digits", "images")}
    publish(model, folders["digits"], batch_sizes=(1, 2), max_samples=16)
    publish(model, folders["images"], batch_sizes=(1, 2), max_samples=16,
            preprocessing=image_bytes((8, 8, 1)))
    return folders


def start_server(folders, *flags_):
    """Starts `bdlzoo serve` on free ports.

    Args:
        folders: Folders of the models.
        *flags_: Further flags.

    Returns:
        The process, and the addresses of REST and of gRPC.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "bdlzoo.programs", "serve", "--port=0",
         "--rest_api_port=0", f"--model_base_path={','.join(map(str, folders))}",
         *flags_], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    line = process.stdout.readline()
    ports = re.findall(r"127\.0\.0\.1:(\d+)", line)
    if len(ports) != 2:
        process.kill()
        raise RuntimeError(f"Expected two ports. Received: {line!r}")
    return process, *(f"127.0.0.1:{port}" for port in ports)


def main(argv):
    del argv
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # The server ends as well.
    with tempfile.TemporaryDirectory() as folder:
        process, rest, grpc_address = start_server(publish_models(folder).values())
        fuzzer = Fuzzer(rest, grpc_address, ["digits", "images"], flags.FLAGS.seed)
        try:
            fuzzer.run(min(2000, flags.FLAGS.count // 10))  # Fills all caches.
            first = most = resident(process.pid)
            begin, done = time.perf_counter(), sum(fuzzer.counts.values())
            while done < flags.FLAGS.count and len(fuzzer.faults) < 100:
                fuzzer.run(500)
                done = sum(fuzzer.counts.values())
                most = max(most, resident(process.pid))
                print(f"{done} answers, {len(fuzzer.faults)} faults, "
                      f"{resident(process.pid):.0f} MB", flush=True)
            gone = process.poll() is not None
            last = resident(process.pid)
        finally:
            process.terminate()
            process.wait(60)
        for name, count in sorted(fuzzer.counts.items()):
            print(f"  {name}: {count}")
        for fault in fuzzer.faults[:20]:
            print(f"  FAULT {fault}")
        print(f"{done} answers in {time.perf_counter() - begin:.0f} s, "
              f"{len(fuzzer.faults)} faults; {first:.0f} MB at the begin, {most:.0f} "
              f"at most, {last:.0f} at the end; "
              f"{'the server was gone' if gone else 'no restart'}")
    sys.exit(bool(fuzzer.faults or gone or last - first > 50))


if __name__ == "__main__":
    flags.DEFINE_integer("count", 100_000, "Number of answers.")
    flags.DEFINE_integer("seed", 0, "Seed of the requests.")
    app.run(main)
