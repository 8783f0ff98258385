"""The train loop of everything random in the zoo."""

import math
import random

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from bdlzoo.core import noise, strategies
from bdlzoo.core.keras_internals import RunsOnReplicas
from bdlzoo.data.epochs import epochs as shuffled_epochs
from bdlzoo.data.epochs import num_batches
from bdlzoo.model import checkpoint, saved_model

_SMALL = 1_000_000  # Weights below which calling the step costs as much as it.


class StochasticModel(RunsOnReplicas, keras.Model):
    """A Keras model whose noise is a function of seed and step.

    A subclass writes `objective`; `update` is there for a step that is not
    the optimiser's alone. Networks and likelihoods are not known here.

    Args:
        num_data: Integer, size of the training set; `None` reads it in `fit`.
        seed: Integer; `None` draws one, which is saved with the model.
    """

    log_names = ("loss",)
    optimizer_names = ("optimizer",)  # Attributes; the first one counts the steps.
    data_copies = None  # Orders of the data side by side: batches [B, M, ...].
    loss_factor = 1.0  # Of the loss that is shown, in the one that is minimised.
    row_group = 1  # Rows that stay together: one of each model side by side.

    def __init__(self, num_data=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.fixed_num_data = num_data
        self.seed = random.randrange(2**31) if seed is None else seed
        # A weight: an attribute would be frozen into the compiled step.
        self.num_data = self.add_weight(
            name="num_data", initializer="ones", trainable=False, autocast=False)
        self.trackers = {n: keras.metrics.Mean(n) for n in self.log_names}

    def objective(self, x, y, sample_weight, key):
        """Returns logs, `loss` among them, and what `measure` needs."""
        raise NotImplementedError

    def update(self, gradients, key):
        """Moves the weights; `key` is the same on all replicas."""
        slopes = dict(zip(map(id, self.trainable_variables), gradients, strict=True))
        for optimizer, variables in self._optimizers():
            # Others have a step of their own.
            variables = [v for v in variables if id(v) in slopes]
            found = [slopes[id(v)] for v in variables]
            if optimizer is not self.optimizer:
                # From the scale of the loss of one optimiser to that of the other.
                factor = optimizer.scale_loss(1.0 / self.optimizer.scale_loss(1.0))
                found = [g if g is None else factor * g for g in found]
            if variables:
                optimizer.apply(found, variables)

    def measure(self, y, prediction, sample_weight):
        """Updates metrics on a training batch; returns their results."""
        return {}

    def endpoints(self, **options):
        """What a served model answers: name to `(function, list of specs)`."""
        raise NotImplementedError

    def served_parts(self):
        """Parts whose variables a served model needs."""
        return [self]

    def variable_groups(self):
        """Weights to train, a list for each of `optimizer_names`."""
        return (self.trainable_variables,)

    def build_optimizers(self):
        """Makes the variables of all optimisers, to be loaded into."""
        for optimizer, variables in self._optimizers():
            if not optimizer.built:
                optimizer.build(variables)

    def check_ready(self):
        """Raises where there is nothing to predict from or to export yet."""
        if not self.built:
            raise ValueError("Expected a built model: call `fit`, or "
                             "`build(input_shape)`, first.")

    def check_data(self, x, y):
        """Raises a `ValueError` where arrays are not what the model takes."""
        _check_rows(x, y)
        check_finite(x)

    def compile(self, optimizer="adam", jit_compile="auto",
                steps_per_execution=None, **kwargs):
        """As in Keras, but for the defaults.

        Args:
            optimizer: As in Keras.
            jit_compile: As in Keras; `"auto"` compiles with XLA where there is one
                accelerator: on a CPU it costs seconds and slows convolutions, and
                a strategy of several devices compiles by itself, or cannot.
            steps_per_execution: As in Keras; `None` lets `fit` choose.
            **kwargs: As in Keras.
        """
        replicas = self.distribute_strategy.num_replicas_in_sync
        if jit_compile == "auto":
            jit_compile = replicas == 1 and any(
                tf.config.list_logical_devices(kind) for kind in ("GPU", "TPU"))
        if jit_compile and replicas > 1 and not tf.config.list_logical_devices("GPU"):
            raise ValueError(
                "Expected `jit_compile=False` with several replicas on CPUs: "
                "TensorFlow does not compile steps that are spread over them. "
                f"Received: jit_compile={jit_compile}, {replicas} replicas")
        self._choose_steps = steps_per_execution is None
        super().compile(optimizer=optimizer, jit_compile=jit_compile,
                        steps_per_execution=steps_per_execution or 1, **kwargs)

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto",
            callbacks=None, validation_split=0.0, validation_data=None,
            shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0,
            steps_per_epoch=None, num_data=None, checkpoint_dir=None, **kwargs):
        """Trains as in Keras; the order of epoch k is a function of the seed.

        Args:
            num_data: Integer, size of the training set, where the data do not
                say it (a dataset of unknown or infinite length).
            checkpoint_dir: Folder for checkpoints at epoch ends. Where it holds
                some, training goes on from the last one, bit for bit.

        The other arguments are those of `keras.Model.fit`.
        """
        self._check_compiled()
        arrays = is_arrays(x)
        batch = (x, y) if arrays else _first_batch(x)
        if batch is not None:
            self.check_data(*keras.utils.unpack_x_y_sample_weight(batch)[:2])
        if validation_data is not None and is_arrays(_flat(validation_data)[0]):
            self.check_data(*validation_data[:2])
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = _hold_out(
                (x, y, sample_weight), validation_split)
        rows = len(_flat(x)[0]) if arrays else None
        rows_of_one = (rows or 0) // self.row_group
        self.num_data.assign(num_data or self.fixed_num_data or rows_of_one
                             or _count_rows(x, batch) // self.row_group)
        if batch is not None:
            with self.distribute_strategy.scope():  # Not inside a trace.
                self.build_once(keras.utils.unpack_x_y_sample_weight(batch)[0])
        callbacks = list(callbacks or [])
        if checkpoint_dir is not None:
            with self.distribute_strategy.scope():
                self.build_optimizers()
                history = checkpoint.restore(self, checkpoint_dir)
            initial_epoch = max(initial_epoch, len(history))
            callbacks.append(checkpoint.EpochCheckpoint(
                checkpoint_dir, history, strategies.is_chief(self.distribute_strategy)))
        if arrays:
            batch_size = batch_size or 32
            drop = self._drops_remainder(rows, batch_size)
            steps_per_epoch = steps_per_epoch or num_batches(rows, batch_size, drop)
            copies = self.data_copies if shuffle else None
            if copies and class_weight:
                raise ValueError(
                    "Expected `sample_weight` in place of `class_weight`, since "
                    "members see the rows in orders of their own. Received: "
                    f"class_weight={class_weight}")
            x = shuffled_epochs(x, y, sample_weight, batch_size, self.seed,
                                initial_epoch * steps_per_epoch, shuffle, copies,
                                self.row_group, drop)
            kwargs.setdefault("validation_batch_size", batch_size)
            batch_size = None  # The batches are made.
        if self._choose_steps and self.train_function is None:
            self.steps_per_execution = self._steps_per_call(x, steps_per_epoch)
        return super().fit(
            x, batch_size=batch_size, epochs=epochs, verbose=verbose,
            callbacks=callbacks, validation_data=validation_data,
            class_weight=class_weight, initial_epoch=initial_epoch,
            shuffle=shuffle and not isinstance(x, tf.data.Dataset),
            steps_per_epoch=steps_per_epoch, **kwargs)

    def evaluate(self, x=None, y=None, *args, **kwargs):
        # `fit` has checked the validation data, and marks its own calls.
        if "_use_cached_eval_dataset" not in kwargs:
            if self.built:
                self.check_ready()
            if is_arrays(x):
                self.check_data(x, y)
        return super().evaluate(x, y, *args, **kwargs)

    def predict(self, x, **kwargs):
        if self.built:
            self.check_ready()
        # Keras unrolls the steps of one execution when it predicts.
        steps, self.steps_per_execution = self.steps_per_execution, 1
        try:
            return super().predict(x, **kwargs)
        finally:
            self.steps_per_execution = steps

    def export(self, path, preprocessing=None, finish=None, verbose=False, **options):
        """Writes the next version of a SavedModel below `path`.

        Args:
            path: Folder of the served model; versions 1, 2, ... go below it.
            preprocessing: Keras model that runs before this one, on what requests
                hold; `None` for none.
            finish: Function of a folder, called once the version is written and
                before it can be seen: what it adds is there from the start.
            verbose: Bool, whether Keras prints the signatures.
            **options: See `bdlzoo.model.signatures.endpoints`.

        Returns:
            Path of the version that was written.
        """
        self.check_ready()
        parts = self.served_parts()
        if preprocessing is not None:
            parts, options["preprocessing"] = [*parts, preprocessing], preprocessing
        return saved_model.write(parts, self.endpoints(**options), path, finish,
                                 verbose=verbose)

    def build_once(self, x):
        """Builds from a batch: the steps below never use `call`."""
        if not self.built:
            self.build(tf.nest.map_structure(lambda t: (None, *t.shape[1:]), x))

    def train_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        self.build_once(x)
        step = noise.key(self.seed, noise.TRAIN, self.optimizer.iterations)
        context = tf.distribute.get_replica_context()
        shared = noise.fold_in(step, 0)
        own = noise.fold_in(step, 1 + context.replica_id_in_sync_group)
        with tf.GradientTape() as tape:
            logs, prediction = self.objective(x, y, sample_weight, own)
            scaled = share_of(self.loss_factor * logs["loss"], self.optimizer, x)
        gradients = tape.gradient(scaled, self.trainable_variables)
        self.update(gradients, shared)
        results = self.track(logs, tf.shape(_flat(x)[0])[0])
        results.update(self.measure(y, prediction, sample_weight))
        return self.reduced(results)

    def track(self, logs, weight=None):
        """Updates the running means of `logs`; returns them."""
        for name, value in logs.items():
            self.trackers[name].update_state(value, sample_weight=weight)
        return {name: self.trackers[name].result() for name in logs}

    def reduced(self, logs):
        """Logs in the shape that the strategy can gather."""
        strategy = self.distribute_strategy
        if isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
            # Keras gathers these over workers along an axis, so there is one.
            return {name: tf.reshape(value, [1]) for name, value in logs.items()}
        return logs

    def get_config(self):
        return {**super().get_config(), "num_data": self.fixed_num_data,
                "seed": self.seed}

    def get_compile_config(self):
        config = super().get_compile_config()
        if config and self._choose_steps:
            config["steps_per_execution"] = None
        if config:
            config.update({name: keras.saving.serialize_keras_object(
                getattr(self, name)) for name in self.optimizer_names[1:]})
        return config

    def compile_from_config(self, config):
        self.compile(**keras.saving.deserialize_keras_object(config))
        if self.built:
            self.build_optimizers()

    def _optimizers(self):
        """Pairs of an optimiser and what it moves."""
        return zip((getattr(self, name) for name in self.optimizer_names),
                   self.variable_groups(), strict=True)

    def _check_compiled(self):
        if not self.compiled:
            raise ValueError("Expected a compiled model: call "
                             "`model.compile(optimizer)` before `fit`.")

    def _drops_remainder(self, rows, batch_size):
        """Whether the last, short batch of an epoch is left out.

        A TPU wants batches of one shape, and a replica needs a row.
        """
        strategy = self.distribute_strategy
        replicas = strategy.num_replicas_in_sync
        if replicas > 1 and (batch_size < replicas or self.row_group > 1):
            raise ValueError(
                "Expected a row for each replica, and one model: models side by side "
                f"are trained on one device. Received: batch_size={batch_size}, "
                f"{replicas} replicas, {self.row_group} models")
        return isinstance(strategy, tf.distribute.TPUStrategy) or (
            0 < rows % batch_size < replicas)

    def _steps_per_call(self, dataset, steps):
        """Several steps a call for small models, a divisor of all of them."""
        if steps is None:
            steps = int(getattr(dataset, "cardinality", lambda: 1)())
        alone = self.distribute_strategy.num_replicas_in_sync == 1
        if not alone or not self.built or _num_weights(self) > _SMALL:
            return 1
        return max(count for count in range(1, 33) if steps % count == 0)


def _num_weights(model):
    """Weights that a step moves: samplers hold many that it does not."""
    return sum(math.prod(v.shape) for v in model.trainable_variables)


def share_of(loss, optimizer, x=None):
    """A mean loss as one replica minimises it: `apply` sums over replicas.

    Args:
        loss: Scalar, the mean over the rows of this replica.
        optimizer: Keras optimiser.
        x: Inputs of this replica, which may have fewer rows than others; `None`
            where all have as many.
    """
    replicas = tf.distribute.get_replica_context().num_replicas_in_sync
    share = 1.0 / replicas
    if replicas > 1 and x is not None:
        share = tf.cast(tf.shape(_flat(x)[0])[0], loss.dtype) / rows_of_all(x)
    return optimizer.scale_loss(loss * share)


def rows_of_all(x):
    """Rows of a batch on all replicas together, a float.

    Args:
        x: Inputs of this replica.
    """
    context, rows = tf.distribute.get_replica_context(), _flat(x)[0]
    count = tf.shape(rows)[0]
    if context.num_replicas_in_sync == 1 or rows.shape[0] is not None:
        # A batch whose size is known was cut into equal parts.
        return tf.cast(count * context.num_replicas_in_sync, tf.float32)
    check = tf.debugging.assert_positive(
        count, "Expected a row for each replica in every batch: use "
        "`drop_remainder=True` in `batch` of the dataset.")
    with tf.control_dependencies([check]):
        count = tf.cast(count, tf.float32)
    return context.all_reduce(tf.distribute.ReduceOp.SUM, count)


def is_arrays(x):
    """Whether data are arrays or tensors (or a structure of them)."""
    return bool(_flat(x)) and all(
        isinstance(part, np.ndarray) or tf.is_tensor(part) for part in _flat(x))


def _flat(structure):
    return tf.nest.flatten(structure)


def _check_rows(x, y):
    if y is None:
        raise ValueError("Expected targets beside the inputs: give `y`, or a "
                         "dataset of pairs `(x, y)`. Received: y=None")
    rows = {len(part) for part in _flat((x, y))}
    if len(rows) != 1 or 0 in rows:
        raise ValueError(
            "Expected as many targets as inputs, and at least one. Received: "
            f"rows of inputs {[len(p) for p in _flat(x)]}, rows of targets "
            f"{[len(p) for p in _flat(y)]}")


def check_finite(x):
    """Raises where inputs hold NaN or infinity."""
    for part in map(np.asarray, _flat(x)):
        if part.dtype.kind == "f" and not np.isfinite(part).all():
            rows = ~np.isfinite(part.reshape(len(part), -1)).all(axis=1)
            raise ValueError(
                "Expected finite inputs: drop or fill what is missing. Received: "
                f"{int(rows.sum())} of {len(part)} rows with NaN or infinity, "
                f"the first at index {int(rows.argmax())}")


def _hold_out(data, share):
    """Splits the last `share` of all arrays off, as Keras does."""
    if not 0 < share < 1:
        raise ValueError("Expected a share above 0 and below 1. Received: "
                         f"validation_split={share}")
    size = len(_flat(data[0])[0])
    cut = size - int(size * share)

    def part(rows):
        return tuple(tf.nest.map_structure(lambda a: a[rows], d)
                     if d is not None else None for d in data)

    held = part(slice(cut, None))
    return part(slice(cut)), held if held[2] is not None else held[:2]


def _first_batch(dataset):
    """First batch of a dataset; `None` where looking would use it up."""
    if isinstance(dataset, tf.data.Dataset):
        for batch in dataset.take(1):
            return batch
        raise ValueError("Expected data to train on. Received: an empty dataset")
    return None


def _count_rows(dataset, batch):
    """Rows of a dataset: batches times the first batch."""
    size = getattr(dataset, "cardinality", lambda: tf.constant(-2))()
    if int(size) < 0 or batch is None:
        raise ValueError(
            "Expected data of known length, since the prior is weighed by it. "
            "Say it with `fit(..., num_data=)`. Received: "
            f"{type(dataset).__name__} of unknown or infinite length")
    rows = int(size) * len(_flat(batch)[0])
    logging.info("num_data=%d: %d batches, the last one taken for whole. Say "
                 "`fit(..., num_data=)` where it is not.", rows, int(size))
    return rows
