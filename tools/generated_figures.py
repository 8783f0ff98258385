"""Figures of models that make inputs: trains them, and draws what they make."""

import functools
import tempfile

from bdlzoo import reports, runs
from tools.reproduce import semi_supervised_vae, structured_gan


class GeneratedFigures:
    """Figures by name, for `tools.gallery.Figures`, which has `name` and `epochs`."""

    @functools.cached_property
    def _vae(self):
        """Pictures of a trained VAE."""
        return self._trained_pictures("vae")

    def _trained_pictures(self, method):
        config = runs.read_config(f"{self.name}/{method}.py")
        config.epochs = self.epochs or config.epochs
        print(f"  training: {config.method.type}, {config.epochs} epochs", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            run = runs.Run(config, folder)
            run.complete(verbose=0)
            return run.model.pictures(run.data["test"].x)

    def vae_samples(self):
        kind, arguments = self._vae["samples"]
        return getattr(reports, kind)(**arguments), (
            "Digits that a VAE makes of codes drawn from its prior.")

    def vae_latent_walk(self):
        kind, arguments = self._vae["latent_walk"]
        return getattr(reports, kind)(**arguments), (
            "The code of one digit, moved along the coordinates that say most about "
            "the image.")

    def discrete_codes(self):
        pictures = self._trained_pictures("discrete_vae")
        kind, arguments = pictures.get("codes") or pictures["latent_walk"]
        return getattr(reports, kind)(**arguments), (
            "What the codes of a discrete VAE decode to, or one code with each of its "
            "variables moved.")

    @functools.cached_property
    def _mixture(self):
        """Pictures of a mixture VAE that was trained with 100 labels."""
        epochs = self.epochs or 10
        print(f"  training: mixture VAE, {epochs} epochs", flush=True)
        model = semi_supervised_vae.trained(0, self.name, epochs=epochs)
        _, test = self._digits
        return model.pictures(test.x.round())

    def mixture_samples(self):
        kind, arguments = self._mixture["samples"]
        return getattr(reports, kind)(**arguments), (
            "Digits that a mixture VAE makes after 100 labels: a class a row, a code a "
            "column.")

    def mixture_transfer(self):
        kind, arguments = self._mixture["transfer"]
        return getattr(reports, kind)(**arguments), (
            "Test digits, and what each class of the mixture makes of them.")

    @functools.cached_property
    def _structured(self):
        """Pictures of a structured GAN that was trained with 100 labels."""
        options = {} if self.epochs is None else dict(
            num_steps=100 * self.epochs, pretrain_steps=10 * self.epochs)
        print("  training: structured GAN", flush=True)
        model = structured_gan.trained(0, name=self.name, **options)
        _, test = self._digits
        return model.pictures(test.x)

    def structured_gan_samples(self):
        kind, arguments = self._structured["samples"]
        return getattr(reports, kind)(**arguments), (
            "Digits that a structured GAN makes after 100 labels: a class a row, a "
            "style a column.")

    def structured_gan_transfer(self):
        kind, arguments = self._structured["transfer"]
        return getattr(reports, kind)(**arguments), (
            "Test digits, and the other classes in their style.")

    def structured_gan_walk(self):
        kind, arguments = self._structured["walk"]
        return getattr(reports, kind)(**arguments), (
            "A walk from one style to another, in each class.")
