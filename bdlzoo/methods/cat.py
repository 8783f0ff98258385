"""CAT: cluster alignment with a teacher.

    d(a, b)   = mean over numbers of (a - b)**2
    cluster   = mean over pairs of d where classes agree, max(0, margin - d) elsewhere
    centroids = mean over classes of d(centroid of the source, centroid of the target)
    loss      = nll of the source + prior
                + cluster_weight (cluster(source) + cluster(target) + centroids)
                + the terms of `base`

A teacher gives the classes of the target: a second pass of the network, as in the
released code, or an average of its weights. Both domains form a cluster for each class,
and clusters of one class move together. The weight is 0 until the network has learnt
something, since clusters of wrong classes would stay.

The terms can be added to those of another method, the `base`: RevGrad, RobustRevGrad,
MSTN, MCD or VADA. The teacher is then that of the base too.

Reference: Deng, Luo and Zhu, Cluster Alignment with a Teacher for Unsupervised Domain
Adaptation, ICCV 2019, and its released code.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.families.adapting_model import AdaptingModel
from bdlzoo.families.cluster_alignment import ClusterAlignment
from bdlzoo.families.teacher import Teacher
from bdlzoo.schedules import ExponentialRise

# What a base has from CAT, and its config need not say.
_SHARED = ("network", "likelihood", "num_samples", "num_train_samples", "prior_scale",
           "kl_weight", "num_data", "seed", "features", "teacher", "teacher_decay",
           "name", "dtype", "trainable")


@keras.saving.register_keras_serializable(package="bdlzoo")
class CAT(AdaptingModel):
    """Aligns clusters of classes in two domains.

    Args:
        network: Keras model that classifies; its outputs are logits. `None` takes that
            of `base`.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical`.
        base: Method of domain adaptation whose terms are added: a name such as
            `"rev_grad"`, a dictionary with the name under `type` and options beside
            it, or a new model of that method; `None` for CAT alone.
        margin: Float, mean squared difference that features of different classes keep.
            30 is for outputs; for other features try the distances that you see.
        cluster_weight: Float, or schedule over steps (or its spec), weight of the
            terms; `None` is the published `bdlzoo.ExponentialRise(5000, 10000)`.
            Shorten it to the steps of your training.
        teacher: `"pass"`, a second pass of the network, or `"ema"`, an average of its
            weights.
        teacher_decay: Float in [0, 1), share of the average that a step keeps.
        features: What is aligned: `"outputs"` of the network, or `"hidden"`, what its
            last layer with weights reads.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        num_samples: Integer, draws at prediction; `None` is one for each head.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of rows of the source, by which the prior is divided
            in the loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.CAT(network, base="rev_grad")
        model.compile(keras.optimizers.SGD(0.01, momentum=0.9))
        model.fit(x, y, target=x_target, epochs=80)
        model.predict_uncertainty(x_target)
    """

    def __init__(self, network=None, likelihood="categorical", base=None, margin=30.0,
                 cluster_weight=None, teacher="pass", teacher_decay=0.99,
                 features="outputs", prior_scale=None, num_samples=None, kl_weight=1.0,
                 num_data=None, seed=None, **kwargs):
        built, network = _built(base, network, likelihood, features)
        clusters = ClusterAlignment(margin, ExponentialRise(
            5000, 10000) if cluster_weight is None else cluster_weight)
        # Those of the base first, so that they are what they are without CAT.
        parts = [*(built.parts if built is not None else ()), clusters]
        heads = 1 if built is None or built.second_head is None else 2
        super().__init__(
            network, likelihood, parts=parts, features=features,
            teacher=Teacher(teacher, teacher_decay), prior_scale=prior_scale,
            num_samples=heads if num_samples is None else num_samples,
            kl_weight=kl_weight, num_data=num_data, seed=seed, **kwargs)
        self.base = None if built is None else {
            "type": type(built).__name__, **{
                name: value for name, value in built.get_config().items()
                if name not in _SHARED}}
        self.margin = margin
        self.cluster_weight = clusters.weight
        self.teacher = teacher
        self.teacher_decay = teacher_decay

    def get_config(self):
        return {**super().get_config(), "base": self.base, "margin": self.margin,
                "cluster_weight": keras.saving.serialize_keras_object(
                    self.cluster_weight),
                "teacher": self.teacher, "teacher_decay": self.teacher_decay}


def _built(base, network, likelihood, features):
    """A model of the base, or `None`, and the network of both."""
    if base is None:
        return None, network
    if isinstance(base, AdaptingModel):
        if network not in (None, base.network) or base.built or (
                base.features != features):
            raise ValueError(
                "Expected a base that is new, with the network and the features of "
                f"CAT. Received: base={type(base).__name__} with features="
                f"{base.features!r}, {'built' if base.built else 'not built'}, for "
                f"features={features!r}")
        return base, base.network
    name = base if isinstance(base, str) else base["type"]
    kind = registry.find(name)
    if not issubclass(kind, AdaptingModel) or issubclass(kind, CAT):
        raise ValueError("Expected a method of domain adaptation other than CAT. "
                         f"Received: base={name!r}")
    return registry.build(base, network=network, likelihood=likelihood,
                          features=features), network
