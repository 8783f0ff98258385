"""The contract: what every method must do, on its smoke config.

A method enters by existing: one file in `bdlzoo/methods`, and a config of its name with
a `smoke` variant. Tier one holds for everything that trains: weights move, XLA equals
plain, files and exports answer alike, replicas, mixed precision, resume, seeds, bad
data. Tier two holds for what predicts labels: draws, rows, calibration, `num_data`.

A model may declare a check `inapplicable`, with a reason, which is printed.
"""

import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from bdlzoo import methods, runs
from bdlzoo.core import batches, noise, registry
from bdlzoo.families import decay
from bdlzoo.families.acting import Acting
from bdlzoo.families.agent import Agent
from bdlzoo.model import streaming
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.worlds import ContextualBandit, SideBySide
from tests.model import portable

ROOT = pathlib.Path(__file__).parents[1]
KINDS = {kind.__module__.rpartition(".")[2]: kind
         for kind in (getattr(methods, name) for name in methods.__all__)}
METHODS = sorted(p.stem for p in ROOT.glob("bdlzoo/methods/[!_]*.py"))
LABELS = [m for m in METHODS if issubclass(KINDS[m], PredictiveModel)]
# Methods whose steps are those of another one but for a line or two: their checks
# are slow ones. So is mixed precision, but for one method of each kind.
SISTERS = {"adversarial_training": "adversarial_distributional_training",
           "alp": "adversarial_training", "alpha_divergence_dropout": "mc_dropout",
           "cross_entropy_method": "reinforce", "cyclical_sgmcmc": "sgld",
           "feature_scattering": "adversarial_training",
           "mstn": "rev_grad", "pac_bayes": "mean_field_vi", "pi_model": "mean_teacher",
           "preconditioned_sgld": "sgld", "robust_rev_grad": "rev_grad",
           "sde_hnn": "sde_net", "sghmc": "sgld", "source_only": "deterministic",
           "swag": "deterministic",
           "structured_vae": "discrete_vae", "temporal_ensembling": "mean_teacher",
           "trades": "adversarial_training", "vada": "rev_grad"}
PRECISE = {"deep_ensemble", "mc_dropout", "mean_field_vi", "sgld"}
# Methods whose graphs take longest to trace and compile: their checks by XLA, on
# replicas, of traces and of files are slow ones too.
HEAVY = {*SISTERS, "adversarial_distributional_training",
         "adversarial_posterior_distillation", "bayes_adapter",
         "bayesian_dark_knowledge", "cat", "dbsn", "degp", "mcd", "rev_grad",
         "sde_net", "semi_supervised_vae", "structured_gan", "vbll"}


def _some(methods, left_out):
    return [pytest.param(method, marks=pytest.mark.slow) if method in left_out
            else method for method in methods]


# And configs whose layers draw in ways of their own, where draws are asked for.
DRAWS = [*LABELS, "concrete_dropout", "vardo", "variational_dropout"]
CONFIGS = sorted(str(p.relative_to(ROOT / "configs"))
                 for p in ROOT.glob("configs/*/*.py") if p.parent.name != "base")
SIZES = (1, 7, 256)
SHAPES = {"digits": (8, 8, 1), "mnist": (28, 28, 1),
          "fashion_mnist": (28, 28, 1), "cifar10": (32, 32, 3), "moons": (2,),
          "sine": (1,), "diabetes": (10,), "breast_cancer": (30,),
          "metro_traffic": (46,), "pickups": (40,), "uci/yacht": (6,),
          "usps": (28, 28, 1), "svhn_cropped": (28, 28, 1), "scenes": (48, 48, 3),
          "camvid": (48, 64, 3)}


# What a request may hold beside rows.
REQUEST = {"num_samples": np.array([4], "int32"), "seed": np.array([[5, 0]], "int32")}
ASK = """
def ask(signatures, x, name, words):
    import numpy as np, tensorflow as tf
    request = dict(inputs=x, num_samples=np.array([4], "int32"),
                   seed=np.array([[5, 0]], "int32"),
                   labels=np.arange(len(x), dtype="int32") % 10)
    if "code" in words:  # What one signature returns is what the other one takes.
        request["code"] = signatures["encode"](inputs=tf.constant(x))["code"]
    found = signatures[name](**{word: tf.constant(request[word]) for word in words})
    return {f"{name}/{key}": value for key, value in found.items()}
"""
SERVE = """
import sys; sys.modules["bdlzoo"] = None  # Any import of it now fails.
import concurrent.futures, contextlib, io
import numpy as np, tensorflow as tf
from tensorflow.python.tools import saved_model_cli
tf.get_logger().setLevel("ERROR")
for folder in sys.argv[1:]:
    loaded = tf.saved_model.load(folder + "/1")
    signatures = loaded.signatures
    words = {name: list(signatures[name].structured_input_signature[1])
             for name in signatures}
    for name in signatures:
        assert "Assign" not in str(signatures[name].graph.as_graph_def()), name
    x = np.load(folder + "/x.npy")
    for size in map(int, np.load(folder + "/sizes.npy")):
        answers = {}
        for name in signatures:
            answers.update(ask(signatures, x[:size], name, words[name]))
        np.savez(f"{folder}/{size}.npz", **answers)
    # What `saved_model_cli` shows, and what it gets from a load of its own.
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        saved_model_cli._show_all(folder + "/1")
        saved_model_cli.run_saved_model_with_feed_dict(
            folder + "/1", "serve", "serving_default", dict(inputs=x),
            folder + "/cli", True)
    for name in (*signatures, f"shape: (-1, {', '.join(map(str, x.shape[1:]))})"):
        assert name in shown.getvalue(), name
    # Many requests at once.
    def answer(place):
        rows = tf.constant(x[place:place + 1 + place % 3])
        return next(iter(signatures["serving_default"](inputs=rows).values())).numpy()
    alone = [answer(place) for place in range(64)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        together = list(pool.map(answer, range(64)))
    gap = max(np.abs(a.astype("float64") - b).max()
              for a, b in zip(alone, together, strict=True))
    np.save(folder + "/gap.npy", gap)
"""
RELOAD = """
import sys, numpy as np, keras, bdlzoo
for folder in sys.argv[1:]:
    model = keras.saving.load_model(folder + "/model.keras")
    x = np.load(folder + "/x.npy")
    found = dict(mean=model.predict(x, verbose=0), num_data=model.num_data,
                 compiled=model.compiled)
    if hasattr(model, "calibration"):
        found.update(draws=model.sample_outputs(x, 4, seed=5),
                     temperature=model.calibration.temperature)
    words = dict(np.load(folder + "/words.npz"))
    def in_order(function):
        return lambda **request: function(*request.values())
    signatures = {name: in_order(function)
                  for name, (function, _) in model.endpoints().items()}
    for name in signatures:
        found.update(ask(signatures, x, name, words[name].tolist()))
    np.savez(folder + "/reloaded.npz", **found)
"""


def _acts(method):
    """Whether a method is an agent, which makes its own data."""
    return issubclass(KINDS[method], Agent)


def _observations(config):
    """What agents see after some steps, of episodes side by side."""
    running = SideBySide(runs.load_world(config), 64)
    for step in range(5):
        running.step((np.arange(64) + step) % running.world.num_actions)
    return running.observe()


def _config(method):
    """The smoke config of a method: that of the digits, or any other one."""
    paths = [ROOT / "configs/digits" / f"{method}.py",
             *sorted(ROOT.glob(f"configs/*/{method}.py"))]
    config = runs.read_config(next(path for path in paths if path.exists()), "smoke")
    if "labels" in config.get("data", ()):  # All rows have one, and `_side` has none.
        with config.unlocked():
            del config.data.labels
    return config


def _check_applies(method, check):
    """Leaves a check out that a model declares to be none of its own."""
    reason = KINDS[method].inapplicable.get(check)
    if reason:
        pytest.skip(f"{check} does not apply to {method}: {reason}")


def _without_noise(config):
    """The config without dropout and attacks, with posteriors that are points."""
    with config.unlocked(), config.ignore_type():
        if "network" not in config:  # Its own noise is what it learns by.
            return config
        config.network.dropout = 0.0
        for place in {"conv", "layer"} & set(config.network):
            config.network[place].init_scale = 1e-8
        for part, key in (("network", "diffusion_scale"), ("method", "ood_weight"),
                          ("method", "input_noise"), ("method", "epsilon")):
            if key in config[part]:
                config[part][key] = 0.0
        if "augmentation" in config.method:
            config.method.augmentation = None
        if "log_scale" in config.method:
            config.method.log_scale = (-120.0, -120.0)  # Exactly 0 in float32.
    return config


def _with_sgd(config, rate):
    """The config with plain steps; samplers have their own kind of them."""
    if config.optimizer.type != "SGD":
        config.optimizer = dict(type="SGD", learning_rate=rate)
    elif hasattr(config.optimizer.learning_rate, "items"):
        config.optimizer.learning_rate.initial_rate = rate or 1e-30
    else:
        config.optimizer.learning_rate = rate
    if "scale_optimizer" in config:
        config.scale_optimizer.learning_rate = rate
    return config


def _rows(model, config):
    """Training rows as a model takes them: `(x, y)`, or `(x,)` without targets."""
    x, y = runs.load_data(config)["train"]
    return (x,) if model.targets == "none" else (x, y)


def _side(model, config):
    """Sets that a model learns from beside its inputs, by the words of `fit`."""
    x, named = runs.load_data(config)["train"].x, config.get("side_sets", {})
    return {word: runs.load_side_set(named[word], x.shape[1:]).x if word in named else x
            for word in model.side_data if word in named or word == "unlabelled"}


def _beside(model, x):
    """Inputs of a step, with the sets beside them and the numbers of rows."""
    side = {word: x for word in model.side_data}
    if model.numbers_rows:
        rows = tf.range(x.shape[0])
        side.update(rows=rows, **{f"{name}_rows": rows + x.shape[0] for name in side})
    return batches.Beside(x, side) if side else x


def _fit(config, steps=4, **compile_options):
    if "world" in config:
        x = _observations(config)
        model = runs.load_model(config, x.shape[1:], **compile_options)
        before = [w.numpy() for w in model.trainable_variables]
        world = runs.load_world(config)
        # At least that many steps: some agents count in steps of the world.
        logs = model.fit(world, episodes=8 * steps, epochs=1, verbose=0).history
        return model, x, before, logs
    x = runs.load_data(config)["train"].x
    model = runs.load_model(config, x.shape[1:], **compile_options)
    before = [w.numpy() for w in model.trainable_variables]
    data = _rows(model, config)
    if not model.numbers_rows:  # Which it does for arrays alone.
        data = (tf.data.Dataset.from_tensor_slices(data).batch(32).repeat(),)
    logs = model.fit(*data, num_data=len(x), steps_per_epoch=steps, verbose=0,
                     shuffle=False, **_side(model, config)).history
    return model, x, before, logs


class _Trained(dict):
    """Models after one step, each made when it is first asked for."""

    def __missing__(self, method):
        self[method] = _fit(_config(method), steps=1)
        model, *_ = self[method]
        if isinstance(model, PredictiveModel):
            model.calibration.temperature.assign(1.5)  # As if it had been fitted.
        return self[method]


@pytest.fixture(scope="module")
def trained():
    return _Trained()


@pytest.fixture(scope="module")
def folders(trained, tmp_path_factory, request):
    """The models that are asked for saved and exported; one process loads all."""
    asked = {item.callspec.params["method"] for item in request.session.items
             if "folders" in item.fixturenames}
    paths = {m: tmp_path_factory.mktemp(m) for m in sorted(asked)}
    for method in paths:
        model, x, _, _ = trained[method]
        model.save(paths[method] / "model.keras")
        model.export(paths[method])
        np.save(paths[method] / "x.npy", np.tile(x, (4, *[1] * (x.ndim - 1))))
        np.save(paths[method] / "sizes.npy", SIZES)
        np.savez(paths[method] / "words.npz", **{
            name: _words(specs) for name, (_, specs) in model.endpoints().items()})
    for code in (SERVE, RELOAD):
        subprocess.run([sys.executable, "-c", ASK + code, *map(str, paths.values())],
                       check=True)
    return paths


def _settled(model):
    """Weights of which rounding changes no more than the last digits."""
    free = getattr(model, "free_weights", ())
    return [weight for weight in model.weights if weight.name not in free]


def _words(specs):
    """What a request to a signature holds."""
    return [spec.name for spec in specs]


def _answers(model, x, name):
    """What a signature answers in process, by the names of its tensors."""
    function, specs = model.endpoints()[name]
    request = {"inputs": x, "labels": np.arange(len(x), dtype="int32") % 10, **REQUEST}
    if "code" in _words(specs):
        request["code"] = _answers(model, x, "encode")["code"]
    return function(*(tf.constant(request[word]) for word in _words(specs)))


# Tier one.


@pytest.mark.parametrize("method", _some(sorted({*DRAWS, *METHODS}), SISTERS))
def test_every_weight_moves_and_stays_finite(trained, method):
    model, _, before, logs = trained[method]
    assert np.isfinite(logs["loss"]).all()
    for old, new in zip(before, model.trainable_variables, strict=True):
        assert np.isfinite(new.numpy()).all()
        assert not np.array_equal(old, new.numpy()), new.path


@pytest.mark.parametrize("method", _some(METHODS, HEAVY))
def test_jit_equals_plain(trained, method):
    """After one step, and in prediction."""
    plain, x, _, _ = trained[method]
    _check_applies(method, "jit")
    jitted, _, _, _ = _fit(_config(method), steps=1, jit_compile=True)
    if isinstance(plain, PredictiveModel):
        jitted.calibration.temperature.assign(1.5)
    for a, b in zip(_settled(plain), _settled(jitted), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)
    np.testing.assert_allclose(plain.predict(x, verbose=0),
                               jitted.predict(x, verbose=0), atol=1e-5)


@pytest.mark.parametrize("method", _some(METHODS, HEAVY))
def test_saved_file_gives_the_same_in_a_fresh_process(trained, folders, method):
    model, _, _, _ = trained[method]
    x = np.load(folders[method] / "x.npy")
    reloaded = np.load(folders[method] / "reloaded.npz")
    np.testing.assert_allclose(
        reloaded["mean"], model.predict(x, verbose=0), atol=1e-6)
    assert reloaded["num_data"] == model.num_data.numpy()
    assert reloaded["compiled"]
    for name in model.endpoints():
        for key, value in _answers(model, x, name).items():
            np.testing.assert_allclose(reloaded[f"{name}/{key}"], value, atol=1e-5,
                                       rtol=1e-5)
    if method in LABELS:
        assert reloaded["temperature"] == 1.5
        np.testing.assert_allclose(
            reloaded["draws"], model.sample_outputs(x, 4, seed=5), atol=1e-6)


@pytest.mark.parametrize("method", _some(METHODS, HEAVY))
@pytest.mark.parametrize("size", SIZES)
def test_saved_model_equals_in_process(trained, folders, method, size):
    model, _, _, _ = trained[method]
    x = np.load(folders[method] / "x.npy")[:size]
    served = np.load(folders[method] / f"{size}.npz")
    for name in model.endpoints():
        for key, value in _answers(model, x, name).items():
            np.testing.assert_allclose(served[f"{name}/{key}"], value, atol=1e-5,
                                       rtol=1e-5)
    if method in LABELS:
        np.testing.assert_allclose(served["samples/samples"],
                                   model.sample_outputs(x, 4, seed=5), atol=1e-5)
        np.testing.assert_allclose(
            served["predict/probabilities"],
            model.predict_uncertainty(x, 4, seed=5).mean, atol=1e-5)
        np.testing.assert_allclose(served["serving_default/probabilities"],
                                   model.predict(x, verbose=0), atol=1e-5)


@pytest.mark.parametrize("method", _some(METHODS, HEAVY))
def test_loads_and_threads_agree(folders, method):
    """64 requests in 8 threads; and what another load, by a session, answers."""
    assert np.load(folders[method] / "gap.npy") <= 1e-6
    served = np.load(folders[method] / f"{SIZES[-1]}.npz")
    for path in (folders[method] / "cli").glob("*.npy"):
        np.testing.assert_allclose(
            np.load(path), served[f"serving_default/{path.stem}"], atol=1e-6)


@pytest.mark.parametrize("method", _some(METHODS, HEAVY))
def test_export_asks_the_server_for_no_compiler(folders, method):
    """TF Serving has XLA for the CPU turned off, and would refuse all requests."""
    [file] = folders[method].rglob("saved_model.pb")
    saved = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    functions = saved.meta_graphs[0].graph_def.library.function
    assert functions and not any("_XlaMustCompile" in f.attr for f in functions)


@pytest.mark.parametrize("method", _some(METHODS, HEAVY))
def test_step_compiles_in_shapes_that_are_known(trained, method):
    """So that a TPU can take it: XLA gets the whole step, and no size is open."""
    model, x, _, _ = trained[method]
    _check_applies(method, "jit")
    rows = [tf.constant(x[:32])]
    if method in LABELS:
        rows.append(tf.zeros([32], tf.int32))
    if _acts(method):
        world = runs.load_world(_config(method))
        acting = Acting(world, 1, model.memory_for(world))
        rows = [tf.constant(part[:32]) for part in model.collect(acting, 0)]
    step = tf.function(
        lambda x, *y: model.train_step((_beside(model, x), *y)), jit_compile=True,
        autograph=False)
    program = step.experimental_get_compiler_ir(*rows)(stage="hlo")
    shape = ",".join(map(str, rows[0].shape))
    assert program.startswith("HloModule") and f"f32[{shape}]" in program
    assert "<=" not in program  # A size that is only bounded.
    assert "infeed" not in program and "CallToHost" not in program


@pytest.mark.parametrize("method", _some(METHODS, {*METHODS} - PRECISE))
def test_mixed_precision_stays_close(method):
    _check_applies(method, "mixed_precision")
    played = KINDS[method].plays_against_itself
    loss = {}
    for policy in ("float32", "mixed_bfloat16"):
        keras.config.set_dtype_policy(policy)
        try:
            config = _with_sgd(_config(method), 0.1)
            model, _, _, logs = _fit(config, steps=1 if played else 50)
            # Of two that learn from each other a small gap grows: the first losses.
            loss[policy] = logs["loss"][0] if played else model.evaluate(
                *_rows(model, config), verbose=0, return_dict=True)["loss"]
        finally:
            keras.config.set_dtype_policy("float32")
    np.testing.assert_allclose(loss["mixed_bfloat16"], loss["float32"], rtol=0.02)


@pytest.mark.parametrize("method", _some(METHODS, HEAVY))
def test_replicas_equal_one_device(method, monkeypatch):
    """With SGD: Adam would hide a wrong factor. And no noise on rows."""
    _check_applies(method, "replicas")
    # Codes and styles have noise that no config turns off.
    if hasattr(KINDS[method], "encode") or hasattr(KINDS[method], "style"):
        for name in ("normal", "gumbel", "uniform"):
            monkeypatch.setattr(noise, name, lambda shape, key: tf.zeros(shape))
    config = _with_sgd(_without_noise(_config(method)), 0.1)
    single, _, _, logs = _fit(config)
    strategy = tf.distribute.MirroredStrategy(
        ["CPU:0", "CPU:1"], tf.distribute.ReductionToOneDevice())
    with strategy.scope():
        mirrored, _, _, mirrored_logs = _fit(config)
    for a, b in zip(_settled(single), _settled(mirrored), strict=True):
        for copy in strategy.experimental_local_results(b.value):
            np.testing.assert_allclose(a, copy, atol=1e-6)
    np.testing.assert_allclose(logs["loss"], mirrored_logs["loss"], rtol=1e-5)


@pytest.mark.parametrize("method", _some(METHODS, HEAVY))
def test_resumed_training_is_the_same(method, tmp_path):
    """To the last bit, by the checkpoint of the first epoch."""
    _check_applies(method, "resume")
    config = _config(method)
    ends = []
    for epochs in ((2,), (1, 2)):
        folder = tmp_path / str(len(epochs))
        for last in epochs:
            if _acts(method):
                world = runs.load_world(config)
                model = runs.load_model(config, world.observation_shape)
                model.fit(world, episodes=16 * last, epochs=last, verbose=0,
                          checkpoint_dir=folder)
                continue
            model = runs.load_model(config, runs.load_data(config)["train"].x.shape[1:])
            rows = _rows(model, config)
            model.fit(*rows, batch_size=32, epochs=last, verbose=0,
                      checkpoint_dir=folder, **_side(model, config))
        ends.append([w.numpy() for w in model.weights])
    for whole, resumed in zip(*ends, strict=True):
        np.testing.assert_array_equal(whole, resumed)


@pytest.mark.parametrize("method", _some(METHODS, SISTERS))
def test_bad_inputs_are_refused_before_training(method, tmp_path):
    config = _config(method)
    if _acts(method):
        _check_bad_worlds(config, tmp_path)
        return
    x, y = runs.load_data(config)["train"]
    model = runs.load_model(config, x.shape[1:])
    before = [w.numpy() for w in model.weights]
    missing = x.copy()
    missing[3, 0] = np.nan
    targets = None if model.targets == "none" else y
    for inputs, words in ((x[:, :7], "shape"), (x[:0], "at least one"),
                          (missing, "finite inputs.*index 3")):
        with pytest.raises(ValueError, match=words):
            model.fit(inputs, targets if targets is None else y[:len(inputs)],
                      checkpoint_dir=tmp_path / "c", verbose=0)
    assert not (tmp_path / "c").exists()
    for old, new in zip(before, model.weights, strict=True):
        np.testing.assert_array_equal(old, new)


def _check_bad_worlds(config, tmp_path):
    """What is no world, or another one, is refused before anything is done."""
    x = _observations(config)
    model = runs.load_model(config, x.shape[1:])
    before = [w.numpy() for w in model.weights]
    for world, words in ((x, "a world of"), (ContextualBandit(3, 7), "shape"),
                         (None, "a world of")):
        with pytest.raises(ValueError, match=words):
            model.fit(world, episodes=4, checkpoint_dir=tmp_path / "c", verbose=0)
    with pytest.raises(ValueError, match="episodes=0"):
        model.fit(runs.load_world(config), episodes=0, verbose=0)
    missing = x.copy()
    missing[3] = np.nan
    for rows, words in ((missing, "finite inputs.*index 3"), (x[:, :2], "shape")):
        with pytest.raises(ValueError, match=words):
            model.act(rows)
    assert not (tmp_path / "c").exists()
    for old, new in zip(before, model.weights, strict=True):
        np.testing.assert_array_equal(old, new)


# Tier two.


@pytest.mark.parametrize("method", _some(DRAWS, SISTERS))
def test_draws_know_neither_batch_nor_count(trained, method):
    model, x, _, _ = trained[method]
    draws = model.sample_outputs(x[:8], 4, seed=1)
    # Not the first row: noise of its own would agree there by its order.
    alone = model.sample_outputs(x[7:8], 4, seed=1)
    padded = model.sample_outputs(
        np.concatenate([np.zeros_like(x[:5]), x[:8]]), 4, seed=1)
    # Products of other sizes may add up in another order: one digit of the largest.
    rounding = 1e-6 + 2.0**-23 * np.abs(draws).max()
    np.testing.assert_allclose(alone, draws[:, 7:], rtol=0, atol=rounding)
    np.testing.assert_allclose(padded[:, 5:], draws, rtol=0, atol=rounding)
    np.testing.assert_allclose(
        model.sample_outputs(x[:8], 2, seed=1), draws[:2], rtol=0, atol=rounding)


@pytest.mark.slow
@pytest.mark.parametrize("method", DRAWS)
def test_draws_in_parts_are_the_draws(trained, method):
    """Also the last part, which draws past the end follow."""
    model, x, _, _ = trained[method]
    size, key = model.draw_group, noise.key(1, noise.PREDICT)
    count = 2 * size + 1

    @tf.function
    def parts(rows):
        part = streaming.parts_of_draws(model, rows, count, key)
        return tf.concat([part(tf.constant(first), size)
                          for first in (0, size, 2 * size)], axis=0)[:count]

    draws = model.draw(tf.constant(x[:8]), count, key)
    np.testing.assert_allclose(parts(tf.constant(x[:8])), draws, rtol=0,
                               atol=1e-6 + 2.0**-23 * np.abs(draws).max())


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_file_with_fixed_draws_answers_alike(trained, method, tmp_path):
    """One that can be written; the others say why not."""
    model, x, _, _ = trained[method]
    path = tmp_path / "model.tflite"
    if method not in LABELS:
        with pytest.raises(ValueError, match="predicts labels"):
            model.export(path, format="litert")
        return
    _check_applies(method, "portable")
    model.export(path, format="litert", num_samples=2, seed=5)
    found = portable.answers(path, "litert", x[:7])
    for name, right in model.predict_uncertainty(x[:7], 2, seed=5).measures().items():
        np.testing.assert_allclose(found[name], right, 1e-4, 1e-4, err_msg=name)


@pytest.mark.parametrize("method", _some(DRAWS, SISTERS))
def test_seed_decides_the_draws(trained, method):
    model, x, _, _ = trained[method]
    draws = model.sample_outputs(x[:8], 4, seed=1)
    np.testing.assert_array_equal(model.sample_outputs(x[:8], 4, seed=1), draws)
    other = np.asarray(model.sample_outputs(x[:8], 4, seed=2))
    # A method without draws, or with stored ones, says the same to all seeds.
    spread = np.ptp(np.asarray(draws), axis=0).max()
    same = model.stores_draws or spread == 0.0
    assert np.allclose(other, draws) == same


@pytest.mark.parametrize("method", _some(LABELS, HEAVY))
def test_num_data_weighs_the_prior_and_nothing_is_traced_twice(method):
    config = _with_sgd(_without_noise(_config(method)), 0.0)
    if "prior_scale" in config.method:
        config.method.prior_scale = 0.1
    x, y = (part[:64] for part in runs.load_data(config)["train"])
    model = runs.load_model(config, x.shape[1:])
    traces = []
    draw, step = model.draw, model.train_step
    model.draw = lambda *args: traces.append("draw") or draw(*args)
    model.train_step = lambda data: traces.append("step") or step(data)

    def cycle(num_data):
        model.optimizer.iterations.assign(0)  # The same noise.
        logs = model.fit(x, y, batch_size=32, num_data=num_data, verbose=0,
                         **_side(model, config)).history
        model.evaluate(x, y, batch_size=32, verbose=0)
        model.predict(x, batch_size=32, verbose=0)
        model.predict_uncertainty(x, num_samples=3, seed=1)
        return logs

    logs = {100: cycle(100)}
    traces.clear()
    logs[1000] = cycle(1000)
    model.predict_uncertainty(x, num_samples=5, seed=2)
    assert traces == []
    if method == "pac_bayes":  # The KL stands under a root there.
        assert logs[100]["loss"][0] > logs[1000]["loss"][0]
        return
    if not model.needs_num_data:
        assert logs[100] == logs[1000]
        return
    # Terms that are no prior are logged beside it.
    gaps = {n: log["loss"][0] - log["nll"][0] - log.get("alignment", [0.0])[0]
            for n, log in logs.items()}
    assert gaps[1000] > 0
    np.testing.assert_allclose(gaps[100], 10 * gaps[1000], rtol=1e-3)


@pytest.mark.parametrize("method", _some(LABELS, SISTERS))
def test_bad_labels_are_refused_before_training(trained, method, tmp_path):
    config = _config(method)
    x, y = runs.load_data(config)["train"]
    model = runs.load_model(config, x.shape[1:])
    before = [w.numpy() for w in model.weights]
    missing = x.copy()
    missing[3, 0] = np.nan
    for inputs, targets, words in (
            (x, y[:-1], "as many targets"),
            (x, y + 1, "class indices from 0 to 9"),
            (x, -y - 1, "class indices from 0 to 9"),
            (x, 2.0 * np.eye(10)[y], "class probabilities.*whose sum is 1"),
            (x, None, "targets")):
        with pytest.raises(ValueError, match=words):
            model.fit(inputs, targets, checkpoint_dir=tmp_path / "c", verbose=0)
    assert not (tmp_path / "c").exists()
    for old, new in zip(before, model.weights, strict=True):
        np.testing.assert_array_equal(old, new)
    model, *_ = trained[method]
    with pytest.raises(ValueError, match="num_samples=0"):
        model.sample_outputs(x, 0)
    with pytest.raises(ValueError, match="finite inputs.*index 3"):
        model.predict_uncertainty(missing)
    with pytest.raises(ValueError, match="class indices"):
        model.evaluate(x, y + 1, verbose=0)


@pytest.mark.parametrize("path", _some(CONFIGS, {
    path for path in CONFIGS if "wide_resnet" in path or path == "cifar10/dbsn.py"}))
def test_configs_build(path):
    """Symbolically: the network and the method of every config fit."""
    config = runs.filled(runs.read_config(path))
    if "world" in config:
        world = runs.load_world(config)
        runs.load_model(config, world.observation_shape).build_for(world)
        return
    if not issubclass(registry.find(config.method.type), PredictiveModel):
        runs.load_model(config, SHAPES[config.data.name])
        return
    if "allow_untrained" in config.method:  # There is no file to start from.
        config.method.allow_untrained = True
    network = registry.build(config.network.to_dict(),
                             input_shape=SHAPES[config.data.name])
    model = runs.load_model(config, SHAPES[config.data.name], target_std=1.0)

    def count(part):
        return sum(w.shape.num_elements() for w in part.trainable_variables)

    if config.method.type == "BayesAdapter":  # Scales are beside the means.
        means = sum(w.mean.shape.num_elements() for w in decay.weights(model.network))
        assert means == count(network)
        return
    members = config.method.get("num_members", config.method.get("num_chains", 1))
    assert count(model.network) == members * count(network)
