"""Layers with random masks, weights or structure, and priors over weights."""

from bdlzoo.layers.batch_normalization import (
    BatchNormalizationExemplar,
    BatchNormalizationFlipout,
)
from bdlzoo.layers.cell import Cell
from bdlzoo.layers.concrete_dropout import ConcreteDropout
from bdlzoo.layers.concrete_structure import ConcreteStructure
from bdlzoo.layers.conv1d import (
    Conv1DExemplar,
    Conv1DFlipout,
    Conv1DLocalReparameterization,
    Conv1DReparameterization,
    Conv1DVariationalDropout,
)
from bdlzoo.layers.conv2d import (
    Conv2DExemplar,
    Conv2DFlipout,
    Conv2DLocalReparameterization,
    Conv2DReparameterization,
    Conv2DVariationalDropout,
)
from bdlzoo.layers.conv3d import (
    Conv3DExemplar,
    Conv3DFlipout,
    Conv3DLocalReparameterization,
    Conv3DReparameterization,
    Conv3DVariationalDropout,
)
from bdlzoo.layers.dense import (
    DenseExemplar,
    DenseFlipout,
    DenseLocalReparameterization,
    DenseReparameterization,
    DenseVariationalDropout,
)
from bdlzoo.layers.depthwise_convolution import (
    DepthwiseConv2DExemplar,
    DepthwiseConv2DFlipout,
    DepthwiseConv2DLocalReparameterization,
    DepthwiseConv2DReparameterization,
)
from bdlzoo.layers.einsum_dense import (
    EinsumDenseFlipout,
    EinsumDenseReparameterization,
)
from bdlzoo.layers.embedding import (
    EmbeddingFlipout,
    EmbeddingLocalReparameterization,
    EmbeddingReparameterization,
)
from bdlzoo.layers.embedding_dropout import EmbeddingDropout
from bdlzoo.layers.gru import GRUFlipout, GRUReparameterization
from bdlzoo.layers.label_concatenation import LabelConcatenation
from bdlzoo.layers.laplace_prior import LaplacePrior
from bdlzoo.layers.log_uniform_prior import LogUniformPrior
from bdlzoo.layers.lstm import LSTMFlipout, LSTMReparameterization
from bdlzoo.layers.max_unpooling import MaxUnpooling
from bdlzoo.layers.mixed_operation import MixedOperation
from bdlzoo.layers.mixture import Mixture
from bdlzoo.layers.naive_dropout_lstm import NaiveDropoutLSTM
from bdlzoo.layers.normal_prior import NormalPrior
from bdlzoo.layers.scale_mixture_prior import ScaleMixturePrior
from bdlzoo.layers.scattering import Scattering
from bdlzoo.layers.sde_flow import SDEFlow
from bdlzoo.layers.simple_rnn import SimpleRNNFlipout, SimpleRNNReparameterization
from bdlzoo.layers.spatial_concrete_dropout import SpatialConcreteDropout
from bdlzoo.layers.weight_normalization import WeightNormalization

__all__ = [
    "BatchNormalizationExemplar", "BatchNormalizationFlipout", "Cell",
    "ConcreteDropout", "ConcreteStructure", "Conv1DExemplar", "Conv1DFlipout",
    "Conv1DLocalReparameterization", "Conv1DReparameterization",
    "Conv1DVariationalDropout", "Conv2DExemplar", "Conv2DFlipout",
    "Conv2DLocalReparameterization", "Conv2DReparameterization",
    "Conv2DVariationalDropout", "Conv3DExemplar", "Conv3DFlipout",
    "Conv3DLocalReparameterization", "Conv3DReparameterization",
    "Conv3DVariationalDropout", "DenseExemplar", "DenseFlipout",
    "DenseLocalReparameterization", "DenseReparameterization",
    "DenseVariationalDropout", "DepthwiseConv2DExemplar", "DepthwiseConv2DFlipout",
    "DepthwiseConv2DLocalReparameterization", "DepthwiseConv2DReparameterization",
    "EinsumDenseFlipout", "EinsumDenseReparameterization", "EmbeddingDropout",
    "EmbeddingFlipout", "EmbeddingLocalReparameterization",
    "EmbeddingReparameterization", "GRUFlipout", "GRUReparameterization", "LSTMFlipout",
    "LSTMReparameterization", "LabelConcatenation", "LaplacePrior", "LogUniformPrior",
    "MaxUnpooling", "MixedOperation", "Mixture", "NaiveDropoutLSTM", "NormalPrior",
    "SDEFlow", "ScaleMixturePrior", "Scattering", "SimpleRNNFlipout",
    "SimpleRNNReparameterization", "SpatialConcreteDropout", "WeightNormalization",
]
