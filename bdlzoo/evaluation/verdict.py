"""Which of several trained models to take, and why, in words made of the figures.

    d_i   = nll_i of a model - nll_i of the best      on rows that were not fitted
    alike = mean(d) <= 2 std(d) / sqrt(n)
    take  = the cheapest answer among those alike

The best is the model with the lowest mean negative log likelihood, which rewards both
accuracy and honest probabilities. A difference within two standard errors may be
chance, and then the cost of an answer decides.
"""

import typing

import numpy as np

_ERRORS = 2.0
_JITTER = 1.2  # Times closer than this factor are taken as equal.


class Verdict(typing.NamedTuple):
    """A choice among trained models.

    Args:
        take: String, name of the model to take.
        best: String, name of that with the lowest negative log likelihood.
        alike: Tuple of names of the models that may be as good, the best among them.
        reasons: Tuple of sentences.

    Example:

        found = bdlzoo.evaluation.verdict.verdict(
            {"one": [0.3, 0.4], "two": [0.2, 0.3]}, {"one": 0.5, "two": 1.9})
        found.take, found.reasons
    """

    take: str
    best: str
    alike: tuple
    reasons: tuple


def verdict(losses, answer_ms, detection=None):
    """Chooses a model.

    Args:
        losses: Dictionary from a name to negative log likelihoods `[n]` of the same
            rows, in nats.
        answer_ms: Dictionary from a name to the milliseconds of an answer.
        detection: Dictionary from a name to the AUROC of outside rows, for a last
            sentence; `None` for none.

    Returns:
        `Verdict`.
    """
    if not losses or losses.keys() != answer_ms.keys():
        raise ValueError("Expected losses and times of at least one model. Received: "
                         f"losses of {sorted(losses)}, times of {sorted(answer_ms)}")
    losses = {name: np.asarray(values, "float64") for name, values in losses.items()}
    means = {name: float(np.mean(values)) for name, values in losses.items()}
    wrong = [name for name, mean in means.items() if not np.isfinite(mean)]
    if wrong:
        raise ValueError(f"Expected finite losses. Received: others of {wrong}")
    best = min(means, key=means.get)
    gaps = {name: _gap(values, losses[best]) for name, values in losses.items()}
    alike = [name for name, (mean, error) in gaps.items() if mean <= _ERRORS * error]
    limit = _JITTER * min(answer_ms[name] for name in alike)
    take = min((name for name in alike if answer_ms[name] <= limit), key=means.get)
    reasons = [*_reasons(take, best, alike, means, gaps, answer_ms),
               *_of_detection(take, detection or {})]
    return Verdict(take, best, tuple(alike), tuple(reasons))


def _gap(values, others):
    """Mean of the differences of the same rows, and its standard error."""
    gaps = values - others
    if len(gaps) < 2:
        return float(np.mean(gaps)), 0.0
    return float(np.mean(gaps)), float(np.std(gaps, ddof=1) / np.sqrt(len(gaps)))


def _reasons(take, best, alike, means, gaps, answer_ms):
    if take == best:
        yield f"{take} has the lowest negative log likelihood, {means[take]:.3f}."
        others = [name for name in alike if name != best]
        if others:
            yield (f"{_listed(others)} may be as good, within two standard errors. An "
                   f"answer takes {_times(others, answer_ms)} ms, and "
                   f"{answer_ms[take]:.2f} ms with {take}.")
    else:
        mean, error = gaps[take]
        yield (f"{best} has the lowest negative log likelihood, {means[best]:.3f}. "
               f"That of {take} is {means[take]:.3f}: the difference of {mean:.3f} is "
               f"within two standard errors ({_ERRORS * error:.3f}).")
        yield (f"An answer of {take} takes {answer_ms[take]:.2f} ms, one of {best} "
               f"{answer_ms[best]:.2f} ms.")
    worse = [name for name in means if name not in alike]
    if worse:
        yield "Worse by more than two standard errors: " + ", ".join(
            f"{name} (by {gaps[name][0]:.3f})"
            for name in sorted(worse, key=means.get)) + "."


def _of_detection(take, detection):
    if not detection:
        return
    finder = max(detection, key=detection.get)
    if finder == take:
        yield (f"It also tells outside rows best, with an AUROC of "
               f"{detection[take]:.3f}.")
    else:
        yield (f"If unusual inputs must be found: {finder} tells outside rows with an "
               f"AUROC of {detection[finder]:.3f}, {take} with {detection[take]:.3f}.")


def _times(names, answer_ms):
    return " and ".join(f"{answer_ms[name]:.2f}" for name in names)


def _listed(names):
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
