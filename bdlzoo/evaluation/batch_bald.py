"""BatchBALD: the batch whose labels, together, say most about the weights.

    a(x_1, ..., x_b) = I(y_1, ..., y_b; w)
                     = H(y_1, ..., y_b) - sum over i of E_w H(y_i | w)

Rows come one by one, each the best beside those chosen, which is within
1 - 1/e of the best batch. With `Q_ms = prod over i of p_s(y_i = m_i)` for draw s
and labels m of the rows chosen, and `R_ms = Q_ms / sum over s of Q_ms` the
posterior of the draws had these labels been seen, a row adds

    I(y; w | y_1, ..., y_b) = sum over m of W_m [H(sum over s of R_ms p_s)
                                                 - sum over s of R_ms H(p_s)]

All labels are counted, with `W_m = mean over s of Q_ms`, while they are few.
Beyond, `W_m = 1 / M` for M of them drawn from the mixture: each from a network
s, itself drawn. This is the importance-weighted entropy of the paper by the chain
rule, with both its terms from the same labels, so that no estimate is negative.

Reference: Kirsch, van Amersfoort and Gal, BatchBALD: Efficient and Diverse Batch
Acquisition for Deep Bayesian Active Learning, NeurIPS 2019.
"""

import numpy as np

from bdlzoo.core import noise

_BUDGET = 2**27  # Bytes of joint probabilities at once.
_NEVER = -1e3  # A log probability whose exponential is 0, and yet finite.


def batch_bald(log_probs, count, key, num_configurations=1000):
    """Chooses rows whose labels are jointly most informative.

    Args:
        log_probs: Log class probabilities `[S, N, C]` of coherent draws: draw s
            is one network for all rows.
        count: Integer, how many rows.
        key: Key of the sampled labels and of ties, which it breaks.
        num_configurations: Integer, labels of the rows chosen that are summed
            over: all, where there are no more, else so many drawn ones.

    Returns:
        `rows`, integers `[count]` in the order of choice, and `scores`
        `[count]`, nats that the labels of the first one, two, ... rows give.
    """
    log_probs = np.asarray(log_probs, "float64")
    draws, size, _ = log_probs.shape
    if not 1 <= count <= size:
        raise ValueError("Expected to choose at least one row, and no more than "
                         f"there are, {size}. Received: count={count}")
    # Ties go to the first row, so the rows come in a random order.
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
        # Where all gains are zero but for rounding, the order decides.
        best = int(np.argmax(np.round(gains, 9)))
        chosen.append(best)
        scores.append(gains[best] + (scores[-1] if scores else 0.0))
    return order[chosen], np.array(scores)


def _fantasies(log_probs, limit, key):
    """Labels that the chosen rows might get, and what they would teach.

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
    # Fewer rows have the first of these: labels stay as rows are added.
    which, *uniforms = noise.uniform([count + 1, limit], key).numpy()
    networks = np.int32(draws * which)
    below = np.cumsum(np.exp(log_probs), axis=-1)[networks]  # [M, b, C]
    return np.sum(np.stack(uniforms)[..., None]
                  > below.transpose(1, 0, 2)[..., :-1], axis=-1)


def _joint_entropies(weights, posterior, probs):
    """Mean over labels of the entropy of each row's next label, `[N]`."""
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
