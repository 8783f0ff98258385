"""Monte Carlo dropout.

    p(y | x) = mean over s of p(y | x, w * z_s),    z_s ~ Bernoulli(1 - rate)

Dropout, left on at prediction, is a draw from an approximate posterior. The
layers that the network holds say which: Bernoulli (`Dropout`), Gaussian
(`GaussianDropout`), of channels (`SpatialDropout2D`), or concrete, whose rate is
learnt (`ConcreteDropout`, `SpatialConcreteDropout`). The loss, with the prior
where one is given, is in `bdlzoo.families.dropout_model`.

Reference: Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016;
Gal, Hron and Kendall, Concrete Dropout, NeurIPS 2017.
"""

import keras

from bdlzoo.families.dropout_model import DropoutModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class MCDropout(DropoutModel):
    """Averages a network over its dropout masks.

    Args:
        *args: See `DropoutModel`.
        **kwargs: See `DropoutModel`.

    Example:

        model = bdlzoo.methods.MCDropout(network, likelihood="categorical")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """
