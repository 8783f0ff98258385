"""Published figures of the slides that have no line in a table, and why."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Absent:
    """Figures of a slide that no table has.

    Args:
        source: Subject of the slides.
        figures: Which ones.
        reason: Why, a sentence.
    """

    source: str
    figures: str
    reason: str


_TALK = "Bayesian Deep Learning: Insights, Methods, and Applications"
_APD = "Adversarial Distillation of Bayesian Neural Network Posteriors"
_GUMBEL = "Bayesian Deep Learning and Gumbel-Max Perturbation Models"

ABSENT = (
    Absent(_APD, "Omniglot among the sets that are detected",
           "TFDS has the set by name; no copy was at hand where the tables were made."),
    Absent(_TALK, "BayesAdapter on ImageNet, face recognition and detection",
           "the slides show pictures without numbers, of networks too large for two "
           "cores."),
    Absent(_TALK, "ECE of structures on CIFAR-10 and CIFAR-100, seven methods",
           "the published networks and epochs are too large for two cores; four of the "
           "methods stand in a table of Fashion-MNIST."),
    Absent(_TALK, "ECE of FBN and NEK-FAC",
           "these are posteriors of others; the zoo has neither of them."),
    Absent(_TALK, "Deep Gaussian process for traffic and pickups",
           "the zoo has no deep Gaussian process; its column is not compared."),
    Absent(_TALK, "Adversarial training of a wide ResNet on CIFAR-10, all rows",
           "the network is too large for two cores; the configs in `configs/cifar10` "
           "have its size, and a table of MNIST has a smaller one."),
    Absent(_TALK, "Structured GAN on SVHN and CIFAR-10, and seven other methods",
           "1,000 epochs of these networks are too many for two cores, and SVHN was "
           "not at hand; the config for CIFAR-10 has the published sizes. The other "
           "methods are not in the zoo."),
    Absent(_TALK, "SVHN to MNIST, also of VADA, whose only figures these are",
           "SVHN was not at hand where the tables were made; the config "
           "`configs/svhn_cropped/cat_mnist.py` takes it by its TFDS name."),
    Absent(_TALK, "DDC, CoGAN, DRCN, ADDA, LEL and AssocDA on MNIST and USPS",
           "these are methods of others, with which the authors compare; the zoo has "
           "none of them."),
    Absent(_TALK, "MSTN, MNIST to USPS",
           "the zoo has the method, in the table of imbalanced domains; it was not run "
           "on the whole sets."),
    Absent(_GUMBEL, "Entropy of networks of CIFAR-10 on SVHN",
           "SVHN was not at hand; Fashion-MNIST takes its place, and the figures stand "
           "beside ours without a verdict."),
    Absent(_GUMBEL, "Discrete VAE on Omniglot",
           "the slides show curves without numbers; the experiment takes the set by "
           "its TFDS name."),
)
