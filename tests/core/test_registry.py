"""Names become objects, and wrong names helpful errors."""

import keras
import pytest

import bdlzoo  # noqa: F401  Fills the registry.
from bdlzoo.core import registry
from bdlzoo.likelihoods import Categorical, HeteroscedasticGaussian


@pytest.mark.parametrize("name", ["heteroscedastic_gaussian",
                                  "HeteroscedasticGaussian"])
def test_case_and_underscores_do_not_count(name):
    assert isinstance(registry.build(name), HeteroscedasticGaussian)


def test_arguments_stand_beside_the_type():
    gaussian = registry.build({"type": "Gaussian", "noise_scale": 0.5})
    assert gaussian.noise_scale == 0.5


def test_zoo_comes_before_keras_and_defaults_give_way():
    layer = registry.build({"type": "Dense", "units": 3}, keras.layers, units=7)
    assert isinstance(layer, keras.layers.Dense) and layer.units == 3


def test_objects_pass_through():
    likelihood = Categorical()
    assert registry.build(likelihood) is likelihood


def test_typo_names_what_is_close():
    with pytest.raises(ValueError, match="Did you mean Categorical.*catgorical"):
        registry.build("catgorical")


def test_unknown_argument_is_named():
    with pytest.raises(ValueError, match="MLP does not take.*classes"):
        registry.build({"type": "MLP", "classes": 3})


def test_dictionary_without_a_type_is_refused():
    with pytest.raises(ValueError, match="`type`"):
        registry.build({"units": 3})
