"""Attacks on classifiers, with gradients that are averaged over draws."""

from bdlzoo.attacks.apgd import APGD
from bdlzoo.attacks.art_attack import ARTAttack
from bdlzoo.attacks.attack import Attack
from bdlzoo.attacks.attack_loss import AttackLoss
from bdlzoo.attacks.carlini_wagner import CarliniWagner
from bdlzoo.attacks.cross_entropy_loss import CrossEntropyLoss
from bdlzoo.attacks.default_attacks import default_attacks
from bdlzoo.attacks.divergence_loss import DivergenceLoss
from bdlzoo.attacks.dlr_loss import DLRLoss
from bdlzoo.attacks.feature_attack import FeatureAttack
from bdlzoo.attacks.fgsm import FGSM
from bdlzoo.attacks.first_draw import FirstDraw
from bdlzoo.attacks.iterative_fgsm import IterativeFGSM
from bdlzoo.attacks.margin_loss import MarginLoss
from bdlzoo.attacks.mim import MIM
from bdlzoo.attacks.pgd import PGD
from bdlzoo.attacks.spsa import SPSA
from bdlzoo.attacks.step_attack import StepAttack
from bdlzoo.attacks.targeted_apgd import TargetedAPGD
from bdlzoo.attacks.transformed import Transformed
from bdlzoo.attacks.transport_loss import TransportLoss
from bdlzoo.attacks.uniform_noise import UniformNoise

__all__ = ["APGD", "FGSM", "MIM", "PGD", "SPSA", "ARTAttack", "Attack", "AttackLoss",
           "CarliniWagner", "CrossEntropyLoss", "DLRLoss", "DivergenceLoss",
           "FeatureAttack", "FirstDraw", "IterativeFGSM", "MarginLoss", "StepAttack",
           "TargetedAPGD", "Transformed", "TransportLoss", "UniformNoise",
           "default_attacks"]
