"""BatchBALD: chooses the batch whose labels together say most about the weights.

    a(x_1, ..., x_b) = I(y_1, ..., y_b; w)
                     = H(y_1, ..., y_b) - sum over i of E_w H(y_i | w)

Rows are chosen one by one, each the best addition to those before it. The score of
this batch is at least 1 - 1/e of the best one. For draw s and labels m of the chosen
rows, let `Q_ms = prod over i of p_s(y_i = m_i)`, and let
`R_ms = Q_ms / sum over s of Q_ms` be the posterior of the draws after these labels.
Then another row adds

    I(y; w | y_1, ..., y_b) = sum over m of W_m [H(sum over s of R_ms p_s)
                                                 - sum over s of R_ms H(p_s)]

While the possible labels m are few, all of them are summed over, with
`W_m = mean over s of Q_ms`. Otherwise M of them are drawn from the mixture, each from
a network s that is drawn first, with `W_m = 1 / M`. By the chain rule this is the
importance-weighted entropy of the paper. Both of its terms use the same labels, so
that no estimate is negative.

Reference: Kirsch, van Amersfoort and Gal, BatchBALD: Efficient and Diverse Batch
Acquisition for Deep Bayesian Active Learning, NeurIPS 2019.
"""

import numpy as np

from bdlzoo.core import noise

_BUDGET = 2**27  # Bytes of joint probabilities in memory.
_NEVER = -1e3  # A finite log probability whose exponential is 0.


def batch_bald(log_probs, count, key, num_configurations=1000):
    """Chooses rows whose labels are jointly most informative.

    Args:
        log_probs: Log class probabilities `[S, N, C]` of coherent draws: draw s
            is one network for all rows.
        count: Integer, number of rows to choose.
        key: Key of the sampled labels, and of the order of ties.
        num_configurations: Integer, number M of joint labels that are drawn. If there
            are at most M of them, all are summed over.

    Returns:
        `rows`, integers `[count]` in the order of choice, and `scores` `[count]`,
        information in nats of the labels of the first one, two, ... rows.
    """
    log_probs = np.asarray(log_probs, "float64")
    draws, size, _ = log_probs.shape
    if not 1 <= count <= size:
        raise ValueError("Expected to choose at least one row, and at most all "
                         f"{size} rows. Received: count={count}")
    # The first row wins a tie, so the rows are put into a random order.
    order = noise.permutation(size, noise.fold_in(key, 0)).numpy()
    log_probs = np.maximum(log_probs[:, order], _NEVER)
    log_probs -= _log_sum_exp(log_probs, axis=-1)
    probs = np.exp(log_probs)
    entropies = -np.sum(probs * log_probs, axis=-1)  # [S, N]
    chosen, scores = [], []
    for _ in range(count):
        weights, posterior = _fantasies(
            log_probs[:, chosen], num_configurations, noise.fold_in(key, 1))
        gains = _joint_entropies(weights, posterior, probs)
        gains -= (weights @ posterior) @ entropies  # [N]
        gains[chosen] = -np.inf
        # If all gains are zero up to rounding, the order decides.
        best = int(np.argmax(np.round(gains, 9)))
        chosen.append(best)
        scores.append(gains[best] + (scores[-1] if scores else 0.0))
    return order[chosen], np.array(scores)


def _fantasies(log_probs, limit, key):
    """Possible labels of the chosen rows, and the posteriors that they give.

    Returns:
        Weights of the labels, `[M]`, and the posterior of the draws under each of
        them, `[M, S]`.
    """
    draws, count, classes = log_probs.shape
    exact = classes**count <= limit
    if exact:
        labels = np.indices([classes] * count)
        labels = labels.reshape(count, classes**count)  # [b, M]
    else:
        labels = _sampled_labels(log_probs, limit, key)
    log_joint = np.zeros([draws, labels.shape[1]])
    for row, label in enumerate(labels):
        log_joint += log_probs[:, row, label]
    log_sum = _log_sum_exp(log_joint, axis=0)
    weights = np.exp(log_sum[0]) / draws if exact else (
        np.full(labels.shape[1], 1.0 / limit))
    return weights, np.exp(log_joint - log_sum).T


def _sampled_labels(log_probs, limit, key):
    """Labels `[b, M]`, each column from one network that is drawn first."""
    draws, count, _ = log_probs.shape
    # Labels of earlier rows stay the same when a row is added.
    which, *uniforms = noise.uniform([count + 1, limit], key).numpy()
    networks = np.int32(draws * which)
    below = np.cumsum(np.exp(log_probs), axis=-1)[networks]  # [M, b, C]
    return np.sum(np.stack(uniforms)[..., None]
                  > below.transpose(1, 0, 2)[..., :-1], axis=-1)


def _joint_entropies(weights, posterior, probs):
    """Entropy of the label of each row, averaged over labels of the chosen, `[N]`."""
    draws, size, classes = probs.shape
    step = max(1, _BUDGET // (8 * len(weights) * classes))
    entropies = []
    for start in range(0, size, step):  # Chunks of the pool that fit in memory.
        part = probs[:, start:start + step].reshape(draws, -1)
        joint = posterior @ part
        joint *= np.log(np.maximum(joint, 1e-300))  # 0 log 0 is 0.
        entropies.append(-(weights @ joint).reshape(-1, classes).sum(axis=-1))
    return np.concatenate(entropies)


def _log_sum_exp(values, axis):
    high = np.max(values, axis=axis, keepdims=True)
    return high + np.log(np.sum(np.exp(values - high), axis=axis, keepdims=True))
