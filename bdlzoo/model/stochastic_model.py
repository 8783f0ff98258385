"""Base class of everything in the zoo that trains with noise.

    key of a step = fold_in(seed, TRAIN, step, stream)      no state but the step

Its loop trains classifiers, density models, adversaries and agents alike: networks,
likelihoods and labels are not known here.
"""

import random

import keras
import tensorflow as tf

from bdlzoo.core import batches, noise, strategies
from bdlzoo.core.keras_internals import RunsOnReplicas
from bdlzoo.core.replicas import in_equal_shares, share_of
from bdlzoo.model import batch_sources, checkpoint, steps_per_call
from bdlzoo.model.batch_checks import BatchChecks
from bdlzoo.model.data_doors import DataDoors, check_sizes
from bdlzoo.model.exports import Exports
from bdlzoo.model.finite_weights import FiniteTraining, FiniteWeights
from bdlzoo.model.model_file import SealedFiles
from bdlzoo.model.preset_files import PresetFiles
from bdlzoo.model.run_hooks import RunHooks
from bdlzoo.model.training_data import TrainingData, held_out


class StochasticModel(SealedFiles, PresetFiles, Exports, RunHooks, DataDoors,
                      FiniteWeights, RunsOnReplicas, keras.Model):
    """A Keras model whose noise is a function of seed and step.

    A subclass overrides the lowest rung that expresses it: `objective` (the loss),
    `update` (a step that is not the optimiser's alone), or `train_step` (several
    losses and optimisers in a step; `step_keys`, `track` and `reduced` are for it).
    `scores` is what `evaluate` reports, `endpoints` what an export answers.

    Args:
        num_data: Integer, size of the training set; `None` reads it in `fit`.
        seed: Integer; `None` draws one, which is saved with the model.
        **kwargs: Arguments of `keras.Model`, such as `name`.
    """

    log_names = ("loss",)
    optimizer_names = ("optimizer",)  # Attributes; the first one counts the steps.
    targets = "optional"  # Whether `fit` wants `y`: "required", "optional", "none".
    side_data = ()  # Sets that `fit` takes beside the inputs, such as "unlabelled".
    numbers_rows = False  # Whether a step is told which rows of the data it has.
    needs_num_data = False  # Whether the loss weighs a term by the number of rows.
    data_copies = None  # Orders of the data side by side: batches [B, M, ...].
    loss_factor = 1.0  # Of the loss that is shown, in the one that is minimised.
    most_steps_per_call = 32  # Steps that one call of the train function may take.
    row_group = 1  # Rows that stay together: one of each model side by side.
    plays_against_itself = False  # Whether networks of it learn from each other.
    inapplicable = {}  # Checks of the contract that do not apply, with the reason.

    def __init__(self, num_data=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.fixed_num_data = num_data
        self.seed_was_drawn = seed is None  # A checkpoint then brings its own.
        self.seed = random.randrange(2**31) if seed is None else (
            noise.check_seed(seed))
        # A weight: an attribute would be frozen into the compiled step.
        self.num_data = self.add_weight(
            name="num_data", initializer="ones", trainable=False, autocast=False)
        self.trackers = {n: keras.metrics.Mean(n) for n in self.log_names}

    # What a model may override.

    def objective(self, x, y, sample_weight, key):
        """Loss of a batch.

        Args:
            x: Inputs.
            y: Targets, or `None`.
            sample_weight: Weights of the rows, or `None`.
            key: Key of the noise, this replica's own.

        A model with `side_data` also takes each of them by name, where `fit` had it.

        Returns:
            Dictionary of logs, `loss` among them, and what `update_metrics` needs.
        """
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

    def update_metrics(self, y, prediction, sample_weight):
        """Updates metrics on a training batch; returns their results."""
        return {}

    def scores(self, x, y, key):
        """What `evaluate` reports: numbers `[B]` of the rows, `loss` among them.

        Args:
            x: Inputs.
            y: Targets, or `None`.
            key: Key of the noise, the same for all batches.
        """
        raise self.refusal("evaluate")

    def variable_groups(self):
        """Weights to train, a list for each of `optimizer_names`."""
        return (self.trainable_variables,)

    def check_ready(self):
        """Raises where there is nothing to predict from or to export yet."""
        if not self.built:
            raise ValueError("Expected a built model: call `fit`, or "
                             "`build(input_shape)`, first.")

    def check_data(self, x, y):
        """Raises a `ValueError` where arrays are not what the model takes."""
        self.check_targets(y)
        batches.check_rows(x, y)
        batches.check_finite(x, dtype=self.input_type)
        batches.check_finite(y, "targets")

    def quick_check(self, x, y):
        """A quick look at a batch, inside a graph.

        Args:
            x: Tensors of inputs.
            y: Tensors of targets, or `None`.

        Returns:
            Scalar bool. `False` means that something may be wrong: `check_data` then
            decides, which takes longer. A model that overrides `check_data` alone
            has it decide for every batch.
        """
        targets = [part for part in batches.flat(y) if part is not None]
        return batches.all_of([
            *(batches.seem_finite(part, self.input_type) for part in batches.flat(x)),
            *(batches.seem_finite(part, keras.backend.floatx()) for part in targets)])

    def check_targets(self, y):
        """Raises where there are targets, or none, and should not be."""
        if y is None and self.targets == "required":
            raise ValueError("Expected targets beside the inputs: give `y`, or a "
                             "dataset of pairs `(x, y)`. Received: y=None")
        if y is not None and self.targets == "none":
            raise ValueError(
                f"Expected inputs alone: a {type(self).__name__} has no targets. Leave "
                "`y` out, or map a dataset to its inputs. Received: y of type "
                f"{type(y).__name__}")

    def check_side_data(self, name, x, beside):
        """Raises where a set beside the inputs does not fit them.

        Args:
            name: Word of `fit`, such as `"unlabelled"`.
            x: Rows of the set.
            beside: Rows of the inputs.
        """
        batches.check_rows(x)
        batches.check_finite(x)
        found, wanted = batches.layout(x), batches.layout(beside)
        if found != wanted:
            raise ValueError(f"Expected rows of {name} in the shape of the inputs, "
                             f"{wanted}. Received: {name} of shapes {found}")

    # What a user calls.

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
            steps_per_epoch=None, num_data=None, unlabelled=None, target=None,
            checkpoint_dir=None, augmentation=None, **kwargs):
        """Trains as in Keras; the order of epoch k is a function of the seed.

        Args:
            x: Inputs: arrays or frames, or dictionaries and tuples of them; a dataset,
                `keras.utils.PyDataset` or generator of batches; or a
                `bdlzoo.data.Experience` that makes them as it goes.
            y: Targets, for models that have some; the integer -1 marks rows without
                a label where the model takes `unlabelled`.
            num_data: Integer, size of the training set, where the data do not
                say it (a dataset of unknown or infinite length).
            unlabelled: Inputs without labels, arrays or a dataset, for models that
                learn from them too.
            target: Inputs of another domain, likewise.
            checkpoint_dir: Folder for checkpoints at epoch ends. Where it holds
                some, training goes on from the last one, bit for bit.
            augmentation: `bdlzoo.data.PairedAugmentation` of images and masks.

        The other arguments are those of `keras.Model.fit`.
        """
        self._check_compiled()
        check_sizes(batch_size=batch_size, steps_per_epoch=steps_per_epoch,
                    validation_batch_size=kwargs.get("validation_batch_size"))
        data = TrainingData.of(self, x, y, sample_weight, unlabelled=unlabelled,
                               target=target)
        if validation_split and validation_data is None:
            data, validation_data = data.hold_out(validation_split)
        validation_data = batch_sources.converted_pair(self, validation_data)
        self._begin(data, validation_data, class_weight, num_data)
        data = data.class_weighed(self, class_weight)
        savers = [] if checkpoint_dir is None else [
            self._resume(checkpoint_dir, data.experience)]
        initial_epoch = max(initial_epoch, *(len(s.history) for s in savers), 0)
        stream, steps = data.stream(self, batch_size, steps_per_epoch, initial_epoch,
                                    shuffle, epochs, augmentation)
        self._set_steps_per_call(data, stream, steps, callbacks)
        rows_at_once = kwargs.pop("validation_batch_size", None) or batch_size or 32
        is_stream = isinstance(stream, tf.data.Dataset)
        checks = BatchChecks(self)
        if not data.is_whole:
            stream = checks.watched(stream, "the training data")
        held = held_out(checks.watched(validation_data, "the validation data"),
                        rows_at_once)
        with checks.explained():
            return super().fit(
                stream, batch_size=None if is_stream else batch_size, epochs=epochs,
                callbacks=[FiniteTraining(checkpoint_dir), *(callbacks or []), *savers,
                           *data.callbacks(self)],
                validation_data=held, validation_batch_size=rows_at_once,
                initial_epoch=initial_epoch, shuffle=shuffle and not is_stream,
                steps_per_epoch=steps, verbose=verbose, **kwargs)

    def build_optimizers(self):
        """Makes the variables of all optimisers, to be loaded into."""
        for optimizer, variables in self._optimizers():
            if not optimizer.built:
                optimizer.build(variables)

    def step_keys(self):
        """Keys of this step: that of all replicas, and this replica's own."""
        step = noise.key(self.seed, noise.TRAIN, self.optimizer.iterations)
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return noise.fold_in(step, 0), noise.fold_in(step, 1 + replica)

    def train_step(self, data):
        x, y, sample_weight = batches.unpack(data)
        side = {}
        if isinstance(x, batches.Beside):
            x, side = x
            x = in_equal_shares(x, side)
        self.build_once(x)
        shared, own = self.step_keys()
        with tf.GradientTape() as tape:
            logs, prediction = self.objective(x, y, sample_weight, own, **side)
            scaled = share_of(self.loss_factor * logs["loss"], self.optimizer, x)
        gradients = tape.gradient(scaled, self.trainable_variables)
        self.update(gradients, shared)
        results = self.track(logs, tf.shape(batches.flat(x)[0])[0])
        results.update(self.update_metrics(y, prediction, sample_weight))
        return self.reduced(results)

    def test_step(self, data):
        x, y, sample_weight = batches.unpack(data)
        self.check_targets(y)
        self.build_once(x)
        logs = self.scores(x, y, noise.key(self.seed, noise.PREDICT))
        return self.reduced(self.track(logs, sample_weight))

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

    def _begin(self, data, validation_data, class_weight, num_data):
        """Checks the data of `fit`, counts them, and builds the model from them."""
        data.check(self, validation_data, class_weight)
        self.num_data.assign(data.count(self, num_data) or self.num_data)
        if data.sample is not None:
            with self.distribute_strategy.scope():  # Not inside a trace.
                self.build_once(data.sample[0])

    def _set_steps_per_call(self, data, stream, steps, callbacks):
        if self._choose_steps or data.experience is not None:
            steps_per_call.set_to(self, steps_per_call.choose(
                self, data, stream, steps, callbacks))

    def _resume(self, folder, experience):
        """Loads the last checkpoint; returns the callback that writes the next."""
        with self.distribute_strategy.scope():
            self.build_optimizers()
            return checkpoint.resume(self, folder, experience, strategies.is_chief(
                self.distribute_strategy))

    def drops_remainder(self, rows, batch_size):
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
