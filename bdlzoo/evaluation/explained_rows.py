"""Training rows that pushed the worst answers of a model to where they are.

    doubt    test rows with the highest entropy, and the training rows whose removal
             would lower it most
    error    test rows with the highest loss, and the training rows whose removal
             would lower it most

By influence functions in the weights of the last layer.
"""

import numpy as np

from bdlzoo.evaluation.influence_functions import influence

_STEPS = 60  # Of CG: ranks settle long before the numbers.
_DRAWS = 16


def explained_rows(model, train, test, prediction, num_train=2000, count=4, shown=5,
                   seed=0, verbose=0):
    """Explains the most doubtful and the most wrong answers.

    Args:
        model: Trained classifier of the zoo.
        train: `Split` that it was trained on.
        test: `Split` of test rows.
        prediction: `ClassPrediction` of them.
        num_train: Integer, training rows that are looked at, evenly spread.
        count: Integer, test rows of each kind.
        shown: Integer, training rows for each of them.
        seed: Integer, seed of the draws.
        verbose: Integer, 1 shows progress bars.

    Returns:
        Dict of arguments of `bdlzoo.reports.influential_images`: `images`, `labels`,
        `predicted` and `reasons` of Q test rows, and `pushing`, `pushing_labels` and
        `effects` `[Q, shown]` of training rows; or `None` for a model whose weights
        have no minimum, such as a sampler.
    """
    places = np.unique(np.linspace(0, len(train.x) - 1, min(
        num_train, len(train.x))).astype(int))
    rows = train.x[places], train.y[places]
    loss = -np.asarray(prediction.log_prob(test.y))
    chosen = {"predictive_entropy": np.argsort(
        -prediction.predictive_entropy, kind="stable")[:count],
        "loss": np.argsort(-loss, kind="stable")[:count]}
    columns = []
    for of, worst in chosen.items():
        asked = test.x[worst], test.y[worst]
        try:
            # A report is of any model: no minimum is asked for.
            found = influence(model, rows, asked, solver="cg", of=of, seed=seed,
                              num_samples=_DRAWS, max_gradient=None,
                              max_steps=_STEPS, verbose=verbose)
        except ValueError as error:
            if "samples of a chain" not in str(error):
                raise
            return None
        order = np.stack([found.ranked(t, shown, helpful=False)
                          for t in range(len(worst))])
        columns.append(dict(
            images=asked[0], labels=asked[1], predicted=prediction.label[worst],
            reasons=np.array([{"loss": "wrong"}.get(of, "doubtful")] * len(worst)),
            pushing=rows[0][order], pushing_labels=rows[1][order],
            effects=np.take_along_axis(found.removal, order.T, axis=0).T))
    return {name: np.concatenate([column[name] for column in columns])
            for name in columns[0]}
