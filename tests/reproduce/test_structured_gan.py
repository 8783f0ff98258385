"""The experiment with few labels, on bundled data and with few steps."""

import pytest

from tools.reproduce.structured_gan import METHODS, TABLES, run, spec_of, trained

SMALL = dict(name="digits", labels=20, num_steps=4, pretrain_steps=2, batch_size=20,
             labelled_batch=10, latent=2, stages=((4,), (4,)), hidden=(8,),
             pair_hidden=(8,), style_hidden=(8,), filters=(), num_train=300)


def test_scores_are_those_of_classes_and_of_what_is_made():
    found = run(seed=0, judge_epochs=1, **SMALL)
    assert set(TABLES[0].metrics) < set(found)
    for name in ("error", "controllability", "transfer", "leak"):
        assert 0 <= found[name] <= 1
    assert found["frechet"] > 0 and found["diversity"] >= 0


@pytest.mark.parametrize("method", ["supervised", "teacher"])
def test_without_a_game_there_is_only_an_error(method):
    found = run(seed=0, method=method, **SMALL)
    assert list(found) == ["error"] and 0 <= found["error"] <= 1


def test_teacher_has_the_rows_and_the_network_of_the_others():
    teacher, other = (trained(0, method, **SMALL) for method in (
        "teacher", "supervised"))
    shapes = [[w.shape for w in model.network.weights] for model in (teacher, other)]
    assert shapes[0] == shapes[1]
    assert teacher.labelled_batch == other.labelled_batch == 10
    assert int(teacher.optimizer.iterations) == int(other.optimizer.iterations) == 4


def test_lines_differ_in_what_is_trained():
    found = {method: spec_of(method, 90, 10) for method in METHODS
             if method != "teacher"}

    def where(test):
        return {method for method, spec in found.items() if test(spec)}

    assert where(lambda spec: spec["pretrain_steps"] == 90) == {"supervised", "entropy"}
    assert where(lambda spec: spec.get("entropy_weight") == 0) == {
        "supervised", "labelled_gan"}
    assert where(lambda spec: spec.get("style_weight") == 0) == {
        "labelled_gan", "triple"}
    assert where(lambda spec: spec["pseudo_share"] == 0) == {"labelled_gan"}
    rise = found["structured"]["pseudo_share"]
    assert (rise.start, rise.length, rise.peak) == (10, 30, 0.8)


def test_tables_have_the_published_errors():
    values = {row.label: row.published.get("error")
              for table in TABLES for row in table.rows}
    assert values["structured GAN"] == 0.0089
    assert values["structured GAN, 20 labels"] == 0.04
    assert values["structured GAN, 50 labels"] == 0.0129
    assert values["GAN with a classifier, no style"] == 0.0092
