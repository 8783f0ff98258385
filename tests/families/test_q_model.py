"""Q-networks with a posterior: targets, draws of worlds, and what is trained."""

import inspect
import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import counter_noise, noise
from bdlzoo.families.acting import Acting
from bdlzoo.methods import PosteriorQNetwork
from tests.families import q_cases

ENSEMBLE = {"type": "DeepEnsemble", "num_members": 3}


def _ensemble(**options):
    return q_cases.agent(PosteriorQNetwork, q_cases.network(None), posterior=ENSEMBLE,
                         num_samples=3, **options)


def _plain(**options):
    return q_cases.agent(
        PosteriorQNetwork, q_cases.network(None, kernel=q_cases.table()),
        posterior="Deterministic", num_samples=1, discount=0.5, **options)


def _targets(model, seen, rewards, terminal):
    memory = model.memory_for(q_cases.WORLD)
    memory.target.network.set_weights([q_cases.table(seed=5)])
    return memory.targets(*(np.asarray(part, "float32") for part in (seen, rewards)),
                          np.array(terminal), noise.key(0, noise.TRAIN)).numpy()


def test_targets_are_rewards_and_discounted_values():
    seen = np.eye(9).reshape(9, 3, 3)[[1, 4, 4]]
    online, target = q_cases.table()[[1, 4, 4]], q_cases.table(seed=5)[[1, 4, 4]]
    rewards, terminal = np.array([1.0, 2.0, 3.0]), [False, False, True]
    [plain] = _targets(_plain(double=False), seen, rewards, terminal)
    np.testing.assert_allclose(plain, rewards + [
        0.5 * target[0].max(), 0.5 * target[1].max(), 0.0], rtol=1e-5)
    [double] = _targets(_plain(), seen, rewards, terminal)
    chosen = target[np.arange(3), online.argmax(axis=1)]
    np.testing.assert_allclose(double, rewards + [
        0.5 * chosen[0], 0.5 * chosen[1], 0.0], rtol=1e-5)
    assert (plain >= double - 1e-6).all()


@pytest.mark.parametrize("place, words", [(0, "observations"), (1, "rewards")])
def test_numbers_of_a_world_that_are_none_end_the_training(place, words, monkeypatch):
    model = _plain()
    batch = model._batch

    def wrong(memory, step):
        found = list(batch(memory, step))
        if step == 2:
            found[place][3] = np.nan
        return tuple(found)

    monkeypatch.setattr(model, "_batch", wrong)
    with pytest.raises(ValueError, match=f"finite {words}.*batch 2, row 3"):
        model.fit(q_cases.WORLD, episodes=20, verbose=0)


@pytest.mark.parametrize("resample", ["episode", "step"])
def test_no_two_things_are_drawn_by_one_number(resample, monkeypatch):
    """Actions and draws of episodes, seeds of worlds, and rows of the replay."""
    made, words = {}, counter_noise.words

    def recorded(seeds, *counters):
        found = words(seeds, *counters)
        used = inspect.currentframe().f_back
        while used.f_code.co_filename == counter_noise.__file__:
            used = used.f_back
        made.setdefault(used.f_code.co_qualname, set()).update(np.ravel(found).tolist())
        return found

    monkeypatch.setattr(counter_noise, "words", recorded)
    model = _ensemble(resample=resample)
    acting = Acting(q_cases.WORLD, 1, model.memory_for(q_cases.WORLD))
    for step in range(4):
        model.collect(acting, step)
    assert {"Replay.draw", "QModel.explore", "QModel.random_actions",
            "SideBySide._seeds"} <= made.keys()
    for one, other in itertools.combinations(made, 2):
        assert not made[one] & made[other], (one, other)


def test_targets_are_drawn_by_a_key_that_no_step_of_training_has():
    model, keys = _ensemble(), []
    acting = Acting(q_cases.WORLD, 1, model.memory_for(q_cases.WORLD))
    targets = acting.memory.targets

    def recorded(*parts):
        keys.append(int(parts[-1][0]))
        return targets(*parts)

    acting.memory.targets = recorded
    for step in range(3):
        model.collect(acting, step)
    steps = set()
    for step in range(3):
        model.optimizer.iterations.assign(step)
        steps |= {int(key[0]) for key in model.step_keys()}
    assert len(set(keys)) == 3 and not steps & set(keys)


def test_target_network_is_a_copy_that_is_renewed_at_times():
    model = _plain(target_every=2)
    acting = Acting(q_cases.WORLD, 1, model.memory_for(q_cases.WORLD))
    target, online = acting.memory.target, model.posterior
    model.collect(acting, 0)
    online.network.set_weights([q_cases.table(seed=7)])
    for step, equal in ((1, False), (2, True)):
        model.collect(acting, step)
        assert np.array_equal(*(part.network.get_weights()[0]
                                for part in (target, online))) == equal
    # It is no part of the model: no weight of it is trained or saved.
    assert len(model.trainable_variables) == 1


def test_no_gradient_flows_through_the_target():
    model = _plain()
    acting = Acting(q_cases.WORLD, 1, model.memory_for(q_cases.WORLD))
    x, y = model.collect(acting, 0)
    with tf.GradientTape() as tape:
        logs, _ = model.objective(tf.constant(x), tf.constant(y), None,
                                  noise.key(0, noise.TRAIN))
    [kernel] = model.trainable_variables
    slope = tape.gradient(logs["loss"], kernel).numpy()
    expected = np.zeros((9, 2))
    places = x.reshape(len(x), -1).argmax(axis=1)
    actions = y[:, 0].astype(int)
    np.add.at(expected, (places, actions), (
        q_cases.table()[places, actions] - y[:, 1]) / len(x))
    np.testing.assert_allclose(slope, expected, atol=1e-5)


def test_members_have_targets_of_their_own():
    model = _ensemble(discount=0.5, double=False)
    acting = Acting(q_cases.WORLD, 1, model.memory_for(q_cases.WORLD))
    x, y = model.collect(acting, 0)
    assert x.shape == (16, 3, 3, 3) and y.shape == (16, 3, 2)
    drawn = acting.memory.replay.draw(16, 0)
    for member in range(3):
        values = model.posterior.member(member)(drawn["later"]).numpy().max(axis=1)
        np.testing.assert_allclose(y[:, member, 1], drawn["rewards"] + 0.5 * np.where(
            drawn["terminal"], 0.0, values), rtol=1e-4, atol=1e-6)
    mean = _ensemble(target="mean")
    x, y = mean.collect(Acting(q_cases.WORLD, 1, mean.memory_for(q_cases.WORLD)), 0)
    assert x.shape == (16, 3, 3) and y.shape == (16, 2)


def test_each_world_acts_by_the_member_of_its_episode():
    model = _ensemble(resample="episode")
    seen = np.eye(9, dtype="float32").reshape(9, 3, 3)
    numbers = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8])
    found = model._explored(seen, tf.constant(numbers)).numpy()
    for row, number in enumerate(numbers):
        member = model.posterior.member(int(number) % 3)
        np.testing.assert_allclose(found[row], member(seen[row:row + 1])[0], rtol=1e-5)


@pytest.mark.parametrize("resample", ["episode", "step"])
def test_draw_stays_for_an_episode_or_a_step(resample):
    model = _ensemble(resample=resample)
    acting = Acting(q_cases.WORLD, 1, model.memory_for(q_cases.WORLD))
    running, numbers = acting.memory.running, []
    model._explored = lambda seen, drawn: numbers.append(drawn.numpy()) or tf.zeros(
        [4, 2])
    for _ in range(4):
        running.step(model.explore(running.observe(), running, acting))
    assert np.array_equal(numbers[0], numbers[1]) == (resample == "episode")
    assert not np.array_equal(numbers[2], numbers[3])  # Episodes have three steps.
    assert len(set(numbers[0].tolist())) == 4


def test_beliefs_are_those_of_the_draws():
    model = _ensemble()
    seen = np.eye(9, dtype="float32").reshape(9, 3, 3)
    values = np.stack([model.posterior.member(m)(seen) for m in range(3)])
    choice = model.act(seen, seed=4)
    np.testing.assert_allclose(choice.values, values.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(choice.spread, values.std(axis=0), rtol=1e-4)
    np.testing.assert_allclose(choice.probabilities[:, 1],
                               (values[..., 1] > values[..., 0]).mean(axis=0))
    acted = [np.array_equal(choice.action, each.argmax(axis=-1)) for each in values]
    assert any(acted)
    greedy = model.act(seen, greedy=True)
    np.testing.assert_array_equal(greedy.action, values.mean(axis=0).argmax(axis=1))


def test_samplers_and_variational_posteriors_train():
    for made, spec, optimizer in (
            (q_cases.network(None), {"type": "SGLD", "num_kept": 4, "thinning": 1},
             keras.optimizers.SGD(0.01)),
            (q_cases.network(0.1), {"type": "AlphaDivergenceDropout"}, "adam")):
        model = q_cases.agent(PosteriorQNetwork, made, posterior=spec, num_samples=4)
        model.compile(optimizer)
        logs = model.fit(q_cases.WORLD, episodes=8, epochs=2, verbose=0).history
        assert np.isfinite(logs["loss"]).all() and logs["world_steps"][-1] >= 24
        assert float(model.posterior.num_data) == logs["world_steps"][-1]


def test_saved_agent_acts_the_same(tmp_path):
    model = _ensemble()
    seen = np.eye(9, dtype="float32").reshape(9, 3, 3)
    model.fit(q_cases.WORLD, episodes=8, epochs=1, verbose=0)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    for one, other in zip(model.act(seen, seed=1), loaded.act(seen, seed=1)):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert loaded.spec == model.spec


@pytest.mark.parametrize("options, words", [
    ({"resample": "never"}, "resample='never'"), ({"target": "best"}, "target='best'"),
    ({"num_worlds": 0}, "num_worlds=0"), ({"posterior": "VAE"}, "not take"),
    ({"posterior": "Nothing"}, "Nothing")])
def test_wrong_arguments_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        PosteriorQNetwork(q_cases.network(), **options)
