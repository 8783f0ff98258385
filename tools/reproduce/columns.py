"""Readable names of the metrics, and which way is better.

A name that means something else in one table has an entry of its own, by table and
metric. Names that end in a number, such as `accuracy_100`, share one entry.
"""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Column:
    """One metric for a reader.

    Args:
        title: Name in the pages.
        better: `"higher"` or `"lower"`; empty where neither is better.
    """

    title: str
    better: str = ""


def _higher(**titles):
    return {metric: Column(title, "higher") for metric, title in titles.items()}


def _lower(**titles):
    return {metric: Column(title, "lower") for metric, title in titles.items()}


def _neither(**titles):
    return {metric: Column(title) for metric, title in titles.items()}


_COLUMNS = {
    **_higher(
        accuracy="accuracy", accuracy_low="accuracy, low",
        accuracy_high="accuracy, high",
        map_accuracy="accuracy before", accuracy_held_out="accuracy, held-out rows",
        accuracy_at_break="accuracy at that radius",
        accuracy_at_break_targeted="accuracy at that step",
        detector_accuracy="accuracy of the detector",
        auroc="AUROC", auroc_entropy="AUROC, entropy",
        auroc_mi="AUROC, mutual information", auroc_uniform="AUROC, uniform noise",
        auroc_permuted="AUROC, permuted pixels", entropy_auroc="AUROC, entropy",
        bald_auroc="AUROC, BALD", vr_auroc="AUROC, variation ratio",
        variance_auroc="AUROC, variance", aupr_in="AUPR, inside",
        aupr_out="AUPR, outside",
        ap_success="AP of successes", ap_errors="AP of errors",
        ap_errors_entropy="AP of errors, entropy", r2="R2",
        natural="no attack", fgsm="FGSM", pgd20="PGD-20", pgd100="PGD-100", mim="MIM",
        cw="C&W", a_rob="all of these", feature="feature attack", spsa="SPSA",
        uniform="AUROC, uniform noise", outside="AUROC, KMNIST",
        evasive="AUROC, evasive PGD", kept_fgsm="kept under FGSM",
        kept_pgd="kept under PGD", kept_evasive="kept under evasive PGD",
        draws_auroc="AUROC, draws of the student",
        bald="AUROC, BALD", bald_sampled="AUROC, samples", sampled="accuracy, samples",
        best_accuracy="accuracy, best step", target_accuracy="accuracy, last step",
        best_test_accuracy="test accuracy, best step",
        pseudo_accuracy="accuracy of sure rows",
        generated="accuracy of single networks", ece_ratio="ECE, times smaller",
        correlation="correlation", correlation_all="correlation, all at once",
        found="found in the first fifth", found_in_tenth="found in the first tenth",
        controllability="asked class is made", transfer="other class is made",
        miou="mean IoU", border_ratio="aleatoric, borders by the rest",
        truth_correlation="correlation with the true entropy",
        auroc_aleatoric="AUROC, aleatoric", auroc_epistemic="AUROC, epistemic",
        auroc_region_epistemic="AUROC, epistemic, regions", pavpu="PAvPU",
        accuracy_kept="accuracy, most certain 90 %"),
    **{f"{score}_aupr{sign}": Column(f"AUPR{sign}, {title}", "higher")
       for score, title in (("vr", "variation ratio"), ("entropy", "entropy"),
                            ("bald", "BALD")) for sign in "+-"},
    **_lower(
        error="error", test_error="test error of a draw",
        mean_error="test error of the mean", prior_error="test error of the prior",
        nll="NLL", nll_raw="NLL, raw units", nll_low="NLL, low", nll_high="NLL, high",
        nll_excess="NLL beyond the exact one",
        map_nll="NLL before", nll_member="NLL of one member",
        nll_temperature="NLL, temperature", nll_sgld="NLL, chains",
        nll_bdk="NLL, student", nll_error="NLL, standard error",
        rmse="RMSE", rmse_raw="RMSE, raw units", rmse_error="RMSE, standard error",
        rmse_gap="RMS gap of the means", ece="ECE", ece_low="ECE, low",
        ece_high="ECE, high", map_ece="ECE before", ece_temperature="ECE, temperature",
        draws_ece="ECE, draws of the student", test_ece="test ECE",
        test_ece_calibrated="test ECE, source's temperature",
        ece_vector="ECE, vector scaling", ece_isotonic="ECE, isotonic",
        ece_share="ECE, share of that before", brier="Brier score", crps="CRPS",
        cwce="CWCE, per cent", r_cwce="R-CWCE", epiw_raw="EPIW, raw units",
        fpr95="FPR at 95 % TPR", aurc="AURC, times 1000",
        certified_risk="certified risk", risk_mc="empirical risk",
        map_seconds="seconds of the training", time_share="time, share of the training",
        std_gap="mean gap of the ratio from 1", size_lac="size, LAC",
        size_aps="size, APS", size_raps="size, RAPS",
        style_error="squared error of a style", leak="class told from the style",
        frechet="Frechet distance"),
    **_neither(
        accuracy_change="change of the accuracy", coverage="coverage",
        temperature="temperature", epsilon="epsilon of ODIN",
        entropy="entropy", entropy_away="entropy, away",
        mi="mutual information", mi_away="mutual information, away",
        rate="rate", rate_input="rate, inputs", rate_hidden="rate, hidden layers",
        epistemic_std="epistemic std", aleatoric_std="aleatoric std",
        train_loss="training loss", train_accuracy="training accuracy",
        test_loss="test loss", test_accuracy="test accuracy", kl="KL, nats",
        complexity="complexity A", ood_loss="loss, outside",
        ood_accuracy="accuracy, outside", ood_entropy="entropy, outside",
        num_draws="draws", delta="delta", delta_mc="delta of the draws",
        noise_raw="learnt noise, raw units", std_data="std at the data",
        std_outside="std outside", of_exact="share of the exact std", ratio="ratio",
        break_eta="radius that breaks the plain network",
        entropy_at_break="entropy at that radius", entropy_ratio="entropy ratio there",
        least_ratio="least ratio", break_step="targeted step that breaks it",
        entropy_ratio_targeted="entropy ratio there, targeted",
        least_ratio_targeted="least ratio, targeted",
        parameters="numbers stored", megabytes="megabytes", samples="samples",
        fooled="share of attacks that succeed", spread="spread",
        confidence_near="confidence at the data", confidence_far="confidence far away",
        confidence_fall="fall of the confidence",
        information_near="mutual information at the data",
        information_far="mutual information far away",
        std_ratio="std, ratio", std_ratio_outside="std, ratio beyond the data",
        disagreement="disagreement", disagreement_outside="disagreement, KMNIST",
        weights="weights", adversarial="fooling draws",
        least_adversarial="fooling draws, least", distance="distance",
        radius="largest move", slope="slope",
        slope_left_out="slope, curvature left out", residual="residual of the solver",
        turned="answers turned", poison_steps="steps", steps="steps to fit",
        rank_share="rank of the moved rows", rademacher="Rademacher estimate",
        peak_error="error at the peak", peak_width="width of the peak",
        widest_error="error of the widest", peak_ratio="peak by widest",
        change_bent="change, bent", change_moved="change, moved",
        ratio_bent="change by deformation", largest_ratio="largest of these",
        diversity="diversity, that of the data is 1", aleatoric="aleatoric, nats",
        epistemic="epistemic, nats", true_entropy="true entropy, nats"),
    **{f"{kind}_{sets}": Column(f"coverage, {title}, {sets.upper()}")
       for kind, title in (("split", "split"), ("coverage", "held out"),
                           ("served", "served")) for sets in ("lac", "aps", "raps")},
}
_OF_TABLE = {
    **{(table, "test_accuracy"): Column("test accuracy, last step", "higher")
       for table in ("domain_adaptation", "imbalanced_domains")},
    **{(table, metric): Column(f"AUROC, {metric.upper()}", "higher")
       for table in ("adapted_detection", "adapted_detection_cnn")
       for metric in ("fgsm", "pgd")},
    ("calibration", "accuracy_change"): Column("labels that the temperature changes"),
    ("bandit_regret", "regret"): Column("regret, summed", "lower"),
    ("bandit_regret", "regret_late"): Column("regret of a late choice", "lower"),
    **{(table, metric): each for table in ("rooms_gradients", "minigrid_rooms")
       for metric, each in (
           ("finished", Column("share that reaches the goal", "higher")),
           ("steps_to_goal", Column("steps until 90 % do", "lower")),
           ("nodes_per_second", Column("steps a second")))},
    ("poisoning", "found"): Column("moved rows in the first tenth", "higher"),
    ("few_label_scattering", "outside_auroc"): Column("AUROC, clothes", "higher"),
    **{("adapted_uncertainty", metric): each for metric, each in (
        ("ece_masks", Column("ECE, masks", "lower")),
        ("ece_calibrated", Column("ECE, source's temperature", "lower")),
        ("overconfidence", Column("confidence above accuracy")),
        ("auroc_errors", Column("AUROC of errors", "higher")),
        ("auroc_errors_masks", Column("AUROC of errors, masks", "higher")),
        ("auroc_information", Column("AUROC of errors, information", "higher")),
        ("auroc_outside", Column("AUROC, clothes", "higher")),
        ("auroc_outside_masks", Column("AUROC, clothes, masks", "higher")))},
    ("world_speed", "steps_per_second"): Column("steps a second", "higher"),
    ("world_speed", "microseconds"): Column("microseconds a step", "lower"),
    ("thompson_foraging", "return_end"): Column("return at the end", "higher"),
    ("thompson_foraging", "return_mean"): Column("return, mean over looks", "higher"),
    ("thompson_foraging", "steps_to_goal"): Column("steps to the goal", "lower"),
    **{("thompson_deep_sea", metric): each for metric, each in (
        ("solved", Column("share of seeds that solve it", "higher")),
        ("steps_to_solve", Column("steps of the world", "lower")),
        ("episodes_to_solve", Column("episodes", "lower")))},
    **{(table, metric): Column(title)
       for table in ("deep_sea_risk", "deep_sea_search") for metric, title in (
           ("gamble", "P(RRRR), the gamble"), ("safe", "P(LLLL), the safe plan"),
           ("return_mean", "mean return"), ("return_std", "std of returns"))},
    ("direct_bias", "bias"): Column("bias, norm", "lower"),
    ("direct_bias", "floor"): Column("error of the mean over draws"),
    ("direct_bias", "norm"): Column("norm of the exact gradient"),
    ("direct_bias", "variance"): Column("variance, summed", "lower"),
    **{(table, metric): each
       for table in ("discrete_vae", "discrete_vae_mnist", "structured_vae")
       for metric, each in (
           ("codes", Column("codes in use")),
           ("loss", Column("bound, nats an image", "lower")),
           ("nll", Column("reconstruction, nats", "lower")))},
    ("semi_supervised_vae", "sampled"): Column("accuracy of a drawn class", "higher"),
    ("semi_supervised_vae", "bound"): Column("bound, nats an image", "lower"),
    ("vae", "loss"): Column("bound, nats an image", "lower"),
    ("vae", "nll"): Column("reconstruction, nats", "lower"),
}
_NUMBERED = {
    "accuracy": Column("accuracy, {} labels", "higher"),
    "labels_to": Column("labels to {} %", "lower"),
    "generated": Column("accuracy, {} steps", "higher"),
    "bald": Column("AUROC, {} steps", "higher"),
    "spread": Column("spread, {} steps")}


def column(metric, table=""):
    """The column of a metric, in a table.

    Args:
        metric: String, key of the scores.
        table: String, name of the table.

    Returns:
        `Column`.
    """
    if (table, metric) in _OF_TABLE:
        return _OF_TABLE[table, metric]
    if metric in _COLUMNS:
        return _COLUMNS[metric]
    numbered = re.fullmatch(r"(\w+)_(\d+)", metric)
    if numbered and numbered[1] in _NUMBERED:
        shared = _NUMBERED[numbered[1]]
        return Column(shared.title.format(numbered[2]), shared.better)
    raise ValueError("Expected a metric with a readable name: add it to "
                     f"`tools/reproduce/columns.py`. Received: metric={metric!r}")
