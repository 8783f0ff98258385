"""No two things that a model draws come from one stream of noise.

A stream is meant to be drawn again in two cases only, and both are listed here: by
each replica, where the noise goes into weights that all replicas share; and by a layer
that is called twice in one draw, since a draw is one network.
"""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import runs
from bdlzoo.core import noise
from bdlzoo.families.acting import Acting
from bdlzoo.layers import DenseFlipout
from bdlzoo.surgery import conversion
from bdlzoo.surgery.stacked_network import StackedNetwork
from tests import test_contract as contract
from tests.recorded_streams import recorded

_CHAINS = "the noise of a chain moves weights that all replicas hold"
# Streams that replicas share, and why.
SHARED = {
    "adversarial_posterior_distillation": _CHAINS + ", and so do the steps of its GAN",
    "bayesian_dark_knowledge": _CHAINS, "cyclical_sgmcmc": _CHAINS,
    "preconditioned_sgld": _CHAINS, "sghmc": _CHAINS, "sgld": _CHAINS,
    "dbsn": "replicas train weights under one structure",
    "degp": "replicas compare functions at the same points"}
AGENTS = [method for method in contract.METHODS if contract._acts(method)]
# Streams that a replica draws again, and why.
TWICE = {"dbsn": "the divergence of a structure is that at the draw of the step",
         "semi_supervised_vae": "the class that learns is that which was compared"}


def _options(method, draws):
    """The smoke config of a method, with so many draws in a step."""
    config = contract._config(method)
    if method in contract.LABELS:
        with config.unlocked(), config.ignore_type():
            config.method.num_train_samples = draws
    return config


@pytest.mark.slow
@pytest.mark.parametrize("method", [
    method for method in contract.METHODS if method not in AGENTS])
@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize("draws", [1, 3])
def test_no_stream_is_used_twice(monkeypatch, method, replicas, draws):
    """Two steps of training, and a prediction of labels."""
    config = _options(method, draws)
    strategy = tf.distribute.get_strategy() if replicas == 1 else (
        tf.distribute.MirroredStrategy(
            ["CPU:0", "CPU:1"], tf.distribute.ReductionToOneDevice()))
    x = runs.load_data(config)["train"].x
    with recorded(monkeypatch) as found, strategy.scope():
        model = runs.load_model(config, x.shape[1:], steps_per_execution=1)
        model.build_once(tf.constant(x[:32]))
        data, side = contract._rows(model, config), contract._side(model, config)
        if not side:  # In whole batches.
            data = [tf.data.Dataset.from_tensor_slices(data).batch(
                32, drop_remainder=True).repeat()]
        found.clear()
        model.fit(*data, batch_size=32 if side else None, num_data=len(x),
                  steps_per_epoch=2, shuffle=False, verbose=0, **side)
        shared, again = found.on(0) & found.on(1), found.repeated()
        print(f"{method}, {replicas} replicas, {draws} draws: {len(found)} in steps, "
              f"{len(set(found))} apart, {len(shared)} shared", end=", ")
    before = {use.stream for use in found}
    with recorded(monkeypatch) as found:
        if method in contract.LABELS:
            model.sample_outputs(x[:8], draws, seed=model.seed)
    print(f"{len(found)} in a prediction")
    assert bool(shared) == (replicas == 2 and method in SHARED)
    assert bool(again) == (method in TWICE)
    assert len(found) == len(set(found))
    assert not before & {use.stream for use in found}


@pytest.mark.slow
@pytest.mark.parametrize("method", AGENTS)
def test_agents_act_and_learn_by_streams_apart(monkeypatch, method):
    """Acting may draw one network again, for all steps of an episode."""
    config = contract._config(method)
    world = runs.load_world(config)
    with recorded(monkeypatch) as found:
        model = runs.load_model(config, world.observation_shape, steps_per_execution=1)
        acting, learnt, acted = Acting(world, 1, model.memory_for(world)), [], []
        for step in range(3):
            begin = len(found)
            batch = model.collect(acting, step)
            middle = len(found)
            model.train_step(tuple(tf.constant(part) for part in batch))
            acted += found[begin:middle]
            learnt += found[middle:]
    print(f"{method}: {len(set(acted))} streams of acting, {len(learnt)} of learning")
    assert len(learnt) == len(set(learnt))
    assert not {use.stream for use in acted} & {use.stream for use in learnt}


def test_replicas_of_a_dropout_network_share_no_mask(monkeypatch):
    """Four replicas and three layers: twelve streams, and no more than twelve uses."""
    network = keras.Sequential([keras.Input((4,)), *(
        part for _ in range(3)
        for part in (keras.layers.Dense(4), keras.layers.Dropout(0.5)))])
    conversion.adopt(network)
    step = noise.key(0, noise.TRAIN, 7)
    with recorded(monkeypatch) as found:
        for replica in range(4):
            with noise.draws(noise.fold_in(step, 1 + replica)):
                network(np.ones((2, 4), "float32"), training=True)
    assert len(found) == len(set(found)) == 12


def test_copies_side_by_side_share_no_noise(monkeypatch):
    """Five networks of three Flipout layers: a kernel, signs in and out for each."""
    network = StackedNetwork(keras.Sequential(
        [keras.Input((4,))] + [DenseFlipout(4) for _ in range(3)]), 5)
    network.build((1, None, 4))
    conversion.adopt(network.plain)
    with recorded(monkeypatch) as found, noise.draws(noise.key(0, noise.TRAIN, 0, 1)):
        network(np.ones((1, 2, 4), "float32"), training=True)
    assert len(found) == len(set(found)) == 5 * 3 * 3
