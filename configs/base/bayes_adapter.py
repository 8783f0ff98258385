"""What all runs of BayesAdapter have beside a data set, which the variant names."""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant):
    config = runs.read_config(f"base/{variant}.py")
    # The folder of a run, or a file that Keras saved: the network to start from.
    config.pretrained = config_dict.placeholder(str)
    # Name of a data set that should look uncertain.
    config.side_sets = dict(uncertain_inputs=config_dict.placeholder(str))
    config.likelihood = dict(type="Categorical", from_logits=True)
    config.method = dict(
        type="BayesAdapter", posterior="mean_field", technique="exemplar",
        select=config_dict.placeholder(int), num_members=20, weight_decay=1e-4,
        prior_scale=config_dict.placeholder(float), prior_at_trained=False,
        batch_norm=False, log_scale=(-6.0, -5.0), uncertain=(), ood_weight=1.0,
        margin=0.5, disagreement="mutual_information", allow_untrained=False,
        num_samples=64)
    config.optimizer = dict(type="SGD", learning_rate=1e-3, momentum=0.9,
                            nesterov=True)
    config.scale_optimizer = dict(type="SGD", learning_rate=0.1, momentum=0.9,
                                  nesterov=True)
    return config
