"""Deep ensembles as the posterior of a Gaussian process.

    m(x)     = mean over members g_m(x)
    k(x, x') = mean over members (g_m(x) - m(x)) (g_m(x') - m(x'))^T
    q(f)     = N(m, k + e I),   p(f) = N(0, prior kernel of the architecture)
    loss     = E_q[nll] + kl_weight KL(q(f at X) || p(f at X)) / num_data

Members of a plain ensemble disagree because they start differently. Here they are
trained until their disagreement is a posterior covariance. X are measurement points:
the batch, and `num_points` uniform ones from the box of the inputs, where there are no
data and the prior should prevail. The divergence at some points is at most that of the
functions, so that `kl_weight` must be chosen: 1 gives the bound if a batch holds all of
the data; the authors' code divides by the batch and takes a tenth, which is
`kl_weight=0.1 * num_data / batch_size`. Report it with results.

A draw is `m + F eps1 + sqrt(e) eps2` with one eps1 for all rows, so one function.

Reference: Deng et al., Deep Ensemble as a Gaussian Process Approximate Posterior,
2022.
"""

import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals, low_rank_normal, noise
from bdlzoo.core.draw_places import places
from bdlzoo.families.member_model import MemberModel
from bdlzoo.families.prior_kernel import PriorKernel

_serialize = keras.saving.serialize_keras_object
_deserialize = keras.saving.deserialize_keras_object


@keras.saving.register_keras_serializable(package="bdlzoo")
class DEGP(MemberModel):
    """Trains an ensemble by the evidence bound of a functional posterior.

    The output of a member depends on one row alone: dropout is off in training too,
    and batch normalisation, whose statistics random points would spoil, is refused.

    Args:
        network: Functional or Sequential Keras model with outputs `[B, C]`, logits or
            means. Members are copies of it that start from their own initial weights.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        num_members: Integer, networks in the ensemble, at least 2.
        num_points: Integer, random measurement points in a step; 0 for none.
        box: Pair of floats, or of arrays with a value for each feature (the channels of
            images): the low and high edges between which random points lie. `None`
            takes the range of the inputs that training has seen.
        weight_variance: Float, or a list with a float for each layer with weights. The
            prior of a weight has the variance `weight_variance / fan_in`.
        bias_variance: Float, or a list with a float for each layer with weights,
            variance of the prior of a bias.
        num_kernel_networks: Integer, random networks that estimate the prior kernel in
            a step.
        jitter: Float, share of the mean variance that is added to the diagonals of
            posterior and prior.
        output_temperature: Float, number by which draws of logits are divided, or its
            first value if it is learnt. Real outputs have none.
        learn_temperature: Bool, whether the output temperature is learnt.
        constraint: Differentiable function of measurement points and of drawn functions
            there, `[S, n, C]`, that returns a penalty: 0 if the draws are as they
            should be, for example monotone or bounded. It is saved by name: decorate it
            with `keras.saving.register_keras_serializable`.
        constraint_weight: Float, weight of that penalty in the loss.
        own_order: Bool, must be `False`: the covariance is that of the members on the
            same rows.
        num_samples: Integer, functions that are drawn at prediction.
        num_train_samples: Integer, functions that are drawn in a training step.
        kl_weight: Float, weight of the divergence of functions; 1 gives a bound if a
            batch holds all of the data.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.DEGP(network, "gaussian", num_members=10)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=100)
    """

    log_names = ("loss", "nll", "kl", "penalty")
    stores_draws = False

    def __init__(self, network, likelihood="categorical", num_members=5, num_points=32,
                 box=None, weight_variance=2.0, bias_variance=0.01,
                 num_kernel_networks=10, jitter=0.05, output_temperature=1.0,
                 learn_temperature=True, constraint=None, constraint_weight=1.0,
                 own_order=False, num_samples=256, num_train_samples=64, kl_weight=1.0,
                 num_data=None, seed=None, **kwargs):
        if own_order:
            raise ValueError(
                "Expected one order of the data for all members: their covariance "
                f"is computed on the same rows. Received: own_order={own_order}")
        super().__init__(
            network, likelihood, num_members=num_members, own_order=False,
            num_samples=num_samples, num_train_samples=num_train_samples,
            kl_weight=kl_weight, num_data=num_data, seed=seed, **kwargs)
        for name, value in (("num_points", num_points), ("jitter", jitter),
                            ("constraint_weight", constraint_weight)):
            if not value >= 0:
                raise ValueError("Expected a number that is not negative. "
                                 f"Received: {name}={value}")
        if not output_temperature > 0:
            raise ValueError("Expected a positive number. Received: "
                             f"output_temperature={output_temperature}")
        self.num_points = int(num_points)
        self.box = box
        self.weight_variance = weight_variance
        self.bias_variance = bias_variance
        self.num_kernel_networks = num_kernel_networks
        self.jitter = jitter
        self.output_temperature = output_temperature
        self.learn_temperature = learn_temperature
        self.constraint = constraint
        self.constraint_weight = constraint_weight

    def build(self, input_shape):
        super().build(input_shape)
        self._check_network(input_shape)
        self._prior = PriorKernel(self.blueprint, self.num_kernel_networks,
                                  self.weight_variance, self.bias_variance)
        self._reads_logits = getattr(self.likelihood, "from_logits", False)
        if self._reads_logits:
            start = keras.initializers.Constant(math.log(self.output_temperature))
            self.log_temperature = self.add_weight(
                name="log_temperature", shape=(), initializer=start,
                trainable=self.learn_temperature, autocast=False)
        shapes = tf.nest.flatten(keras.tree.map_shape_structure(
            lambda shape: shape[-1], input_shape))
        self.edges = [self.add_weight(
            name=f"box_{i}", shape=(2, size), initializer=self._first_edges,
            trainable=False, autocast=False, aggregation="only_first_replica")
            for i, size in enumerate(shapes)]

    def _check_network(self, input_shape):
        self.refuse_positions(self.output_shape_of(input_shape), "a function of the "
                              "process has one value for each input and class")
        for layer in keras_internals.layers(self.blueprint):
            if isinstance(layer, keras.layers.BatchNormalization):
                raise ValueError(
                    "Expected members whose output depends on one row alone: use "
                    "`LayerNormalization` or `GroupNormalization`. Received: "
                    f"{layer.name} of type {type(layer).__name__}")
        if getattr(self.likelihood, "from_logits", True) is False:
            raise ValueError(
                "Expected a network that ends in logits, which can be any real "
                "number, like a Gaussian process. Received: from_logits=False")

    def _first_edges(self, shape, dtype):
        low, high = (math.inf, -math.inf) if self.box is None else self.box
        edges = tf.stack([tf.broadcast_to(tf.cast(edge, dtype), shape[1:])
                          for edge in (low, high)])
        if self.box is not None and not np.all(edges[0] < edges[1]):
            raise ValueError("Expected a box whose low edges are below the high "
                             f"ones. Received: box={self.box}")
        return edges

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto",
            callbacks=None, **kwargs):
        """Trains as in Keras; numerical failures get an error that explains them.

        Args:
            x: Inputs, as arrays, or a dataset of pairs `(x, y)`.
            y: Targets; `None` for a dataset.
            batch_size: Integer, rows in a step; `None` is 32 for arrays.
            epochs: Integer, passes over the data.
            verbose: Progress bar: `"auto"`, 0, 1 or 2.
            callbacks: List of Keras callbacks.
            **kwargs: Other arguments of `keras.Model.fit`, and `num_data` and
                `checkpoint_dir`.
        """
        with low_rank_normal.explained():
            return super().fit(x, y, batch_size, epochs, verbose, callbacks, **kwargs)

    def draw_parts(self, inputs, num_samples, key):
        outputs = self.outputs(tf.nest.map_structure(lambda t: t[None], inputs))
        posterior = low_rank_normal.of_members(outputs, self.jitter, by_row=True)
        size = self.num_members + outputs.shape[-1]
        normals = tf.map_fn(lambda draw_key: noise.normal([size], draw_key),
                            noise.split(key, num_samples),
                            fn_output_signature=tf.float32)  # [S, M + C]

        def part(first, count):
            mine = tf.gather(normals, places(first, count, num_samples))
            return self._tempered(posterior.draws(
                mine[:, :self.num_members], mine[:, None, self.num_members:]))

        return part

    def objective(self, x, y, sample_weight, key):
        # The same on all replicas: each sees all rows, and has the loss of its own.
        key, _ = self.step_keys()
        rows, mine = _of_all_replicas(x)
        points = self._measurement_points(rows, noise.fold_in(key, 0))
        outputs = self.outputs(tf.nest.map_structure(lambda t: t[None], points))
        posterior = low_rank_normal.of_members(outputs, self.jitter)
        kernel = self._prior(points, noise.fold_in(key, 1))  # [n, n]
        kl = posterior.kl(low_rank_normal.with_jitter(kernel, self.jitter))
        functions = self._functions(posterior, noise.fold_in(key, 2))  # [S, n, C]
        draws = self._tempered(functions[:, mine])
        nll = -tf.reduce_mean(self.likelihood.log_prob(y, draws), axis=0)  # [B]
        counted = self.positions(nll, y, draws, sample_weight)
        nll = self.positions_like(nll, counted).mean(nll)
        y, sample_weight = (part if part is None else part[None]
                            for part in (y, sample_weight))
        logs = {"nll": nll, "kl": kl}
        loss = nll + self.kl_weight * kl / self.data_points
        if self.constraint is not None:
            logs["penalty"] = self.constraint(points, functions)
            loss += self.constraint_weight * logs["penalty"]
        loss = tf.add_n([loss, *(tf.cast(term, tf.float32)
                                 for term in self.network.losses)])
        return {"loss": loss, **logs}, (outputs[:, mine], y, sample_weight, None)

    def _measurement_points(self, rows, key):
        """The rows, followed by random points."""
        parts = [self._with_random(part, edges, noise.fold_in(key, i))
                 for i, (part, edges) in enumerate(
                     zip(tf.nest.flatten(rows), self.edges, strict=True))]
        return tf.nest.pack_sequence_as(rows, parts)

    def _with_random(self, rows, edges, key):
        if self.box is None:
            features = tf.cast(tf.reshape(rows, [-1, rows.shape[-1]]), tf.float32)
            edges.assign(tf.stack([
                tf.minimum(edges[0], tf.reduce_min(features, axis=0)),
                tf.maximum(edges[1], tf.reduce_max(features, axis=0))]))
        if not self.num_points:
            return rows
        uniform = noise.uniform([self.num_points, *rows.shape[1:]], key)
        points = edges[0] + (edges[1] - edges[0]) * uniform
        return tf.concat([rows, tf.cast(points, rows.dtype)], axis=0)

    def _functions(self, posterior, key):
        count, (points, outputs) = self.num_train_samples, posterior.mean.shape
        points = points or tf.shape(posterior.mean)[0]
        return posterior.draws(
            noise.normal([count, self.num_members], noise.fold_in(key, 0)),
            noise.normal([count, points, outputs], noise.fold_in(key, 1)))

    def _tempered(self, draws):
        if not self._reads_logits:
            return draws
        return draws / tf.exp(self.log_temperature)

    def get_config(self):
        box = self.box and [np.asarray(edge).tolist() for edge in self.box]
        return {**super().get_config(), "num_points": self.num_points, "box": box,
                "weight_variance": self.weight_variance,
                "bias_variance": self.bias_variance,
                "num_kernel_networks": self.num_kernel_networks,
                "jitter": self.jitter,
                "output_temperature": self.output_temperature,
                "learn_temperature": self.learn_temperature,
                "constraint": _serialize(self.constraint),
                "constraint_weight": self.constraint_weight}

    @classmethod
    def from_config(cls, config):
        constraint = _deserialize(config["constraint"])
        return super().from_config({**config, "constraint": constraint})


def _of_all_replicas(x):
    """The rows of all replicas, and a slice for those of this one."""
    context = tf.distribute.get_replica_context()
    size = tf.shape(tf.nest.flatten(x)[0])[0]
    if context.num_replicas_in_sync == 1:
        return x, slice(0, size)
    sizes = context.all_gather(size[None], axis=0)
    start = tf.reduce_sum(sizes[:context.replica_id_in_sync_group])
    return tf.nest.map_structure(
        lambda part: context.all_gather(part, axis=0), x), slice(start, start + size)
