"""SDE-Net: its term on the diffusion, which alone it moves."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers import SDEFlow
from bdlzoo.methods import SDENet
from bdlzoo.networks import MLP, SDEMLP

RNG = np.random.default_rng(0)
X = RNG.normal(scale=0.3, size=(256, 2)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")
KEY = noise.key(0, noise.TRAIN)


def _model(network=None, **kwargs):
    network = network or SDEMLP((2,), hidden=(16,), state=8, outputs=2,
                                diffusion="held", diffusion_scale=0.5)
    model = SDENet(network, seed=0, **kwargs)
    model.build((None, 2))
    return model


def test_term_is_the_cross_entropy_of_the_diffusion():
    """A diffusion that is p everywhere: -log(1 - p) - log(p)."""
    model = _model()
    [flow] = model.flows()
    *_, kernel, bias = flow.diffusion.trainable_variables
    kernel.assign(0.0 * kernel)
    for chance in (0.1, 0.7):
        bias.assign([np.log(chance / (1.0 - chance))])
        np.testing.assert_allclose(
            model.ood_loss(X, KEY), -np.log(1 - chance) - np.log(chance), rtol=1e-5)


def test_term_reads_the_states_of_data_and_of_noisy_data():
    model = _model(ood_noise=3.0)
    noisy = X + 3.0 * noise.normal(X.shape, KEY)
    encoder = keras.Model(model.network.input, model.flows()[0].input)
    inside, outside = (model.flows()[0].initial_diffusion(encoder(rows))
                       for rows in (X, noisy))
    np.testing.assert_allclose(
        model.ood_loss(X, KEY),
        -np.mean(np.log(1 - inside)) - np.mean(np.log(outside)), rtol=1e-5)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_term_moves_the_diffusion_alone(dropout):
    model = _model(SDEMLP((2,), hidden=(16,), state=8, outputs=2, dropout=dropout,
                          diffusion="held"))
    [flow] = model.flows()
    moved = {id(w) for w in flow.diffusion.trainable_variables}
    with tf.GradientTape() as tape:
        loss = model.ood_loss(X, KEY)
    variables = model.trainable_variables
    for variable, gradient in zip(variables, tape.gradient(loss, variables)):
        assert (gradient is not None) == (id(variable) in moved)
    assert 0 < len(moved) < len(variables)


def test_diffusion_and_doubt_rise_away_from_the_data():
    model = _model(ood_weight=1.0)
    model.compile(keras.optimizers.Adam(0.01))
    model.fit(X, Y, batch_size=64, epochs=40, verbose=0)
    angles = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
    far = 5.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1).astype("float32")
    encoder = keras.Model(model.network.input, model.flows()[0].input)
    inside, outside = (model.flows()[0].initial_diffusion(encoder(rows)).numpy()
                       for rows in (X, far))
    assert inside.mean() < 0.3 < 0.9 < outside.min()
    scatter = [np.std(model.sample_outputs(rows, 50), axis=0).mean()
               for rows in (X, far)]
    assert scatter[1] > 2.0 * scatter[0]


def test_loss_is_the_likelihood_and_the_weighed_term():
    weighed, _ = _model(ood_weight=0.5).objective(X, Y, None, KEY)
    np.testing.assert_allclose(
        weighed["loss"], weighed["nll"] + 0.5 * weighed["ood"], rtol=1e-6)
    plain, _ = _model(ood_weight=0.0).objective(X, Y, None, KEY)
    assert "ood" not in plain
    np.testing.assert_allclose(plain["loss"], plain["nll"])


def test_file_round_trip_keeps_the_term(tmp_path):
    model = _model(ood_weight=0.3, ood_noise=1.5)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert (loaded.ood_weight, loaded.ood_noise) == (0.3, 1.5)
    np.testing.assert_allclose(loaded.ood_loss(X, KEY), model.ood_loss(X, KEY),
                               rtol=1e-6)


@pytest.mark.parametrize("wrong", [{"ood_weight": -1.0}, {"ood_noise": 0.0}])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        _model(**wrong)


def test_networks_without_a_held_sigmoid_are_refused():
    for network, words in ((MLP((2,), (4,), 2), "`SDEFlow`"),
                           (SDEMLP((2,), outputs=2), "holds its diffusion")):
        with pytest.raises(ValueError, match=words):
            _model(network)
    flow = SDEFlow(keras.layers.Dense(2), keras.layers.Dense(1, "softplus"),
                   hold_diffusion=True)
    with pytest.raises(ValueError, match="ends in a sigmoid"):
        _model(keras.Sequential([keras.Input((2,)), flow]))
