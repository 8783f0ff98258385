"""A VAE on MNIST: the bound in nats an image."""

from tools.reproduce.table import Row, Table

TABLE = Table(
    name="vae",
    title="MNIST in black and white, VAE with two layers of 400 units",
    subject="Density models",
    metrics=("loss", "nll", "kl"),
    rows=(Row("VAE, code of 32 numbers", "mnist/vae.py"),),
    note="Our own table. Pixels are rounded to black or white, so that the bound is "
         "that of a probability; 58,000 images train, 10,000 test, with 16 draws of "
         "the code of each image. The bound is the sum of the other two columns.",
    figures=("vae_samples.png", "vae_latent_walk.png"))
