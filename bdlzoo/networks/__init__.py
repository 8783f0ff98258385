"""Architectures as functional Keras models, with layers of choice."""

from bdlzoo.networks.batch_norm_lenet import BatchNormLeNet
from bdlzoo.networks.bayesian_segnet import BayesianSegNet
from bdlzoo.networks.cell_cnn import CellCNN
from bdlzoo.networks.cell_mlp import CellMLP
from bdlzoo.networks.cell_unet import CellUNet
from bdlzoo.networks.gan_classifier import GanClassifier
from bdlzoo.networks.gan_code_discriminator import GanCodeDiscriminator
from bdlzoo.networks.gan_discriminator import GanDiscriminator
from bdlzoo.networks.gan_generator import GanGenerator
from bdlzoo.networks.gan_inference import GanInference
from bdlzoo.networks.lenet import LeNet
from bdlzoo.networks.lenet5 import LeNet5
from bdlzoo.networks.lenet5_classic import LeNet5Classic
from bdlzoo.networks.lstm_encoder import LSTMEncoder
from bdlzoo.networks.mlp import MLP
from bdlzoo.networks.perturbation_encoder import PerturbationEncoder
from bdlzoo.networks.perturbation_generator import PerturbationGenerator
from bdlzoo.networks.resnet20 import ResNet20
from bdlzoo.networks.scattering_mlp import ScatteringMLP
from bdlzoo.networks.sde_mlp import SDEMLP
from bdlzoo.networks.small_cnn import SmallCNN
from bdlzoo.networks.trades_cnn import TradesCNN
from bdlzoo.networks.unet import UNet
from bdlzoo.networks.wide_resnet import WideResNet
from bdlzoo.networks.wong_kolter_cnn import WongKolterCNN

__all__ = ["MLP", "SDEMLP", "BatchNormLeNet", "BayesianSegNet", "CellCNN", "CellMLP",
           "CellUNet", "GanClassifier", "GanCodeDiscriminator", "GanDiscriminator",
           "GanGenerator", "GanInference", "LSTMEncoder", "LeNet", "LeNet5",
           "LeNet5Classic", "PerturbationEncoder", "PerturbationGenerator", "ResNet20",
           "ScatteringMLP", "SmallCNN", "TradesCNN", "UNet", "WideResNet",
           "WongKolterCNN"]
