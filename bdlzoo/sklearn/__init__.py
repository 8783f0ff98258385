"""The methods of the zoo as estimators of scikit-learn.

    from bdlzoo.sklearn import Classifier, Regressor
"""

from bdlzoo.sklearn.classifier import Classifier
from bdlzoo.sklearn.regressor import Regressor

__all__ = ["Classifier", "Regressor"]
