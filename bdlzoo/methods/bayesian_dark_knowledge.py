"""Bayesian dark knowledge: one network that predicts as the whole chain does.

    w     a chain of SGLD on the data, the teacher
    x'    inputs with noise, or uniform in a box
    loss  mean over x' of the cross-entropy of p(y | x', w) and student(y | x')
          + ||u||**2 / (2 s**2 num_data)            s = student_prior_scale

In each step the student learns from the current sample of the chain: the average over
samples comes about over time, and no sample is stored. For classes the student learns
the mean probabilities; for real numbers its mean m and variance v learn, from a
teacher of mean t and noise n,

    0.5 (log v + ((t - m)**2 + n) / v)

so that v becomes the sum of the noise and the spread of the chain. One network has no
draws that could disagree. With `learn_entropy`, a head beside the student learns the
part of the entropy that is noise in the data; the rest is the mutual information.

Reference: Balan et al., Bayesian Dark Knowledge, NeurIPS 2015; Vadera et al.,
Generalized Bayesian Posterior Expectation Distillation, UAI 2020.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise, registry
from bdlzoo.core.positions import Positions
from bdlzoo.core.replicas import share_of
from bdlzoo.families import point_estimate, weight_prior
from bdlzoo.families.distilling_model import DistillingModel
from bdlzoo.likelihoods import Bernoulli, ClassLikelihood
from bdlzoo.surgery import conversion, input_form
from bdlzoo.surgery.encoder import Encoder
from bdlzoo.surgery.stacked_network import StackedNetwork

_serialize = keras.saving.serialize_keras_object
_deserialize = keras.saving.deserialize_keras_object


@keras.saving.register_keras_serializable(package="bdlzoo")
class BayesianDarkKnowledge(DistillingModel):
    """Trains a student on the predictions of the samples of a chain.

    Args:
        network: Keras model, the teacher; its outputs are logits for classes, means for
            numbers. Chains start from their own initial weights, not from those of the
            model.
        likelihood: Likelihood of the teacher: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
            Its own parameters, such as a noise scale, are fitted and not sampled.
        student: Keras model that learns from the chains, or a dictionary with the name
            of a network under `type`; `None` for one like the teacher.
        student_likelihood: Likelihood of the student, given like that of the teacher.
            `None` takes the teacher's, for classes. For numbers give one with a
            variance for each input, `"heteroscedastic_gaussian"`.
        student_prior_scale: Float, standard deviation of the zero-mean Gaussian prior
            on the weights of the student; `None` for no prior.
        input_noise: Float, standard deviation of the noise on the inputs that teacher
            and student see in distillation.
        box: Pair of floats. If given, the inputs of distillation are drawn uniformly
            between them, and the data and `input_noise` are not used.
        learn_entropy: Bool, whether a head beside the student learns the mean entropy
            of the teacher's samples.
        num_samples: Integer, draws at prediction. All draws are the same, so one is
            enough.
        num_chains: Integer, chains that run side by side in one computation.
        burn_in: Integer, steps before samples are kept.
        thinning: Integer, steps from one kept sample to the next.
        num_kept: Integer, samples that are kept of each chain, the newest ones.
        temperature: Float, 1 for the Bayes posterior, 0 for gradient descent without
            noise.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights of the teacher; `None` for a flat prior.
        sample_file: Path of a file to which all samples are written, also those that
            the model drops; `None` for no file.
        own_order: Bool, whether each chain sees arrays in its own order; batches of a
            dataset are the same for all chains.
        num_train_samples: Integer, draws in a training step. It has no effect here: a
            step makes one pass through each chain's network.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.BayesianDarkKnowledge(network, input_noise=0.1)
        model.compile(keras.optimizers.SGD(0.05), student_optimizer="adam")
        model.fit(x, y, epochs=20)
    """

    log_names = ("loss", "nll", "kl", "student_loss", "entropy_error")
    optimizer_names = ("optimizer", "student_optimizer")
    draws_differ = False

    def __init__(self, network, likelihood="categorical", student=None,
                 student_likelihood=None, student_prior_scale=None, input_noise=0.0,
                 box=None, learn_entropy=False, num_samples=1, num_chains=1, burn_in=0,
                 thinning=1, num_kept=1, temperature=1.0, prior_scale=1.0,
                 sample_file=None, own_order=False, num_train_samples=1, kl_weight=1.0,
                 num_data=None, seed=None, **kwargs):
        teacher = registry.build(likelihood)
        classes = isinstance(teacher, ClassLikelihood)
        if student_likelihood is None and not classes:
            raise ValueError(
                "Expected a student that predicts a variance: a network with two "
                "outputs for each target, and `student_likelihood="
                "\"heteroscedastic_gaussian\"`. Received: student_likelihood=None")
        if learn_entropy and not classes:
            raise ValueError("Expected a likelihood of classes, whose entropy can be "
                             "learnt. Received: "
                             f"likelihood={teacher.name}, learn_entropy=True")
        if not input_noise >= 0:
            raise ValueError("Expected a number that is not negative. Received: "
                             f"input_noise={input_noise}")
        if box is not None and not box[0] < box[1]:
            raise ValueError("Expected a box whose low edge is below the high one. "
                             f"Received: box={box}")
        super().__init__(
            network, student_likelihood or teacher, num_chains=num_chains,
            burn_in=burn_in, thinning=thinning, num_kept=num_kept,
            temperature=temperature, prior_scale=prior_scale, sample_file=sample_file,
            own_order=own_order, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight,
            num_data=num_data, seed=seed, **kwargs)
        self.teacher_likelihood = teacher
        plain = network.plain if isinstance(network, StackedNetwork) else network
        self.student = registry.build(student) if student is not None else (
            type(plain).from_config(plain.get_config()))
        self.student_prior_scale = student_prior_scale
        self.input_noise = input_noise
        self.box = box
        self.learn_entropy = learn_entropy

    @property
    def blueprint(self):
        return self.student

    @property
    def member_likelihood(self):
        return self.teacher_likelihood

    def build(self, input_shape):
        super().build(input_shape)
        conversion.adopt(self.network.plain)
        if not self.teacher_likelihood.built:
            self.teacher_likelihood.build(self.network.plain.output_shape)
        if self.learn_entropy:
            outputs = self.output_shape_of(input_shape)
            if isinstance(self.likelihood, Bernoulli):  # One entropy a position.
                self.refuse_positions((None, outputs[-1]), "the head of entropies has "
                                      "one output for each position")
            self._encoder = Encoder(self.student)
            with tf.init_scope():
                row = input_form.blank_rows(self.student, input_shape)
                self.entropy_head = keras.layers.Dense(1, "softplus", name="entropy")
                self.entropy_head.build((None, self._encoder(row).shape[-1]))
        self._entropy = tf.function(self._expected_entropy, reduce_retracing=True)

    def compile(self, optimizer="sgd", student_optimizer="adam", **kwargs):
        """Compiles as in Keras, with optimisers for teacher and student.

        Args:
            optimizer: Optimiser of the teacher: `keras.optimizers.SGD`, whose
                learning rate is the step size of the chains.
            student_optimizer: Optimiser of the student, any of Keras.
            **kwargs: Other arguments of `keras.Model.compile`, such as `metrics`,
                `jit_compile` and `steps_per_execution`.
        """
        super().compile(optimizer=optimizer, **kwargs)
        self.student_optimizer = keras.optimizers.get(student_optimizer)
        if self.built:
            self.build_optimizers()

    def variable_groups(self):
        return (*super().variable_groups(), self._student_variables())

    def _student_variables(self):
        head = self.entropy_head.trainable_variables if self.learn_entropy else []
        own = self.likelihood.trainable_variables if (
            self.likelihood is not self.teacher_likelihood) else []
        return [*self.student.trainable_variables, *own, *head]

    def draw_parts(self, inputs, num_samples, key):
        del key, num_samples  # There is nothing to draw.
        return point_estimate.draw_parts(self.student, inputs)

    def expected_entropy(self, inputs):
        """Mean entropy of the teacher's samples, `[B, ...]`: the noise in the data.

        The entropy of the prediction minus this one is the mutual information.

        Args:
            inputs: Arrays or tensors of inputs.
        """
        if not self.learn_entropy:
            raise ValueError("Expected a model with `learn_entropy=True`. Received: "
                             "learn_entropy=False")
        self.check_ready()
        return self._entropy(tf.nest.map_structure(tf.convert_to_tensor, inputs))

    def _expected_entropy(self, inputs):
        return self.entropy_head(self._encoder(inputs))[..., 0]

    def learn(self, x, key):
        context = tf.distribute.get_replica_context()
        own = noise.fold_in(key, 1 + context.replica_id_in_sync_group)
        x = self._inputs(x, noise.fold_in(own, 0))
        outputs = self.outputs(tf.nest.map_structure(lambda t: t[None], x))
        teacher = self.teacher_likelihood.prediction(outputs)
        mask = self.output_mask(x)
        with tf.GradientTape() as tape, noise.draws(noise.fold_in(own, 1)):
            logits = tf.cast(self.student(x, training=True), tf.float32)
            student = self.likelihood.prediction(logits[None])
            gap = teacher.cross_entropy(student)  # [B, ...]
            counted = Positions(gap, counts=[mask])
            logs = {"student_loss": counted.mean(gap)}
            loss = tf.add_n([logs["student_loss"], *self.student.losses])
            if self.student_prior_scale is not None:
                loss += weight_prior.energy(
                    self.student.trainable_variables,
                    self.student_prior_scale) / (self.num_data * counted.per_row)
            if self.learn_entropy:
                logs["entropy_error"] = counted.mean(tf.square(
                    self._expected_entropy(x) - teacher.expected_entropy))
                loss += logs["entropy_error"]
            share = share_of(loss, self.student_optimizer, x)
        variables = self._student_variables()
        self.student_optimizer.apply(tape.gradient(share, variables), variables)
        self.num_learnt.assign(self.num_learnt + 1)
        return self.track(logs)

    def _inputs(self, x, key):
        """Inputs on which the student learns from the teacher."""
        def part(place, rows):
            part_key = noise.fold_in(key, place)
            if self.box is not None:
                low, high = self.box
                uniform = noise.uniform(tf.shape(rows), part_key)
                return tf.cast(low + (high - low) * uniform, rows.dtype)
            if not self.input_noise:
                return rows
            normal = noise.normal(tf.shape(rows), part_key)
            return rows + tf.cast(self.input_noise * normal, rows.dtype)

        parts = [part(place, rows) for place, rows in enumerate(tf.nest.flatten(
            self._rows(x)))]
        return tf.nest.pack_sequence_as(x, parts)

    def _rows(self, x):
        """Rows of all chains in one batch, if each chain has its own order."""
        if tf.nest.flatten(x)[0].shape.rank == self._input_rank:
            return x
        return tf.nest.map_structure(
            lambda t: tf.reshape(t, tf.concat([[-1], tf.shape(t)[2:]], axis=0)), x)

    def served_parts(self):
        head = [self.entropy_head] if self.learn_entropy else []
        return [self.student, self.likelihood, self.calibration, *head]

    def get_config(self):
        box = self.box and [np.asarray(edge).tolist() for edge in self.box]
        return {**super().get_config(),
                "likelihood": _serialize(self.teacher_likelihood),
                "student": _serialize(self.student),
                "student_likelihood": None if (
                    self.likelihood is self.teacher_likelihood) else _serialize(
                        self.likelihood),
                "student_prior_scale": self.student_prior_scale,
                "input_noise": self.input_noise, "box": box,
                "learn_entropy": self.learn_entropy}

    @classmethod
    def from_config(cls, config):
        parts = {k: _deserialize(config[k]) for k in ("student", "student_likelihood")}
        return super().from_config({**config, **parts})
