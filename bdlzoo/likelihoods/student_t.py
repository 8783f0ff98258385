"""Student-t likelihood, for real numbers with outliers.

    p(y) = Student-t with `df` degrees of freedom, at location + scale * t

The tails are algebraic, so that a target far away pulls little at the mean. The limit
of many degrees of freedom is a Gaussian. With the degrees learnt,
`df = 2 + softplus(raw)`, since below 2 there is no variance.

Reference: Lange et al., Robust Statistical Modeling Using the t Distribution, JASA
1989.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.core import quick_cdf
from bdlzoo.likelihoods.location_scale_likelihood import LocationScaleLikelihood


@keras.saving.register_keras_serializable(package="bdlzoo")
class StudentT(LocationScaleLikelihood):
    """Reads outputs as locations of Student-t distributions.

    Args:
        df: Float above 2, degrees of freedom, or where they start.
        learn_df: Bool, whether the degrees of freedom of each target are learnt.
        noise_scale: Float, scale of the noise, or where it starts. The standard
            deviation is `sqrt(df / (df - 2))` times as large.
        learn_noise: Bool, whether the scale of each target is learnt.
        heteroscedastic: Bool, whether the scale is an output of the network: then it
            has two outputs for each target, locations first.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=StudentT(4.0, learn_noise=True))
    """

    def __init__(self, df=4.0, learn_df=False, noise_scale=1.0, learn_noise=False,
                 heteroscedastic=False, **kwargs):
        super().__init__(noise_scale, learn_noise, heteroscedastic, **kwargs)
        if not df > 2:
            raise ValueError(
                "Expected more than 2 degrees of freedom, so that there is a "
                "variance; `Distribution(\"StudentT\", ...)` takes others. Received: "
                f"df={df}")
        self.df = df
        self.learn_df = learn_df

    def build(self, output_shape):
        super().build(output_shape)
        excess = self.df - 2.0
        start = excess + math.log(-math.expm1(-excess))  # The inverse of softplus.
        self.raw_df = self.add_weight(
            name="raw_df", shape=(output_shape[-1] // self.num_parameters,),
            initializer=keras.initializers.Constant(start), trainable=self.learn_df,
            autocast=False)

    def distribution(self, outputs):
        df = 2.0 + tf.nn.softplus(tf.cast(self.raw_df, outputs.dtype))
        return quick_cdf.StudentT(df, *self.location_scale(outputs))

    def get_config(self):
        return {**super().get_config(), "df": self.df, "learn_df": self.learn_df}
