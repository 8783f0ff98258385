"""Corruptions of images in five severities, as Keras layers."""

from bdlzoo.corruptions.additive_noise import AdditiveNoise
from bdlzoo.corruptions.brightness import Brightness
from bdlzoo.corruptions.contrast import Contrast
from bdlzoo.corruptions.corruption import Corruption
from bdlzoo.corruptions.gaussian_blur import GaussianBlur
from bdlzoo.corruptions.impulse_noise import ImpulseNoise
from bdlzoo.corruptions.motion_blur import MotionBlur
from bdlzoo.corruptions.occlusion import Occlusion
from bdlzoo.corruptions.pixelate import Pixelate
from bdlzoo.corruptions.rotation import Rotation
from bdlzoo.corruptions.shear import Shear
from bdlzoo.corruptions.shot_noise import ShotNoise
from bdlzoo.corruptions.translation import Translation
from bdlzoo.corruptions.zoom import Zoom

# Noise, blur and light, geometry, loss of parts.
ALL = (AdditiveNoise, ShotNoise, ImpulseNoise, GaussianBlur, MotionBlur, Contrast,
       Brightness, Rotation, Translation, Zoom, Shear, Occlusion, Pixelate)

__all__ = ["ALL", "AdditiveNoise", "Brightness", "Contrast", "Corruption",
           "GaussianBlur", "ImpulseNoise", "MotionBlur", "Occlusion", "Pixelate",
           "Rotation", "Shear", "ShotNoise", "Translation", "Zoom"]
