"""A mixture of Gaussians over weights: a simple way to store a posterior.

    p(w) = sum over k of share_k N(mean_k, diag(variance_k))

Fitted to samples by expectation-maximisation. It takes 2 K D numbers, as the paper
counts them, which leaves out the K shares.

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018, where 60 components reach 99.3 % of what SGLD does.
"""

import numpy as np

from bdlzoo.core import noise


class WeightMixture:
    """Diagonal Gaussians fitted to samples of weights.

    Args:
        samples: Array `[n, D]`.
        num_components: Integer.
        seed: Integer, of the start.
    """

    def __init__(self, samples, num_components, seed=0):
        from sklearn.mixture import GaussianMixture
        samples = np.asarray(samples, "float32")
        if not 1 <= num_components <= len(samples):
            raise ValueError("Expected at least one component, and no more than "
                             f"there are samples, {len(samples)}. Received: "
                             f"num_components={num_components}")
        fitted = GaussianMixture(
            num_components, covariance_type="diag", max_iter=20, reg_covar=1e-8,
            init_params="k-means++", random_state=seed).fit(samples)
        self.shares = fitted.weights_
        self.means = fitted.means_.astype("float32")
        self.scales = np.sqrt(fitted.covariances_).astype("float32")

    def num_parameters(self):
        """Means and variances, as the paper counts."""
        return 2 * self.means.size

    def generate(self, count, seed=0):
        """New vectors `[count, D]`."""
        key = noise.key(seed, noise.PREDICT)
        uniforms = noise.uniform([count], noise.fold_in(key, 0)).numpy()
        chosen = np.searchsorted(np.cumsum(self.shares), uniforms)
        chosen = np.minimum(chosen, len(self.shares) - 1)
        normals = noise.normal([count, self.means.shape[1]],
                               noise.fold_in(key, 1)).numpy()
        return self.means[chosen] + self.scales[chosen] * normals
