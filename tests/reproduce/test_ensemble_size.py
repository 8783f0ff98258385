"""The scores of first members are those of ensembles of that size."""

from tools.reproduce import ensemble_size


def test_scores_by_size_on_digits(monkeypatch):
    seen, scores_of = [], ensemble_size._scores

    def watched(model, draws, y):
        seen.append(len(draws))
        return scores_of(model, draws, y)

    monkeypatch.setattr(ensemble_size, "_scores", watched)
    scores = ensemble_size.run(name="digits", num_members=3, steps=30, limit=512,
                               batch_size=64, network="MLP")
    assert seen == [1, 2, 3, 1, 1, 1]  # The first ones together, then each alone.
    assert scores["nll"] == scores["nll_3"] < scores["nll_member"]  # By Jensen.
    assert scores["accuracy"] > 0.5
    assert {f"{m}_{k}" for m in ("accuracy", "nll", "ece")
            for k in (1, 2, 3)} <= scores.keys()
