"""Questions of a run: models without an answer say nothing, or refuse."""

import pytest

from bdlzoo.model.run_hooks import RunHooks


class _Agent(RunHooks):
    instead = {"predict_uncertainty": "`act`"}


def test_model_without_an_answer_has_nothing_to_show():
    model = _Agent()
    assert model.facts() == model.findings() == model.pictures(None) == {}
    assert model.after_fit("train", "validation") is None


def test_options_without_a_reader_are_refused():
    with pytest.raises(ValueError, match=r"_Agent has no step after.*'draws': 3"):
        _Agent().after_fit(None, draws=3)


def test_refusal_names_the_word_the_model_and_what_to_use():
    error = _Agent().refusal("predict_uncertainty")
    assert isinstance(error, ValueError)
    assert str(error) == ("Expected a model that has `predict_uncertainty`: a _Agent "
                          "has not. Use `act`.")
    assert str(_Agent().refusal("export")).endswith("has not.")
