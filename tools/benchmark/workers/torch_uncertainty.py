"""Draws of MC dropout by torch-uncertainty, in a loop or as one tall batch."""

import torch

try:
    import torchvision  # noqa: F401
except RuntimeError:
    # A torchvision for other devices does not find its operators in a torch for CPUs,
    # and its import fails without their names. Nothing here calls them.
    for name in ("nms", "qnms"):
        torch.library.define(f"torchvision::{name}",
                             "(Tensor a, Tensor b, float c) -> Tensor")

from torch_uncertainty.methods import mc_dropout  # noqa: E402

from tools.benchmark.workers import protocol, torch_lenet  # noqa: E402

MOST = 100  # Draws of a tall batch: 256 of them take 6 GB and more.


def prepare(subject, workload, mode, steps):
    count, images = torch_lenet.number(workload), torch_lenet.images()
    if mode == "batch" and count > MOST:
        raise ValueError(f"Expected at most {MOST} draws in one batch, for want of "
                         f"memory. Received: {count}")
    model = mc_dropout(torch_lenet.network(subject), num_estimators=count,
                       on_batch=mode == "batch").eval()
    return torch_lenet.predictions(lambda: model(images), mode, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "torch-uncertainty", "torch")
