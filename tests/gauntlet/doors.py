"""The seven doors: what a user does with a network, and what must hold then.

A door takes a `Network`, makes a model of it, compares it with the network, trains it
for two steps, and returns it. `SAMPLES` draws are asked for.
"""

import contextlib
import inspect
import io
import logging

import keras
import numpy as np

import bdlzoo
from bdlzoo.core import keras_internals
from bdlzoo.evaluation.adopted import adopted as adopt
from bdlzoo.methods import (
    SGLD,
    BayesAdapter,
    DeepEnsemble,
    MCDropout,
    MeanFieldVI,
)
from tests.gauntlet import checks

SAMPLES = 2
MANY = 8  # Draws that differ: two masks of a few units may be equal by chance.
SEED = 5


def enter(net, door, eager=False):
    """Takes a network through a door.

    Args:
        net: `Network`.
        door: Name of the door.
        eager: Bool, whether training runs without graphs, and `predict` not at all,
            which saves the time of tracing them.

    Returns:
        The trained model, what it predicts (mean and draws), and facts for the page.
    """
    with _warnings() as messages:
        model, facts = _DOORS[door](net, eager)
        draws = model.sample_outputs(net.inputs, SAMPLES, seed=SEED)
    mean = np.asarray(model.predict_uncertainty(net.inputs).mean)
    if not eager:
        _close(net, model.predict(net.inputs, verbose=0), mean,
                     "predict beside predict_uncertainty")
    if door == "adopted":
        checks.agree(draws)
    elif door in ("deep_ensemble", "from_models", "sgld"):
        checks.differ(draws)
    elif door != "mc_dropout" or net.drops and net.unreached is None:
        checks.differ(model.sample_outputs(net.inputs, MANY, seed=SEED))
    elif net.unreached is None:
        checks.agree(draws)
        checks.warned([model.network.name], messages)
        facts["lacks"] = "no dropout: a warning says that all draws are equal"
    elif np.allclose(draws[0], draws[1]):
        checks.warned([net.unreached], messages)
        facts["note"] = f"a warning names `{net.unreached}`, which draws do not reach"
    return model, {"mean": mean, "draws": np.asarray(draws)}, facts


def _mc_dropout(net, eager):
    still = checks.quiet(_built(net))
    masked = MCDropout(still, net.likelihood, num_samples=SAMPLES, seed=1)
    wanted = checks.outputs(still, net.few(3))
    for draw in masked.sample_outputs(net.few(3), SAMPLES):
        _close(net, draw, wanted, "draw with masks off beside the network")
    network = net.seeded()
    model = MCDropout(network, net.likelihood, num_samples=SAMPLES, seed=1)
    _train(model, net, eager)
    plain = _built(net)
    checks.complete(model.network, plain)
    plain.set_weights(network.get_weights())
    _close(net, checks.outputs(network, net.inputs), checks.outputs(plain, net.inputs),
                 "network outside of draws beside a plain one")
    return model, {}


def _bayesianize(net, eager):
    network = _built(net)
    still = checks.quiet(bdlzoo.bayesianize(network, verbose=False, init_scale=1e-8))
    wanted = checks.outputs(network, net.few(3))
    narrow = MeanFieldVI(still, net.likelihood, num_samples=SAMPLES, seed=1)
    for draw in narrow.sample_outputs(net.few(3), SAMPLES):
        _close(net, draw, wanted, "draw with scales at zero beside the network")
    _close(net, checks.outputs(still, net.few(3)), wanted, "means beside the network")
    with contextlib.redirect_stdout(io.StringIO()) as report:
        twin = bdlzoo.bayesianize(network)
    assert "have a posterior" in report.getvalue(), "no report of what was converted"
    checks.kept(twin, network, net.keeps)
    model = MeanFieldVI(twin, net.likelihood, num_samples=SAMPLES, seed=1)
    _train(model, net, eager)
    uncertain = sum(int(np.prod(layer.kernel.shape))
                    for layer in keras_internals.layers(twin)
                    if hasattr(layer, "kernel_scale"))
    return model, {"posterior": uncertain / network.count_params()}


def _deep_ensemble(net, eager):
    model = DeepEnsemble(net.seeded(), net.likelihood, num_members=SAMPLES, seed=1)
    _train(model, net, eager)
    network = _built(net)
    checks.complete(model.network, network, SAMPLES)
    draws = model.sample_outputs(net.inputs, SAMPLES)
    for index, draw in enumerate(draws):
        member = model.member(index)
        checks.kept(member, network, net.keeps)
        _close(net, checks.outputs(member, net.inputs), draw,
                     f"member {index} beside its draw")
    return model, {}


def _from_models(net, eager):
    models = [_built(net, seed) for seed in range(SAMPLES)]
    wanted = [checks.outputs(model, net.inputs) for model in models]
    model = DeepEnsemble.from_models(models, net.likelihood, seed=1)
    draws = model.sample_outputs(net.inputs, SAMPLES)
    for index, draw in enumerate(draws):
        _close(net, draw, wanted[index], f"member {index} beside its model")
    _train(model, net, eager)
    checks.complete(model.network, models[0], SAMPLES)
    for index, old in enumerate(models):
        _close(net, checks.outputs(old, net.inputs), wanted[index],
                     "model that was given, after training of the ensemble")
        checks.kept(model.member(index), old, net.keeps)
    return model, {}


def _sgld(net, eager):
    model = SGLD(net.seeded(), net.likelihood, num_kept=SAMPLES, seed=1)
    _train(model, net, eager, keras.optimizers.SGD(1e-2))
    network = _built(net)
    checks.complete(model.network, network)
    draws = model.sample_outputs(net.inputs, SAMPLES)
    for index, draw in enumerate(draws):
        sample = model.sample(index)
        checks.kept(sample, network, net.keeps)
        _close(net, checks.outputs(sample, net.inputs), draw,
                     f"sample {index} beside its draw")
    return model, {}


def _bayes_adapter(net, eager):
    network = _built(net)
    wanted = checks.outputs(network, net.few(3))
    narrow = BayesAdapter(network, net.likelihood, log_scale=(-30.0, -30.0), seed=1)
    for draw in narrow.sample_outputs(net.few(3), SAMPLES):
        _close(net, draw, wanted, "draw with scales at zero beside the network")
    model = BayesAdapter(network, net.likelihood, num_samples=SAMPLES, seed=1)
    checks.kept(model.network, network, net.keeps)
    _train(model, net, eager)
    _close(net, checks.outputs(network, net.few(3)), wanted,
                 "network that was given, after training of the model")
    return model, {}


def _adopted(net, eager):
    network = _built(net)
    network.compile(loss=_loss(net))
    wanted = checks.outputs(network, net.inputs)
    # The likelihood can be said where the network does not show it.
    words = inspect.signature(adopt).parameters
    options = {"likelihood": net.likelihood} if "likelihood" in words else {}
    model = adopt(network, net.inputs, **options)
    model.run_eagerly = eager
    _close(net, model.predict_uncertainty(net.inputs).mean,
                 checks.answer(wanted, net.likelihood), "prediction beside the network")
    checks.finite(model.evaluate(net.inputs, net.targets, verbose=0, return_dict=True))
    return model, {}


_DOORS = {"mc_dropout": _mc_dropout, "bayesianize": _bayesianize,
          "deep_ensemble": _deep_ensemble, "from_models": _from_models, "sgld": _sgld,
          "bayes_adapter": _bayes_adapter, "adopted": _adopted}


def _close(net, found, wanted, what):
    checks.close(found, wanted, what, net.tolerance)


def _built(net, seed=0):
    """A network with weights as after training: none is where it started."""
    network = net.seeded(seed)
    checks.outputs(network, net.few(3))  # Some are built by their first call.
    noise = np.random.default_rng(seed)
    for weight in network.trainable_variables:
        value = keras.ops.convert_to_numpy(weight)
        weight.assign(value + 0.05 * noise.normal(size=value.shape))
    return network


def _train(model, net, eager, optimizer="adam"):
    """Two steps, and a look at the same rows."""
    model.compile(optimizer, steps_per_execution=1, run_eagerly=eager)
    start = _Start()
    history = model.fit(net.inputs, net.targets, batch_size=8, verbose=0,
                        validation_data=(net.inputs, net.targets),
                        callbacks=[start]).history
    checks.finite(history)
    checks.moved(model, start.weights)


class _Start(keras.callbacks.Callback):
    """Remembers the weights before the first step."""

    def on_train_begin(self, logs=None):
        self.weights = [keras.ops.convert_to_numpy(w)
                        for w in self.model.trainable_variables]


def _loss(net):
    """The loss of Keras that a user of this network had."""
    spec = net.likelihood if isinstance(net.likelihood, dict) else {
        "type": net.likelihood}
    logits = spec.get("from_logits", True)
    if spec["type"] == "bernoulli":
        return keras.losses.BinaryCrossentropy(from_logits=logits)
    if spec["type"] != "categorical":
        return "mse"
    one_hot = net.targets.dtype.kind == "f"
    kind = (keras.losses.CategoricalCrossentropy if one_hot
            else keras.losses.SparseCategoricalCrossentropy)
    return kind(from_logits=logits)


@contextlib.contextmanager
def _warnings():
    """Messages of warnings that the zoo logs inside."""
    messages = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: messages.append(record.getMessage())
    logger = logging.getLogger("absl")
    logger.addHandler(handler)
    try:
        yield messages
    finally:
        logger.removeHandler(handler)
