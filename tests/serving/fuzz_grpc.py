"""Seeded requests over gRPC, good and bad: tensors, names and bytes.

`call` makes the path of a method and the bytes of its request.
"""

import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

from bdlzoo.serving import apis
from tests.serving import fuzz_rest

SERVICE = "/tensorflow.serving.PredictionService/"
_MODELS = "/tensorflow.serving.ModelService/GetModelStatus"
_TYPES = [*range(33), 101, 102, 107, 108, 114, 120, 121, 122, 999, 2**31 - 1, -1]
_SIZES = [-2**63, -2, -1, 0, 1, 2, 3, 8, 64, 2**20, 2**31, 2**40, 2**62, 2**63 - 1]
_FIELDS = {"float_val": 0.5, "double_val": 0.5, "int_val": 1, "int64_val": 1,
           "bool_val": True, "half_val": 15360, "uint32_val": 1, "uint64_val": 1,
           "scomplex_val": 0.5, "dcomplex_val": 0.5, "string_val": b"a"}


def good(rng, model):
    """`PredictRequest` that is answered, and a key of its answer."""
    rows, draws, seed = rng.randint(1, 3), rng.randint(1, 4), rng.randrange(5)
    request = apis.predict_pb2.PredictRequest()
    request.model_spec.name = model.name
    tensor = request.inputs[model.input]
    tensor.dtype = tf.string.as_datatype_enum if model.files else (
        tf.float32.as_datatype_enum)
    for size in (rows, *model.shape):
        tensor.tensor_shape.dim.add(size=size)
    if model.files:
        tensor.string_val.append(fuzz_rest.png(8, 8))
    else:
        tensor.float_val.append((seed + 1) / 8)  # Stands for all of them.
    if rng.random() < 0.5:
        return request, (model.name, rows, seed)
    request.model_spec.signature_name = "predict"
    for name, value in (("num_samples", [draws]), ("seed", [[seed, 0]])):
        request.inputs[name].CopyFrom(tf.make_tensor_proto(value, tf.int32))
    return request, (model.name, rows, draws, seed)


def tensor(rng):
    """`TensorProto` of any type, shape and fields, whether they fit or not."""
    found = tensor_pb2.TensorProto()
    found.dtype = rng.choice([1, 3, 7, rng.choice(_TYPES)])
    if rng.random() < 0.1:
        found.tensor_shape.unknown_rank = True
    for size in rng.choice([[3, 8, 8, 1], [1], [1, 2], [20_000_000, 8, 8, 1], [
            100_000, 8, 8, 1], [rng.choice(_SIZES) for _ in range(rng.randint(0, 5))],
            [1] * 300]):
        found.tensor_shape.dim.add(size=size)
    for _ in range(rng.choice([0, 1, 1, 2])):
        name = rng.choice([*_FIELDS, "tensor_content", "resource_handle_val",
                           "variant_val"])
        if name == "tensor_content":
            found.tensor_content = rng.randbytes(rng.choice([0, 1, 4, 8, 12, 256, 768]))
        elif name in _FIELDS:
            count = rng.choice([1, 1, 2, 3, 64, 192, 500])
            getattr(found, name).extend([_FIELDS[name]] * count)
        else:
            getattr(found, name).add()
    return found


def call(rng, model):
    """Path of a method and bytes of its request, most often wrong."""
    request, _ = good(rng, model)
    spec, kind = request.model_spec, rng.randrange(10)
    if kind < 3:
        for name in list(request.inputs):
            if rng.random() < 0.6:
                request.inputs[name].CopyFrom(tensor(rng))
    elif kind == 3:
        request.inputs[rng.choice(["", "more", "ä", "a" * 5000])].CopyFrom(tensor(rng))
    elif kind == 4:
        spec.name = rng.choice(["", "none", "../" + model.name, "ä" * 9, "a" * 9000])
    elif kind == 5:
        spec.signature_name = rng.choice([
            "none", "samples", "ä", "a" * 9000, "__saved_model_init_op"])
    elif kind == 6 and rng.random() < 0.5:
        spec.version_label = rng.choice(["", "stable", "a" * 9000])
    elif kind == 6:
        spec.version.value = rng.choice([-2**63, -1, 0, 1, 9, 2**63 - 1])
    elif kind == 7:
        names = [*model.outputs, rng.choice(["none", "", model.outputs[0]])]
        request.output_filter.extend(rng.sample(names, rng.randint(1, len(names))))
    elif kind == 8 and model.files:
        [name] = [name for name in request.inputs if name == model.input]
        request.inputs[name].string_val[0] = fuzz_rest.file(rng)
    sent = request.SerializeToString()
    if kind == 9:
        sent = rng.choice([fuzz_rest.mutated(rng, sent), rng.randbytes(60), b""])
    path = SERVICE + "Predict" if rng.random() < 0.8 else rng.choice([
        SERVICE + "GetModelMetadata", _MODELS, SERVICE + "Classify", "/none", "/a/b"])
    if path in (SERVICE + "GetModelMetadata", _MODELS) and rng.random() < 0.8:
        told = apis.get_model_metadata_pb2.GetModelMetadataRequest(model_spec=spec)
        told.metadata_field.extend(rng.choice([["signature_def"], [], ["a"]]))
        sent = told.SerializeToString()
    return path, sent
