"""Arg max over binary variables with potentials of single ones and of pairs.

    argmax over z in {0, 1}**N of  sum_i unary_i z_i + sum_(i<j) couplings_ij z_i z_j

Up to 16 variables all codes are tried. They are split into two halves, so that the
scores of all codes are one product of matrices:

    score(a, b) = score(a) + score(b) + a W b

For more variables the couplings must not be negative. Then the problem is a minimum
cut, which SciPy solves: z_i z_j = (z_i + z_j - |z_i - z_j|) / 2, so that nodes i and j
have an edge of capacity couplings_ij / 2, and node i one to the source or to the sink.
"""

import numpy as np
import tensorflow as tf
from scipy import sparse
from scipy.sparse import csgraph

MOST_ENUMERATED = 16
_WHOLE = 2**29  # Sum of all capacities, as SciPy wants them: whole, of 32 bits.


def pairs(num_variables):
    """First and second variable of every pair, in the order of couplings."""
    return np.triu_indices(num_variables, k=1)


def products(codes):
    """z_i z_j of every pair, `[..., M]`, for codes `[..., N]`."""
    first, second = pairs(codes.shape[-1])
    return tf.gather(codes, first, axis=-1) * tf.gather(codes, second, axis=-1)


def argmax(unary, couplings):
    """The best codes, as numbers 0 and 1.

    Args:
        unary: Tensor `[B, N]`, or `[S, B, N]`.
        couplings: Tensor `[B, M]`, of every pair; at least 0 for more than 16
            variables.

    Returns:
        Tensor in the shape of `unary`.
    """
    if len(unary.shape) == 3:
        # One draw at a time: scores of all codes of all draws would not fit.
        return tf.map_fn(lambda one: argmax(one, couplings), unary)
    if unary.shape[-1] <= MOST_ENUMERATED:
        return by_enumeration(unary, couplings)
    return by_min_cut(unary, couplings)


def by_enumeration(unary, couplings):
    """The best codes `[B, N]`, by the scores of all of them."""
    size = unary.shape[-1]
    half = size // 2
    place = np.zeros((size, size), "int32")
    place[pairs(size)] = np.arange(size * (size - 1) // 2)
    across = tf.gather(couplings, place[:half, half:], axis=-1)  # [B, N / 2, N / 2]
    left, right = _all_codes(half), _all_codes(size - half)
    left_scores, right_scores = (
        tf.matmul(unary[:, part], codes, transpose_b=True) + tf.matmul(
            tf.gather(couplings, place[part, part][pairs(len(codes[0]))], axis=-1),
            products(codes), transpose_b=True)
        for part, codes in ((slice(None, half), left), (slice(half, None), right)))
    # The scores of the halves are two more columns of the product.
    moved = tf.einsum("ai,bij->baj", left, across)
    first = tf.concat([moved, left_scores[..., None],
                       tf.ones_like(left_scores)[..., None]], axis=-1)
    second = tf.concat([right + tf.zeros_like(right_scores)[..., None],
                        tf.ones_like(right_scores)[..., None],
                        right_scores[..., None]], axis=-1)
    scores = tf.matmul(first, second, transpose_b=True)
    best = tf.argmax(tf.reshape(scores, [-1, 2**size]), axis=-1, output_type=tf.int32)
    return tf.concat([tf.gather(left, best // len(right)),
                      tf.gather(right, best % len(right))], axis=-1)


def _all_codes(size):
    """All codes of some variables, `[2**size, size]`."""
    places = np.arange(2**size)[:, None] >> np.arange(size)[::-1]
    return (places & 1).astype("float32")


def by_min_cut(unary, couplings):
    """The best codes `[B, N]`, by a minimum cut for each row."""
    found = tf.numpy_function(_cut_rows, [unary, couplings], tf.float32)
    return tf.ensure_shape(found, unary.shape)


def _cut_rows(unary, couplings):
    return np.stack([_cut(*row) for row in zip(unary, couplings)]) if len(
        unary) else np.zeros_like(unary)


def _cut(unary, couplings):
    size = len(unary)
    if couplings.min(initial=0.0) < 0:
        raise ValueError("Expected couplings of at least 0: more than "
                         f"{MOST_ENUMERATED} variables are solved by a minimum cut. "
                         f"Received: a coupling of {couplings.min():.4g}")
    edges = np.zeros((size + 2, size + 2))  # The last two: source and sink.
    edges[pairs(size)] = 0.5 * couplings
    edges += edges.T
    alone = unary + edges[:size, :size].sum(axis=1)
    edges[-2, :size] = np.maximum(alone, 0.0)
    edges[:size, -1] = np.maximum(-alone, 0.0)
    total = edges.sum()
    whole = sparse.csr_matrix(np.rint(edges * (_WHOLE / max(total, 1e-30))).astype(
        "int32"))
    left = whole - csgraph.maximum_flow(whole, size, size + 1).flow
    left.data[left.data < 0] = 0
    left.eliminate_zeros()
    reached = csgraph.breadth_first_order(left, size, return_predecessors=False)
    code = np.zeros(size + 2, "float32")
    code[reached] = 1.0
    return code[:size]
