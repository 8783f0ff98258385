"""Thompson sampling with any posterior of the zoo.

    action = argmax over a of Q_w(s, a),    w ~ posterior, one an episode, or a step
    target = reward + discount * Q_target(s', argmax over a of Q(s', a))

The posterior is a method of the zoo that predicts numbers, and is trained by its own
loss and its own steps: an ensemble, variational inference, a sampler, dropout. It sees
the value of the action that was taken as one Gaussian observation.

Each member of an ensemble, and each chain of a sampler, has targets of its own, made by
itself: what is uncertain later is then uncertain before. Of other posteriors the
targets of a batch are by one draw.

Reference: Osband, Blundell, Pritzel and Van Roy, Deep Exploration via Bootstrapped DQN,
NeurIPS 2016; Riquelme, Tucker and Snoek, Deep Bayesian Bandits Showdown, ICLR 2018.
"""

import keras

from bdlzoo.families.q_model import QModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class PosteriorQNetwork(QModel):
    """Learns values of actions by a posterior, and acts by its draws.

    Args:
        network: Keras model from an observation to values of actions, as the method
            takes it: with dropout layers, with variational layers, or plain.
        posterior: Name of a method of the zoo, or a dictionary with its name as `type`
            and its arguments beside it, but for network and likelihood.
        num_samples: Integer, draws for mean values and for probabilities of actions.
            Of an ensemble or a sampler it is how many members or samples are acted by.
        resample: `"episode"` or `"step"`, how long a draw of the posterior is acted by.
        target: `"draw"` or `"mean"`, which values are in targets: of one draw (of
            members, each has its own), or mean values.
        double: Bool, whether the network that is trained chooses the actions in
            targets, which are else too large.
        noise_scale: Float, standard deviation of a target around its value.
        discount: Float, factor of rewards for each step; with episodes of one step, as
            those of bandits, it has no effect.
        num_worlds: Integer, episodes side by side.
        train_every: Integer, steps of all worlds for a training step.
        batch_size: Integer, steps in a training step.
        replay_size: Integer, newest steps that are kept for training.
        warm_up: Integer, steps by random actions before the first training step.
        target_every: Integer, training steps between copies to the target network.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        network = bdlzoo.networks.MLP((10, 10), hidden=(50,), outputs=2)
        model = bdlzoo.methods.PosteriorQNetwork(
            network, {"type": "DeepEnsemble", "num_members": 10}, num_samples=10)
        model.compile("adam")
        model.fit(bdlzoo.worlds.DeepSea(10), episodes=1000)
    """

    def __init__(self, network, posterior="DeepEnsemble", num_samples=5,
                 resample="episode", target="draw", double=True, noise_scale=1.0,
                 discount=0.99, num_worlds=8, train_every=1, batch_size=64,
                 replay_size=10_000, warm_up=256, target_every=100, seed=None,
                 **kwargs):
        super().__init__(
            network, posterior, num_samples=num_samples, resample=resample,
            target=target, double=double, noise_scale=noise_scale, discount=discount,
            num_worlds=num_worlds, train_every=train_every, batch_size=batch_size,
            replay_size=replay_size, warm_up=warm_up, target_every=target_every,
            seed=seed, **kwargs)
