"""Base class of classifiers that follow their data to a domain without labels.

    loss = nll of the source + prior + sum over terms of weight * term(source, target)

Terms come from `bdlzoo.families.alignment`. Both domains go through the network in
training, each in a call of its own: BatchNorm normalises a batch by the statistics of
its domain, and its averages are those of both. Features are the outputs of the
network, as in the released code of CAT, or the inputs of its last layer. One network
predicts for both domains; where a method trains a second head, both heads do.

Labels of the target, where `fit` has some, never reach the loss: they are the scores
of each epoch.
"""

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from bdlzoo.core import batches, noise
from bdlzoo.core.replicas import gathered, share_of
from bdlzoo.families.alignment import value_at
from bdlzoo.families.domain_pair import DomainPair
from bdlzoo.families.domain_pictures import domain_pictures
from bdlzoo.families.prior_model import PriorModel
from bdlzoo.families.target_scores import TargetScores
from bdlzoo.likelihoods import Categorical
from bdlzoo.model.objective import seen
from bdlzoo.surgery import input_form
from bdlzoo.surgery.encoder import Encoder

FEATURES = ("outputs", "hidden")


class AdaptingModel(PriorModel):
    """Trains a network on the labels of one domain and the inputs of another.

    A subclass gives the terms of its loss as `parts`.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be the categorical likelihood.
        parts: List of `Alignment`, the terms of the loss beside that of labels.
        features: What is aligned: `"outputs"` of the network, or `"hidden"`, what its
            head reads: the last layer with weights, or as many as a part asks for.
        teacher: `Teacher` of the target; `None` if no part needs one.
        num_samples: Integer, draws at prediction.
        **kwargs: Arguments of `PriorModel`: `prior_scale`, `kl_weight`, `num_data`,
            `seed`.
    """

    log_names = ("loss", "nll", "kl", "alignment", "domain", "cluster", "centroids",
                 "semantic", "second_nll", "discrepancy", "virtual", "entropy")
    side_data = labelled_side_sets = ("target",)
    draws_differ = False
    stores_draws = True
    plays_against_itself = True
    rival_optimizer = None

    def __init__(self, network, likelihood="categorical", *, parts=(),
                 features="outputs", teacher=None, num_samples=1, **kwargs):
        super().__init__(network, likelihood, num_samples=num_samples, **kwargs)
        if features not in FEATURES:
            raise ValueError(f"Expected one of {FEATURES}. Received: "
                             f"features={features!r}")
        if not isinstance(self.likelihood, Categorical) or (
                self.likelihood.ignore_class is not None):
            raise ValueError(
                "Expected the categorical likelihood, with a label for every row of "
                f"the source. Received: likelihood={self.likelihood.name}, "
                f"ignore_class={getattr(self.likelihood, 'ignore_class', None)}")
        self.parts = list(parts)
        self.features = features
        self.label_source = teacher

    @property
    def second_head(self):
        """The part that trains a second head, or `None`."""
        return next((p for p in self.parts if p.head_layers is not None), None)

    def build(self, input_shape):
        super().build(input_shape)
        shape = self.output_shape_of(input_shape)
        self.refuse_positions(shape, "domains are aligned by the classes of rows")
        self.num_classes = shape[-1]
        second, self.encoder, size = self.second_head, None, self.num_classes
        if self.features == "hidden" or second is not None:
            self.encoder = Encoder(
                self.network, 1 if second is None else second.head_layers)
        with tf.init_scope():  # Weights are made, and a row is run.
            if self.features == "hidden":
                row = input_form.blank_rows(self.network, input_shape)
                size = int(np.prod(self.encoder(row).shape[1:]))
            for place, part in enumerate(self.parts):
                if not part.built:
                    part.attach(self, size, noise.key(
                        self.seed, noise.INITIAL, place))
            if self.label_source is not None and not self.label_source.built:
                self.label_source.attach(self.network)
        if self.compiled and second is not None:
            self.build_optimizers()  # Its first step may be one of some weights.

    # What a step does.

    def passed(self, x, key):
        """What the head reads (or `None`), features and outputs of one domain."""
        with noise.draws(key):
            if self.encoder is None:
                hidden, outputs = None, self.network(x, training=True)
            else:
                hidden, outputs = self.encoder.both(x, training=True)
        return hidden, self.aligned(hidden, outputs), tf.cast(outputs, tf.float32)

    def aligned(self, hidden, outputs):
        """Features `[B, F]` that are aligned."""
        found = hidden if self.features == "hidden" else outputs
        size = int(np.prod(found.shape[1:]))
        return tf.cast(tf.reshape(found, [tf.shape(found)[0], size]), tf.float32)

    def label_loss(self, y, sample_weight, outputs):
        """Mean negative log likelihood of outputs `[B, C]`."""
        nll = self.data_loss(self.likelihood.log_prob(y, outputs[None]))
        return self.positions(nll, y, outputs[None], sample_weight).mean(nll)

    def objective(self, x, y, sample_weight, key, target=None):
        hidden, features, outputs = self.passed(x, noise.fold_in(key, 0))
        draws = outputs[None]
        nll = self.data_loss(self.likelihood.log_prob(y, draws))  # [B]
        counted = self.positions(nll, y, draws, sample_weight)
        logs = self.with_prior(nll, x, counted, key)
        if self.parts:
            _, there, answers = self.passed(target, noise.fold_in(key, 1))
            labels = tf.reshape(self.likelihood.labels(y, outputs), [-1])
            terms = self._terms(DomainPair(
                x, y, sample_weight, hidden, target, *map(gathered, (
                    labels, features, there, outputs, answers)),
                self._taught(target, answers, key), self.optimizer.iterations, key))
            added = tf.add_n([weight * value for weight, value in terms.values()])
            logs.update({"loss": logs["loss"] + added, "alignment": added,
                         **{name: value for name, (_, value) in terms.items()}})
        return logs, seen(self.likelihood.prediction(draws), counted)

    def _taught(self, target, answers, key):
        """Outputs of the teacher, where a part asks for them."""
        if not any(part.needs_teacher for part in self.parts):
            return None
        return gathered(self.label_source.outputs(
            self.network, target, answers, noise.fold_in(key, 2)))

    def _terms(self, pair):
        """Weights and values of all terms, by name."""
        terms = {}
        for place, part in enumerate(self.parts):
            terms.update(part.terms(self, pair._replace(
                key=noise.fold_in(pair.key, 3, place))))
        return terms

    def update(self, gradients, key):
        del key
        # Another optimiser may move the same weights in other steps.
        self.optimizer.apply(gradients, self.trainable_variables)

    def rival_step(self, tape, loss, variables, x):
        """A step of some weights on another loss, which is none of the training.

        Args:
            tape: `tf.GradientTape` of the loss.
            loss: Scalar, the mean over the rows of this replica.
            variables: List of weights.
            x: Inputs of this replica.
        """
        optimizer = self.rival_optimizer or self.optimizer
        with tape:
            scaled = share_of(loss, optimizer, x)
        steps = tf.identity(optimizer.iterations)
        optimizer.apply(tape.gradient(scaled, variables), variables)
        if optimizer is self.optimizer:  # It counts the batches.
            optimizer.iterations.assign(steps)

    def train_step(self, data):
        x, y, sample_weight = batches.unpack(data)
        _, own = self.step_keys()
        results = super().train_step(data)
        if isinstance(x, batches.Beside):
            x, side = x
            batch = x, y, sample_weight, side.get("target")
            for place, part in enumerate(self.parts):
                logs = part.further_steps(self, batch, noise.fold_in(own, 4, place))
                results.update(self.reduced(self.track(
                    logs, tf.shape(batches.flat(x)[0])[0])))
        if self.label_source is not None:
            self.label_source.follow(self.network)
        return results

    def draw_parts(self, inputs, num_samples, key):
        del key, num_samples  # There is nothing to draw.
        heads = self._head_outputs(inputs)  # [H, B, C]

        def part(first, count):
            # Heads in turn, so that fewer draws are the first of more.
            return tf.gather(heads, (first + tf.range(count)) % heads.shape[0])

        return part

    def _head_outputs(self, inputs):
        if self.second_head is None:
            outputs = [self.network(inputs, training=False)]
        else:
            outputs = self.second_head.both(self.encoder, self.encoder(inputs))
        return tf.cast(tf.stack(outputs), tf.float32)

    # What a user calls.

    @property
    def optimizer_names(self):
        return ("optimizer",) if self.rival_optimizer is None else (
            "optimizer", "rival_optimizer")

    def variable_groups(self):
        return tuple(self.trainable_variables for _ in self.optimizer_names)

    def compile(self, optimizer="adam", rival_optimizer=None, **kwargs):
        """Compiles as in Keras.

        Args:
            optimizer: Optimiser of the loss.
            rival_optimizer: Optimiser of the steps in which heads and features play
                against each other, for methods with a second head. `None` is
                `optimizer` itself, as in the released code of MCD: by the moments of
                the loss, Adam takes small steps where these gradients are small.
            **kwargs: Other arguments of `keras.Model.compile`, such as `metrics`,
                `jit_compile` and `steps_per_execution`.
        """
        super().compile(optimizer=optimizer, **kwargs)
        if rival_optimizer is not None and self.second_head is None:
            raise ValueError(
                "Expected one optimiser: only methods with a second head have "
                f"another. Received: rival_optimizer={rival_optimizer}")
        self.rival_optimizer = keras.optimizers.get(rival_optimizer)
        waits = self.optimizer.gradient_accumulation_steps
        if waits and self.second_head is not None and rival_optimizer is None:
            raise ValueError(
                "Expected an optimiser that moves weights in every step, since it is "
                "that of several losses: give a rival_optimizer for those of the "
                f"heads. Received: gradient_accumulation_steps={waits}")
        if self.built:
            self.build_optimizers()

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto",
            callbacks=None, target=None, **kwargs):
        """Trains as in Keras, on two domains.

        Args:
            x: Inputs of the source, as arrays, or a dataset of pairs `(x, y)`.
            y: Labels of the source; `None` for a dataset.
            batch_size: Integer, rows of each domain in a step; `None` is 32.
            epochs: Integer, passes over the longer set.
            verbose: Progress bar: `"auto"`, 0, 1 or 2.
            callbacks: List of Keras callbacks.
            target: Inputs of the target, as arrays or a dataset; or a pair of arrays
                `(x, y)`, whose labels are used for evaluation only: the logs then have
                `target_accuracy`, `target_ece`, and what the pseudo-labels are worth.
            **kwargs: Other arguments of `keras.Model.fit`, and `num_data` and
                `checkpoint_dir`.
        """
        callbacks = [*(callbacks or ()), _Schedules()]
        if isinstance(target, tuple) and len(target) == 2 and not isinstance(x, tuple):
            target, labels = target
            callbacks.insert(0, TargetScores(self, target, labels))
        elif isinstance(target, tf.data.Dataset) and isinstance(
                target.element_spec, tuple):
            logging.info("Labels of the target are not used: give arrays `(x, y)` as "
                         "`target` to see scores of each epoch.")
            target = target.map(lambda rows, *rest: rows)
        return super().fit(x, y, batch_size, epochs, verbose, callbacks,
                           target=target, **kwargs)

    def _begin(self, data, *args):
        super()._begin(data, *args)
        if self.parts and "target" not in data.side:
            raise ValueError(
                "Expected inputs of another domain beside the source: "
                f"`fit(x, y, target=...)`. Received: target=None for a "
                f"{type(self).__name__}")

    def check_side_data(self, name, x, beside):
        found, wanted = batches.layout(x), batches.layout(beside)
        if found != wanted and not isinstance(found, dict):
            images = len(found) == len(wanted) == 1 and len(found[0]) == 3 == len(
                wanted[0])
            hint = (f": `bdlzoo.data.fit_images({name}, {wanted[0]})` makes them so"
                    if images else "")
            raise ValueError(f"Expected rows of {name} in the shape of the inputs, "
                             f"{wanted}{hint}. Received: {name} of shapes {found}")
        super().check_side_data(name, x, beside)

    def features_of(self, x):
        """Features `[N, F]` of arrays of inputs, as the network predicts."""
        x = tf.nest.map_structure(tf.convert_to_tensor, x)
        hidden, outputs = (None, self.network(x, training=False)) if (
            self.encoder is None) else self.encoder.both(x)
        return self.aligned(hidden, outputs).numpy()

    def pictures(self, x, target=None, history=None):
        return domain_pictures(self, x, target, history)

    def unfinished(self, steps):
        """Schedules that are below one half after some steps, by name.

        Args:
            steps: Integer, steps of the whole training.
        """
        found = {}
        for part in self.parts:
            for name in part.schedules:
                last = float(value_at(getattr(part, name), steps))
                if callable(getattr(part, name)) and last < 0.5:
                    found[f"{type(part).__name__}.{name}"] = last
        return found

    def served_parts(self):
        parts = [self.network, self.likelihood, self.calibration]
        return parts if self.second_head is None else [*parts, self.second_head]

    def get_config(self):
        config = {**super().get_config(), "features": self.features}
        del config["num_train_samples"]  # One pass of each domain.
        return config


class _Schedules(keras.callbacks.Callback):
    """Tells of schedules that are longer than the training, before it starts."""

    def on_train_begin(self, logs=None):
        steps = (self.params["steps"] or 0) * self.params["epochs"]
        late = self.model.unfinished(steps) if steps else {}
        if late:
            logging.warning(
                "Schedules are still low at the end of %d steps: %s. Shorten them to "
                "the length of the training.", steps, ", ".join(
                    f"{name} is {value:.2g}" for name, value in late.items()))
