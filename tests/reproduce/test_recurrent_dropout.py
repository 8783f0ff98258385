"""The exact posterior of sentences, and the networks that are compared."""

import itertools

import keras
import numpy as np
import pytest

from tools.reproduce import recurrent_dropout
from tools.reproduce.recurrent_dropout import NUM_STATES, Language


def test_posterior_is_the_sum_over_all_paths_of_states():
    language, words = Language(1), np.array([[3, 17, 5], [0, 0, 39]])
    joint = np.zeros((2, recurrent_dropout.NUM_CLASSES))
    for path in itertools.product(range(NUM_STATES), repeat=3):
        emitted = np.prod([language.words[s][words[:, t]]
                           for t, s in enumerate(path)], axis=0)
        first, second, third = path
        moved = language.moves[:, first, second] * language.moves[:, second, third]
        joint += emitted[:, None] * moved / NUM_STATES
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(language.posterior(words), expected, rtol=1e-6)


def test_posterior_is_calibrated_on_sentences_of_its_language():
    language = Language(0)
    words, labels = language.sentences(4000, seed=3)
    posterior = language.posterior(words)
    hits = posterior.argmax(axis=1) == labels
    assert abs(posterior.max(axis=1).mean() - hits.mean()) < 0.02
    assert hits.mean() > 0.5  # Four classes.


def test_kinds_differ_in_their_dropout_alone():
    counts = {kind: recurrent_dropout.network(kind, 0.25, 8).count_params()
              for kind in recurrent_dropout.KINDS}
    assert len(set(counts.values())) == 1
    layers = recurrent_dropout.network("words", 0.25, 8).layers
    assert layers[0].rate == 0.25 and type(layers[1]) is keras.layers.LSTM


@pytest.mark.slow
def test_figures_of_a_short_run_are_those_of_its_predictions():
    found = recurrent_dropout.run(kind="variational", num_train=64, num_test=200,
                                  epochs=2, units=8, rates=(0.25,))
    assert found["rate"] == 0.25 and found["nll_excess"] > 0
    assert 0.9 < found["nll"] < 1.6 and 0 <= found["accuracy"] <= 1


def test_a_wrong_kind_is_refused():
    with pytest.raises(ValueError, match="kind='other'"):
        recurrent_dropout.run(kind="other")
