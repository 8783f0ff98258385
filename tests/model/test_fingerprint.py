"""Fingerprints: the same in every process, other ones for other models."""

import json

import keras
import pytest

from bdlzoo.methods import Deterministic
from bdlzoo.model import fingerprint
from bdlzoo.networks import MLP


def _model(hidden=(4,), **settings):
    model = Deterministic(MLP((2,), hidden, 2), seed=0, **settings)
    model.compile("adam")
    model.build((None, 2))
    return model


def test_names_that_keras_counts_up_do_not_matter():
    first, second = (fingerprint.fingerprint(_model()) for _ in range(2))
    assert json.loads(json.dumps(first)) == json.loads(json.dumps(second))


def test_short_form_fits_into_the_header_of_a_sample_file():
    first, other = fingerprint.short(_model()), fingerprint.short(_model((5,)))
    assert len(json.dumps(first)) < 250
    assert first["network"] != other["network"]
    assert {**first, "network": 0} == {**other, "network": 0}


def test_facts_that_a_file_lacks_are_not_compared():
    here = fingerprint.fingerprint(_model())
    fingerprint.check({"seed": 0}, here, "file")
    with pytest.raises(ValueError, match=r"seed \(1 there, 0 here\)"):
        fingerprint.check({"seed": 1}, here, "file")


def test_rates_are_those_that_a_callback_can_change():
    model = _model()
    assert fingerprint.rates(model) == {"optimizer": pytest.approx(1e-3)}
    model.compile(keras.optimizers.SGD(
        keras.optimizers.schedules.CosineDecay(0.1, 10)))
    assert fingerprint.rates(model) == {}
