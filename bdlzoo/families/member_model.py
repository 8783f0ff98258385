"""Base class of models with several networks as members, trained together.

    p(y | x) = mean over m of p(y | x, w_m)

The draws of a prediction are the members, in their order. The logs show the mean loss
of the members; each member moves by its own gradient.
"""

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals, noise, stacking
from bdlzoo.core.positions import Positions, cleaned
from bdlzoo.model.objective import seen
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.surgery import memory
from bdlzoo.surgery.stacked_network import StackedNetwork


class MemberModel(PredictiveModel):
    """Holds the members as one stacked network.

    Args:
        network: Keras model, the architecture of a member. Members start from
            their own initial weights, not from those of the model.
        likelihood: Name, spec or `Likelihood` of the targets.
        num_members: Integer, number of members.
        own_order: Bool, whether each member sees arrays in its own order; batches
            of a dataset are the same for all members.
        num_samples: Integer, members that predict, counted from the first; `None`
            for all. If it is larger than `num_members`, members are used
            repeatedly, in turn.
        **kwargs: Arguments of `PredictiveModel`: `num_train_samples`, `kl_weight`,
            `num_data`, `seed`.
    """

    stores_draws = True

    def __init__(self, network, likelihood="categorical", num_members=5,
                 own_order=True, num_samples=None, **kwargs):
        self.check_members(num_members)
        fresh = not isinstance(network, StackedNetwork)
        if fresh and isinstance(network, keras.Model):  # Keras tracks only the stack.
            network = StackedNetwork(network, num_members)
        super().__init__(network, likelihood, num_samples=num_samples or num_members,
                         **kwargs)
        if fresh:
            self.network.seed = self.seed
        if self.network.copies != num_members:
            raise ValueError(f"Expected {num_members} members. Received: a stack of "
                             f"{self.network.copies} networks")
        self.num_members = num_members
        self.own_order = own_order

    @classmethod
    def check_members(cls, num_members):
        """Raises if there are not enough members."""
        if not isinstance(num_members, int) or num_members < 2:
            raise ValueError(
                "Expected at least two members; for one network use "
                f"`bdlzoo.methods.Deterministic`. Received: num_members={num_members}")

    @property
    def member_likelihood(self):
        """Likelihood by which the members are trained."""
        return self.likelihood

    @property
    def data_copies(self):
        return self.num_members if self.own_order else None

    def member(self, index):
        """Returns a copy of one member as a plain Keras model.

        Args:
            index: Integer, place of the member, counted from 0.
        """
        self.check_ready()
        if not 0 <= index < self.num_members:
            raise ValueError(f"Expected a member from 0 to {self.num_members - 1}. "
                             f"Received: index={index}")
        return self.network.get_copy(index)

    def build(self, input_shape):
        for layer in keras_internals.layers(self.network.plain):
            if hasattr(layer, "kl"):
                raise ValueError(
                    "Expected layers whose weights are points. Received: "
                    f"{layer.name} of type {type(layer).__name__}, whose divergence "
                    "from its prior would be lost in the members")
        if not self.network.built:
            self.network.build(keras.tree.map_shape_structure(
                lambda shape: (1, *shape), input_shape))
        super().build(input_shape)
        self._input_rank = tf.nest.flatten(
            keras.tree.map_shape_structure(len, input_shape))[0]
        row_bytes, weight_bytes = memory.needs(self.blueprint)
        self._row_bytes = self.num_members * row_bytes
        self._weight_bytes = self.num_members * weight_bytes

    def compile(self, optimizer="adam", **kwargs):
        super().compile(optimizer=optimizer, **kwargs)
        stacking.check_optimizer(self.optimizer)

    def draw_parts(self, inputs, num_samples, key):
        del key, num_samples  # The members are the draws.
        outputs = self.outputs(tf.nest.map_structure(lambda t: t[None], inputs))

        def part(first, count):
            known = isinstance(first, int) and isinstance(count, int)
            if known and (first, count) == (0, self.num_members):
                return outputs
            return tf.gather(outputs, (first + tf.range(count)) % self.num_members)

        return part

    def outputs(self, inputs, training=False):
        """Outputs of all members, `[M, B, ...]`, for `[M or 1, B, ...]`."""
        return tf.cast(self.network(inputs, training=training), tf.float32)

    def by_member(self, data):
        """Moves the axis of members to the front: `[M, B, ...]`, or `[1, B, ...]`.

        Args:
            data: Structure of tensors of a batch, inputs first.
        """
        first = tf.nest.flatten(data)[0]
        own = first.shape.rank > self._input_rank

        def part(tensor):
            if tensor is None:
                return None
            if not own:
                return tensor[None]
            return tf.transpose(tensor, [1, 0, *range(2, tensor.shape.rank)])

        return tf.nest.map_structure(part, data)

    def member_nll(self, x, y, key):
        """Negative log-likelihood of the rows of each member, in training.

        Args:
            x: Inputs `[M, B, ...]`, or `[1, B, ...]`.
            y: Targets in the same form.
            key: Key of the noise, such as that of dropout.

        Returns:
            Negative log-likelihoods `[M, B, ...]`, and outputs `[M, B, ..., C]`.
        """
        with noise.draws(key):
            outputs = self.outputs(x, training=True)
            rows = stacking.fold(stacking.spread(y, self.num_members))
            nll = -self.member_likelihood.log_prob(
                rows, stacking.fold(outputs)[None])[0]
        return stacking.unfold(nll, self.num_members), outputs

    def objective(self, x, y, sample_weight, key):
        x, y, sample_weight = self.by_member((x, y, sample_weight))
        mask = self.member_mask(x)
        nlls, outputs = self.member_nll(x, y, key)  # [M, B, ...]
        nll = self.mean_over_rows(nlls, y, outputs, sample_weight, mask)
        return self.with_prior(nll, nll), (outputs, y, sample_weight, mask)

    def with_prior(self, nll, loss):
        """Logs of a step: adds prior and regularisers to `loss`.

        Args:
            nll: Scalar, negative log-likelihood for the logs.
            loss: Scalar, the data term of the loss.
        """
        logs = {"nll": nll}
        kl = self.kl()
        if kl is not None:
            logs["kl"] = kl
            loss += self.kl_weight * kl / self.data_points
        loss = tf.add_n([loss, *(tf.cast(term, tf.float32)
                                 for term in self.network.losses)])
        return {"loss": loss, **logs}

    def member_mask(self, x):
        """Keras' mask of the outputs, `[M, B, ...]` or `[1, B, ...]`, or `None`.

        Args:
            x: Inputs `[M, B, ...]`, or `[1, B, ...]`.
        """
        copies = tf.nest.flatten(x)[0].shape[0]
        mask = self.output_mask(tf.nest.map_structure(stacking.fold, x))
        return mask if mask is None else stacking.unfold(mask, copies)

    def mean_over_rows(self, values, y, outputs, sample_weight, mask=None):
        """Mean over members and positions that count, weighed if there are weights.

        Args:
            values: Tensor `[M, B, ...]`.
            y: Targets `[M or 1, B, ...]`.
            outputs: Outputs `[M, B, ..., C]`.
            sample_weight: Weights `[M or 1, B, ...]`, or `None`.
            mask: Mask of the outputs `[M or 1, B, ...]`, or `None`.
        """
        values, outputs, y, sample_weight, mask = self._by_row(
            values, outputs, y, sample_weight, mask)
        counted = self._member_positions(values, y, outputs, sample_weight, mask)
        return self.positions_like(values, counted).mean(values)

    def update_metrics(self, y, found, sample_weight):
        """Metrics of all members, each on its own rows."""
        del y, sample_weight  # `found` has them, ordered by member.
        outputs, y, sample_weight, mask = self._by_row(*found)
        prediction = self.member_likelihood.prediction(outputs[None])
        counts = self.member_likelihood.counts(y, outputs[None])
        return super().update_metrics(y, seen(prediction, self._member_positions(
            prediction.log_prob(cleaned(y, counts)), y, outputs, sample_weight, mask)),
            None)

    def _by_row(self, *parts):
        """Tensors `[M or 1, B, ...]` as one batch `[M * B, ...]`."""
        return [part if part is None else stacking.fold(
            stacking.spread(part, self.num_members)) for part in parts]

    def _member_positions(self, values, y, outputs, sample_weight, mask):
        return Positions(values, sample_weight, [
            self.member_likelihood.counts(y, outputs[None]), mask])

    @property
    def loss_factor(self):
        """The logs show a mean over members; each moves by its own gradient."""
        return float(self.num_members)

    def update(self, gradients, key):
        # A learnt likelihood is shared by the members: its gradient is their mean.
        shared = {id(v) for v in self.member_likelihood.trainable_variables}
        super().update([g / self.num_members if id(v) in shared else g
                        for g, v in zip(gradients, self.trainable_variables)], key)

    def get_config(self):
        return {**super().get_config(), "num_members": self.num_members,
                "own_order": self.own_order}
