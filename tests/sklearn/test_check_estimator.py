"""The checks that scikit-learn has for estimators of others.

Known failures, with their reason, are those of `EXPECTED`; a check of it that passes
fails here.
"""

import functools

import pytest
from sklearn.utils import estimator_checks

from bdlzoo.sklearn import Classifier, Regressor

_WEIGHTS = ("batches differ where a row of weight 2 stands for two rows, as in other "
            "estimators that train by mini-batches")
EXPECTED = {"check_sample_weight_equivalence_on_dense_data": _WEIGHTS}
QUICK = {"check_estimator_cloneable", "check_estimator_tags_renamed",
         "check_valid_tag_types", "check_estimator_repr",
         "check_no_attributes_set_in_init", "check_mixin_order",
         "check_do_not_raise_errors_in_init_or_set_params",
         "check_parameters_default_constructible", "check_get_params_invariance",
         "check_set_params", "check_estimators_unfitted", "check_requires_y_none"}


def _checks():
    for kind in (Classifier, Regressor):
        # The checks want a good fit; masks are for larger tables.
        model = kind("deterministic", network={"type": "MLP", "hidden": (16,)},
                     epochs=20)
        for found, check in estimator_checks.estimator_checks_generator(model):
            function = check
            while isinstance(function, functools.partial):
                function = function.func
            name = function.__name__
            marks = [] if name in QUICK else [pytest.mark.slow]
            if name in EXPECTED:
                marks.append(pytest.mark.xfail(reason=EXPECTED[name], strict=True))
            yield pytest.param(found, check, marks=marks,
                               id=f"{kind.__name__}-{name}")


@pytest.mark.parametrize("model, check", list(_checks()))
def test_estimator_keeps_the_contract(model, check):
    check(model)
