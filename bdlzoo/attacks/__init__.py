"""White-box attacks on classifiers, averaged over draws where there are any."""

from bdlzoo.attacks.attack import Attack
from bdlzoo.attacks.fgsm import FGSM
from bdlzoo.attacks.iterative_fgsm import IterativeFGSM
from bdlzoo.attacks.pgd import PGD
from bdlzoo.attacks.uniform_noise import UniformNoise

__all__ = ["FGSM", "PGD", "Attack", "IterativeFGSM", "UniformNoise"]
