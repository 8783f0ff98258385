"""Draws of MC dropout by baal, whose layers cache their outputs."""

from baal.bayesian import caching_utils, dropout
from baal.modelwrapper import ModelWrapper, TrainingArgs

from tools.benchmark.workers import protocol, torch_lenet


def prepare(subject, workload, mode, steps):
    network = dropout.patch_module(torch_lenet.network(subject))
    network = caching_utils.patch_module(network).eval()
    wrapper = ModelWrapper(network, TrainingArgs(
        use_cuda=False, replicate_in_memory=False))  # The cache needs a loop.
    count, images = torch_lenet.number(workload), torch_lenet.images()

    def predict():
        # A prediction is of new images: the cache starts empty.
        wrapper.predict_on_batch(images.clone(), iterations=count)
        for module in network.modules():
            if isinstance(module, caching_utils.LRUCacheModule):
                module._memory_input = None

    return torch_lenet.predictions(predict, mode, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "baal", "torch")
