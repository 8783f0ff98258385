"""The page of a model without labels."""

import numpy as np

from bdlzoo.reports import image_grid
from bdlzoo.reports.write_pictures import write_pictures


def test_page_holds_scores_and_pictures(tmp_path):
    figures = {"latent_walk": image_grid(np.zeros((1, 1, 2, 2, 1)))}
    page = write_pictures(figures, tmp_path / "run", "Run <a>", {"loss": 1.5, "kl": 2})
    text = page.read_text()
    assert "Run &lt;a&gt;" in text and "Latent walk" in text
    assert text.index("kl") < text.index("loss") and "1.5000" in text
    png = (tmp_path / "run/plots/latent_walk.png").read_bytes()
    assert png.startswith(b"\x89PNG") and "data:image/png;base64," in text
    assert not list((tmp_path / "run").rglob(".part-*"))
    assert "src=\"http" not in text and "<script" not in text
