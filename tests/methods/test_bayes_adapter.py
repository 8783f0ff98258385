"""BayesAdapter: what it starts from, what it optimises, what it refuses."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from absl import logging

from bdlzoo.attacks import UniformNoise
from bdlzoo.core import disagreement, noise
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.families import decay
from bdlzoo.methods.bayes_adapter import BayesAdapter
from bdlzoo.surgery import memory
from tests.families.adapted_cases import X, Y, trained

KEY = noise.key(4)
MIXTURES = ("mixture_of_deltas", "mixture_of_gaussians")


def _model(network=None, **options):
    model = BayesAdapter(network or trained(), seed=0, **{
        "num_members": 3, "log_scale": (-3.0, -2.0), **options})
    model.build((None, 6, 6, 1))
    model.num_data.assign(24.0)
    return model


def _run(model, key, member=None, **scope):
    with noise.draws(key, member=member, **scope):
        return model.network(X, training=True)


def test_loss_is_nll_and_divergence_and_hinge():
    """By hand, from two draws on noise that the same key makes."""
    model = _model(uncertain="UniformNoise", ood_weight=0.7, margin=0.6)
    logs, prediction = model.objective(X, Y, None, KEY)
    own = noise.fold_in(KEY, 1)
    attack = UniformNoise()
    strange = attack.perturb(None, tf.constant(X[:12]), None,
                             noise.fold_in(noise.fold_in(own, 0), 0),
                             **attack.settings())
    pair = []
    for draw in range(2):
        with noise.draws(noise.fold_in(own, 2, draw)):
            pair.append(model.network(strange))
    gap = disagreement.information(ClassPrediction(tf.nn.log_softmax(pair)))
    np.testing.assert_allclose(logs["ood"], np.mean(np.maximum(0.6 - gap, 0)),
                               rtol=1e-5)
    np.testing.assert_allclose(
        logs["nll"], -np.mean(prediction.log_prob(Y)), rtol=1e-5)
    np.testing.assert_allclose(
        logs["loss"], logs["nll"] + model.kl() / 24.0 + 0.7 * logs["ood"], rtol=1e-5)


def test_hinge_moves_means_and_scales_and_not_the_inputs_it_is_about():
    model = _model(uncertain={"type": "FGSM", "epsilon": 0.2})
    with tf.GradientTape() as tape:
        loss = model.ood_loss(tf.constant(X), tf.constant(Y), KEY)
    slopes = tape.gradient(loss, model.trainable_variables)
    # Bayes by backprop of the pair alone: the attack has no gradient of its own.
    strange = model._strange.rows(model.network, X, Y, noise.fold_in(KEY, 0))
    fixed = _model()
    fixed._strange.give(strange)
    fixed._strange.rows = lambda *args: strange
    with tf.GradientTape() as tape:
        again = fixed.ood_loss(tf.constant(X), tf.constant(Y), KEY)
    np.testing.assert_allclose(again, loss, rtol=1e-6)
    for a, b in zip(slopes, tape.gradient(again, fixed.trainable_variables)):
        np.testing.assert_allclose(a, b, atol=1e-6)
    assert all(np.any(slope) for slope in slopes)


def test_features_can_be_what_draws_disagree_on():
    model = _model(uncertain="UniformNoise", disagreement="feature_variance",
                   margin=100.0)
    strange = model._strange.rows(model.network, X, Y, noise.fold_in(KEY, 0))
    pair = []
    for draw in range(2):
        with noise.draws(noise.fold_in(KEY, 2, draw)):
            pair.append(model._encoder(strange))
    expected = 100.0 - np.mean((pair[0] - pair[1]) ** 2)
    np.testing.assert_allclose(model.ood_loss(X, Y, KEY), expected, rtol=1e-5)


def test_feature_variance_is_that_of_the_layer_before_the_last():
    """Of a linear layer on x: the sum of x**2 times the variances."""
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dense(40),
                                keras.layers.Dense(2)])
    network.layers[0].bias.assign(np.ones(40))
    x = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]], "float32")
    model = BayesAdapter(network, seed=0, log_scale=(-1.0, -1.0))
    found = model.feature_variance(x, num_samples=400)
    np.testing.assert_allclose(found, np.exp(-2.0) * np.array([6.0, 10.0]), rtol=0.05)
    # The bias of each unit has a variance too: 1 + 4 + 0 + 1, and 9 + 1.


@pytest.mark.parametrize("posterior", MIXTURES)
def test_members_come_in_turn_and_agree_while_they_are_one(posterior):
    model = _model(posterior=posterior, log_scale=(-20.0, -20.0))
    draws = model.draw(X, 4, KEY)
    np.testing.assert_allclose(draws, np.broadcast_to(trained()(X), (4, 24, 3)),
                               atol=1e-5)
    information = model.likelihood.prediction(draws).mutual_information
    np.testing.assert_allclose(information, 0.0, atol=1e-6)
    assert model.num_samples == 3
    assert model.stores_draws == (posterior == "mixture_of_deltas")
    last = model.network.get_layer("last").members[0]
    last.assign(last.numpy() + np.arange(3.0)[:, None, None])
    draws = model.draw(X, 4, KEY).numpy()
    np.testing.assert_allclose(draws[3], draws[0], atol=1e-5)
    assert np.abs(draws[1] - draws[0]).max() > 0.1


def test_two_members_of_a_pair_are_never_the_same():
    model = _model(posterior="mixture_of_deltas")
    pairs = np.array([[int(m) % 3 for m in model._two_members(noise.key(i))]
                      for i in range(60)])
    assert (pairs[:, 0] != pairs[:, 1]).all()
    assert len({tuple(pair) for pair in pairs}) == 6


@pytest.mark.parametrize("posterior", MIXTURES)
def test_a_member_decays_by_its_share(posterior):
    model = _model(posterior=posterior, weight_decay=0.1)
    model.compile(keras.optimizers.SGD(1.0), keras.optimizers.SGD(1.0))
    last, conv = (model.network.get_layer(name) for name in ("last", "conv"))
    before = last.members[0].numpy(), conv.kernel.numpy()
    model.update([None] * len(model.trainable_variables), KEY)
    np.testing.assert_allclose(last.members[0], (1 - 0.1 / 3) * before[0], rtol=1e-5)
    np.testing.assert_allclose(conv.kernel, 0.9 * before[1], rtol=1e-5)


def test_members_part_by_the_rows_they_see():
    """Without the hinge: a step of training, and draws differ."""
    model = _model(posterior="mixture_of_deltas")
    model.compile(keras.optimizers.SGD(0.5))
    with tf.GradientTape() as tape:
        logs, _ = model.objective(X, Y, None, KEY)
    model.update(tape.gradient(logs["loss"], model.trainable_variables), KEY)
    draws = model.draw(X, 3, KEY).numpy()
    assert np.abs(draws[0] - draws[1]).max() > 1e-2
    assert np.abs(draws[1] - draws[2]).max() > 1e-2


@pytest.fixture(scope="module")
def fitted():
    """Trained by two optimisers, with rows of the user among the uncertain ones."""
    model = BayesAdapter(trained(), seed=0, uncertain=["UniformNoise"], num_samples=4)
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)
    model.compile(keras.optimizers.SGD(1e-3), keras.optimizers.SGD(schedule))
    x_out = np.full((5, 6, 6, 1), 0.5, "float32")
    model.fit(X, Y, batch_size=12, epochs=2, uncertain_inputs=x_out, verbose=0)
    return model


def test_fit_moves_both_groups_and_gets_through_a_file(fitted, tmp_path):
    assert fitted.optimizer.iterations == fitted.scale_optimizer.iterations == 4
    np.testing.assert_allclose(fitted.scale_optimizer.learning_rate, 0.1 / 2**4)
    start = decay.weights(BayesAdapter(trained(), seed=0).network)
    for old, new in zip(start, decay.weights(fitted.network), strict=True):
        assert np.any(old.mean.numpy() != new.mean.numpy())
        assert np.any(old.log_scale.numpy() != new.log_scale.numpy())
    norm = fitted.network.get_layer("norm")
    np.testing.assert_array_equal(norm.moving_mean,
                                  trained().get_layer("norm").moving_mean)
    fitted.save(tmp_path / "m.keras")
    again = keras.saving.load_model(tmp_path / "m.keras")
    assert again.uncertain == ["UniformNoise"] and again.posterior == "mean_field"
    np.testing.assert_allclose(again.scale_optimizer.learning_rate, 0.1 / 2**4)
    np.testing.assert_allclose(again.draw(X, 2, KEY), fitted.draw(X, 2, KEY),
                               atol=1e-6)


def test_new_uncertain_inputs_are_not_those_of_the_last_fit(fitted):
    function = fitted.train_function
    assert function is not None
    with pytest.raises(ValueError, match="shape that the network was made for"):
        fitted.fit(X, Y, uncertain_inputs=np.zeros((5, 3)))
    assert not fitted._strange.give(fitted._strange.given)
    fitted._strange.give(None)


def test_anchors_are_the_trained_weights():
    model = _model(prior_at_trained=True)
    for anchor, weight in zip(model.anchors, decay.weights(model.network), strict=True):
        np.testing.assert_array_equal(anchor, weight.mean)
    assert model.kl() < _model().kl()


def test_short_memory_turns_exemplar_into_flipout(monkeypatch):
    said = []
    monkeypatch.setattr(logging, "warning", lambda *words: said.append(words))
    monkeypatch.setattr(memory, "BUDGET", 4 * 24 * 36 - 1)  # One byte too few.
    model, seen = _model(), []
    model.compile()
    monkeypatch.setattr(BayesAdapter.__mro__[1], "fit", lambda self, x, y, *args: (
        seen.append(model.network.get_layer("conv").crowded)))
    model.fit(X, Y, 24)
    model.fit(X, Y, 23)
    model.fit(tf.data.Dataset.from_tensor_slices((X, Y)).batch(24))
    assert seen == [True, False, True]
    assert len(said) == 2 and "conv" in said[0][-1]


@pytest.mark.parametrize("options, words", [
    (dict(posterior="laplace"), "posterior='laplace'"),
    (dict(posterior="mixture_of_deltas", num_members=1), "num_members=1"),
    (dict(disagreement="entropy"), "disagreement='entropy'"),
    (dict(ood_weight=-1.0), "ood_weight=-1.0"),
    (dict(margin=0.0), "margin=0.0"),
    (dict(uncertain="FGMS"), "Did you mean FGSM"),
    (dict(uncertain="UniformNoise", likelihood="gaussian"), "likelihood of classes"),
    (dict(select="norm"), "layer norm of type BatchNormalization"),
    (dict(select="lats"), "names of layers")])
def test_wrong_requests_are_explained(options, words):
    with pytest.raises(ValueError, match=words):
        _model(**options)


def test_networks_that_cannot_be_adapted_are_refused():
    class Own(keras.Model):
        def build(self, shape):
            self.bias = self.add_weight(name="bias", shape=(2,), initializer="ones")

        def call(self, inputs):
            return inputs + self.bias

    own = Own()
    own.build((None, 2))
    young = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4)])
    for network, words in ((own, "functional or Sequential"),
                           (young, "whose biases are all zero"),
                           (keras.Sequential([keras.layers.Dense(4)]), "no weights"),
                           ("mine.keras", "Keras 3 model as network")):
        with pytest.raises(ValueError, match=words):
            BayesAdapter(network)
    assert BayesAdapter(young, allow_untrained=True).posterior == "mean_field"


@pytest.mark.slow
@pytest.mark.parametrize("posterior", ["mean_field", *MIXTURES])
def test_compiled_saved_and_served_it_is_the_same(posterior, tmp_path):
    """With a kernel for each row, attacks on the fly and BatchNorm."""
    models = []
    for jit in (False, True):
        model = BayesAdapter(trained(), posterior=posterior, num_members=3, seed=0,
                             batch_norm=True, prior_at_trained=True, uncertain=[
                                 "UniformNoise", {"type": "FGSM", "epsilon": 0.1}])
        model.compile(jit_compile=jit)
        batches = tf.data.Dataset.from_tensors((X, Y)).repeat()
        model.fit(batches, steps_per_epoch=2, num_data=24, verbose=0)
        models.append(model)
    for a, b in zip(*(model.weights for model in models), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)
    draws = models[0].sample_outputs(X, 4, seed=5)
    models[0].save(tmp_path / "m.keras")
    again = keras.saving.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(again.sample_outputs(X, 4, seed=5), draws, atol=1e-6)
    np.testing.assert_array_equal(again.anchors[0], models[0].anchors[0])
    served = tf.saved_model.load(models[0].export(tmp_path / "served"))
    found = served.signatures["samples"](
        inputs=tf.constant(X), num_samples=tf.constant([4]),
        seed=tf.constant([[5, 0]]))["samples"]
    np.testing.assert_allclose(found, draws, atol=1e-5)
