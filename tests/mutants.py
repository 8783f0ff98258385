"""One-line faults that the tests must see; run with `tools/test.sh --mutants`.

Each fault is planted in a copy of the project, where its tests must fail; the
copy without it must pass. Words behind the command choose mutants by file.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
CONTRACT = "tests/test_contract.py"
MUTANTS = [  # file below bdlzoo/, right, wrong, test that sees it
    # Noise.
    ("core/noise.py", "+ 0.5) * 2.0**-23", "+ 1.0) * 2.0**-23",
     "tests/core/test_noise.py"),
    ("core/noise.py", "math.tau * angle", "math.pi * angle",
     "tests/core/test_noise.py"),
    ("core/noise.py", ">= round(rate * 65536)", ">= round((1 - rate) * 65536)",
     "tests/core/test_noise.py"),
    ("core/noise.py", "if self.coherent else shape", "if False else shape",
     "tests/model/test_conversion.py"),
    ("core/noise.py", "return self.key + tf.constant([part, layer.noise_salt])",
     "return self.key", "tests/model/test_conversion.py"),
    # Predictions.
    ("core/prediction.py", "tf.reduce_logsumexp(self.log_probs, axis=0)",
     "tf.reduce_mean(self.log_probs, axis=0)", "tests/core/test_prediction.py"),
    ("core/prediction.py", "- _log_count(self.log_probs))", "- 0.0)",
     "tests/core/test_prediction.py"),
    ("core/prediction.py", "- _log_count(log_probs))", "- 0.0)",
     "tests/core/test_prediction.py"),
    ("core/prediction.py", "_finite(self.log_probs) - _finite(self.log_mixture)",
     "_finite(self.log_mixture) - _finite(self.log_probs)",
     "tests/core/test_prediction.py"),
    ("core/prediction.py", "error - 0.5 * spread", "error - spread",
     "tests/core/test_prediction.py"),
    ("core/prediction.py", "temperature**2 * self.variances",
     "temperature * self.variances", "tests/core/test_prediction.py"),
    ("core/registry.py", 'name.replace("_", "").lower()', "name.lower()",
     "tests/core/test_registry.py"),
    # Likelihoods and calibration.
    ("likelihoods/categorical.py", "tf.nn.log_softmax(self._logits(draws))",
     "tf.nn.log_softmax(tf.reduce_mean(self._logits(draws), 0)[None])",
     "tests/likelihoods/test_categorical.py"),
    ("likelihoods/bernoulli.py", "[-logits, logits]", "[logits, -logits]",
     "tests/likelihoods/test_bernoulli.py"),
    ("likelihoods/gaussian.py", "self._scale(draws)**2", "self._scale(draws)",
     "tests/likelihoods/test_gaussian.py"),
    ("likelihoods/gaussian.py", "trainable=self.learn_noise", "trainable=False",
     "tests/likelihoods/test_gaussian.py"),
    ("likelihoods/heteroscedastic_gaussian.py", "tf.nn.softplus(raw) + 1e-6",
     "tf.exp(raw)", "tests/likelihoods/test_heteroscedastic_gaussian.py"),
    ("likelihoods/likelihood.py", "(targets >= num_classes)",
     "(targets > num_classes)", "tests/likelihoods/test_categorical.py"),
    ("posthoc/temperature.py", "tf.exp(root.estimated_root)",
     "tf.exp(-root.estimated_root)", "tests/posthoc"),
    ("posthoc/temperature.py", "        return 1.0", "        return 1e-3",
     "tests/posthoc"),
    ("posthoc/calibration.py", "prediction.tempered(self.temperature)",
     "prediction", "tests/posthoc"),
    # The loop.
    ("model/stochastic_model.py", 'logs["loss"] / context.num_replicas_in_sync',
     'logs["loss"]', f"{CONTRACT} -k replicas"),
    ("model/stochastic_model.py", "1 + context.replica_id_in_sync_group", "1",
     "tests/model/test_stochastic_model.py -k replicas"),
    ("model/stochastic_model.py", "noise.TRAIN, self.optimizer.iterations)",
     "noise.TRAIN, 0)", "tests/methods/test_mc_dropout.py"),
    ("model/stochastic_model.py", "initial_epoch * steps_per_epoch, shuffle)",
     "0, shuffle)", "tests/model/test_stochastic_model.py -k resumed"),
    ("model/stochastic_model.py", "if steps % count == 0)", "if count <= steps)",
     "tests/model/test_stochastic_model.py -k divide"),
    ("model/checkpoint.py", "_NAME.format(epoch + 1)", "_NAME.format(epoch)",
     "tests/model/test_checkpoint.py"),
    ("model/checkpoint.py", 'if not np.isfinite(logs["loss"]):', "if False:",
     "tests/model/test_stochastic_model.py -k number"),
    # Draws.
    ("model/predictive_model.py", "noise.draws(draw_key, coh",
     "noise.draws(key, coh", "tests/methods/test_mc_dropout.py"),
    ("model/predictive_model.py", "draw_key, coherent=True)", "draw_key)",
     f"{CONTRACT} -k batch_nor_count"),
    ("model/predictive_model.py", "self.kl_weight / self.num_data * kl",
     "self.kl_weight / 4 * kl", f"{CONTRACT} -k num_data"),
    ("model/predictive_model.py", "tf.concat([t] * count, axis=0)",
     "tf.repeat(t, count, axis=0)", "tests/model/test_predictive_model.py -k tall"),
    ("model/predictive_model.py", "*map(_float32, self.network.losses)", "",
     "tests/model/test_stochastic_model.py -k regularisers"),
    ("model/trunk.py", "(read | set(self.results)) - random", "read - random",
     "tests/model/test_trunk.py"),
    ("model/trunk.py", "call.random or random.intersection(call.inputs.values())",
     "call.random", "tests/model/test_trunk.py"),
    ("model/calls.py", 'kwargs["training"] = training', "pass",
     "tests/model/test_trunk.py"),
    ("model/keras_internals.py", "sorted(by_depth, reverse=True)",
     "sorted(by_depth)", "tests/model/test_calls.py"),
    ("model/conversion.py", "keep / (1.0 - layer.rate)", "keep",
     "tests/model/test_conversion.py"),
    ("model/conversion.py", "math.sqrt(layer.rate / (1.0 - layer.rate))",
     "layer.rate / (1.0 - layer.rate)", "tests/model/test_conversion.py"),
    ("model/conversion.py", "type(layer).call is kind.call", "True",
     "tests/model/test_conversion.py"),
    ("model/conversion.py", "size if i in (0, channel) else 1", "size",
     "tests/model/test_conversion.py"),
    ("model/conversion.py", "in squashing):", "in ()):",
     "tests/model/test_conversion.py"),
    ("model/weight_prior.py", "(2.0 * scale**2)", "scale**2",
     "tests/model/test_weight_prior.py"),
    ("model/weight_prior.py", "0.0 if kernels else before", "0.0",
     "tests/model/test_weight_prior.py"),
    ("model/memory.py", "left // (_IN_FLIGHT * row_bytes)", "left // row_bytes",
     "tests/model/test_memory.py"),
    ("model/signatures.py", "model.answer(inputs, num_samples[0], key)",
     "model.answer(inputs, 4, key)", "tests/model/test_signatures.py"),
    ("model/saved_model.py", "1 + max(", "max(1, ",
     "tests/model/test_saved_model.py"),
    # Methods.
    ("methods/mc_dropout.py", "self.prior_scale, self._kept)",
     "self.prior_scale)", "tests/methods/test_mc_dropout.py"),
    ("methods/mc_dropout.py", "self.network.trainable_variables",
     "self.network.trainable_variables[:1]", "tests/methods/test_mc_dropout.py"),
    ("methods/deterministic.py", "training=False", "training=True",
     "tests/methods/test_deterministic.py"),
    ("methods/deterministic.py", "                                   self.prior_scale)",
     "                                   self.prior_scale**0.5)",
     "tests/methods/test_deterministic.py"),
    # Metrics.
    ("metrics/classification_metric.py",
     'ops.cast(ops.ceil(values * num_bins), "int32") - 1',
     'ops.cast(values * num_bins, "int32")',
     "tests/metrics/test_expected_calibration_error.py"),
    ("metrics/classification_metric.py", "[1.0 - probabilities, probabilities]",
     "[probabilities, 1.0 - probabilities]", "tests/metrics/test_brier_score.py"),
    ("metrics/expected_calibration_error.py", "ops.sum(ops.abs(self.gap))",
     "ops.abs(ops.sum(self.gap))",
     "tests/metrics/test_expected_calibration_error.py"),
    ("metrics/expected_calibration_error.py", "num_bins=15", "num_bins=10",
     "tests/metrics/test_expected_calibration_error.py"),
    ("metrics/maximum_calibration_error.py", "ops.max(", "ops.mean(",
     "tests/metrics/test_maximum_calibration_error.py"),
    ("metrics/adaptive_calibration_error.py", "_NUM_CELLS = 4096",
     "_NUM_CELLS = 16", "tests/metrics/test_adaptive_calibration_error.py"),
    ("metrics/classwise_calibration_error.py", "self.num_classes * self.total",
     "self.total", "tests/metrics/test_classwise_calibration_error.py"),
    ("metrics/brier_score.py", "ops.sum(ops.square", "ops.mean(ops.square",
     "tests/metrics/test_brier_score.py"),
    ("metrics/negative_log_likelihood.py",
     "ops.log(ops.maximum(likelihood, _TINY))",
     "ops.log(ops.maximum(likelihood, 1e-7))",
     "tests/metrics/test_negative_log_likelihood.py"),
    ("metrics/regression_metric.py", "pairs[..., 0], pairs[..., 1]",
     "pairs[..., 0], pairs[..., 1] ** 2", "tests/metrics/test_interval_width.py"),
    ("metrics/interval_coverage.py",
     "ops.logical_and(low <= targets, targets <= high)", "targets <= high",
     "tests/metrics/test_interval_coverage.py"),
    ("metrics/crps.py", "prediction.crps(targets)",
     "abs(targets - prediction.mean)", "tests/metrics/test_crps.py"),
    ("metrics/r2.py", 'ops.sum(weight * y_true, axis=0)',
     'ops.sum(y_true, axis=0)', "tests/metrics/test_r2.py"),
    # Data.
    ("data/split.py", '"train": rest[num_validation:],', '"train": rest,',
     "tests/data/test_split.py"),
    ("data/split.py", 'train = np.asarray(values, "float64")[train_rows]',
     'train = np.asarray(values, "float64")', "tests/data/test_split.py"),
    ("data/bundled.py", "((1, num_train), (2, num_test))",
     "((1, num_train), (1, num_test))", "tests/data/test_bundled.py"),
    ("data/folder.py", 'y, (mean, std) = standardise(y, rows["train"])',
     "y, (mean, std) = standardise(y, train)", "tests/data/test_folder.py"),
    ("data/tfds_reader.py", "return _floats(x[chosen], y[chosen])",
     "return _floats(x[chosen], y[:len(chosen)])",
     "tests/data/test_tfds_reader.py"),
    ("data/load.py", "name.lower(), names)", "name, names)",
     "tests/data/test_load.py -k typo"),
    ("data/epochs.py", "noise.key(seed, noise.ORDER, epoch)",
     "noise.key(seed, noise.ORDER, 0)", "tests/data/test_epochs.py"),
    ("data/epochs.py", "rows.skip(skipped)", "rows", "tests/data/test_epochs.py"),
    # Networks.
    ("networks/blocks.py", "dropout if place == len(hidden) else early", "early",
     "tests/networks/test_mlp.py"),
    ("networks/blocks.py", "layer if output_layer is None else output_layer",
     "output_layer", "tests/networks/test_mlp.py"),
    ("networks/lenet5.py", 'Stage(120, padding="same", pooled=False)',
     'Stage(120, pooled=False)', "tests/networks/test_lenet5.py"),
    ("networks/lenet.py", "Stage(20, bent=False)", "Stage(20)",
     "tests/networks/test_lenet.py"),
    ("networks/blocks.py", 'early = pair if dropout_at == "all"',
     'early = pair if dropout_at == "last"', "tests/networks/test_lenet.py"),
    ("networks/blocks.py", "keras.layers.MaxPooling2D(2)(x), early[0])",
     "keras.layers.MaxPooling2D(2)(x), early[1])",
     "tests/networks/test_small_cnn.py"),
    # Attacks.
    ("attacks/attack.py", "tf.reduce_logsumexp(log_probs, axis=0)",
     "tf.reduce_mean(log_probs, axis=0)", "tests/attacks/test_attack.py"),
    ("attacks/attack.py", "outputs = tf.cast(model(x, training=False), tf.float32)",
     "outputs = tf.cast(model(x, training=True), tf.float32)",
     "tests/attacks/test_attack.py"),
    ("attacks/attack.py", "return tf.clip_by_value(x, low, high)", "return x",
     "tests/attacks/test_attack.py"),
    ("attacks/attack.py", "log_prob if self.targeted else -log_prob", "-log_prob",
     "tests/attacks/test_fgsm.py"),
    ("attacks/pgd.py", "noise.ATTACK, restart, step)", "noise.ATTACK, restart, 0)",
     "tests/attacks/test_pgd.py"),
    ("attacks/pgd.py", "best = tf.where(better, found, best)", "best = found",
     "tests/attacks/test_pgd.py"),
    # Reports, tasks, runs.
    ("reports/reliability_diagram.py",
     "np.ceil(confidence * num_bins).astype(int) - 1",
     "np.floor(confidence * num_bins).astype(int)",
     "tests/reports/test_reliability_diagram.py"),
    ("reports/ranked_images.py",
     "np.lexsort([prediction.predictive_entropy, scores])",
     'np.argsort(scores, kind="stable")', "tests/reports/test_ranked_images.py"),
    ("reports/predictive_band.py", "np.hypot(model, data)", "model + data",
     "tests/reports/test_predictive_band.py"),
    ("tasks/novelty.py", "np.repeat([0, 1]", "np.repeat([1, 0]",
     "tests/tasks/test_novelty.py"),
    ("tasks/mc_dropout_figures.py", "(_DECAY * len(train.x)) ** -0.5",
     "_DECAY ** -0.5", "tests/tasks/test_mc_dropout_figures.py"),
    ("zoo.py", "if there != here:", "if False:", "tests/test_zoo.py -k other_config"),
    ("zoo.py", 'metrics["rmse"] * scale[1]', 'metrics["rmse"] * scale[0]',
     "tests/test_zoo.py -k raw"),
]


def survives(file, right, wrong, tests):
    """Returns whether the tests pass on a copy with the fault in it."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(ROOT, copy, dirs_exist_ok=True, ignore=(
            shutil.ignore_patterns(".git", ".venv", "runs", "__pycache__")))
        path = pathlib.Path(copy, "bdlzoo", file)
        text = path.read_text()
        assert text.count(right) == 1, f"{file}: {right!r} is not there once"
        path.write_text(text.replace(right, wrong))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-qx", *tests.split()], cwd=copy,
            env={**os.environ, "PYTHONPATH": copy}, capture_output=True, text=True)
        # 1 is a failed test; 2 and above mean that nothing was tested.
        assert done.returncode in (0, 1), done.stdout[-2000:]
        return done.returncode == 0


def main(words):
    chosen = [m for m in MUTANTS if not words or any(w in m[0] for w in words)]
    for file, right, _, _ in chosen:
        text = (ROOT / "bdlzoo" / file).read_text()
        assert text.count(right) == 1, f"{file}: {right!r} is not there once"
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # The control: without the fault, the same copy passes.
        controls = list({m[3]: m for m in chosen}.values())
        whole = pool.map(lambda m: survives(m[0], m[1], m[1], m[3]), controls)
        for mutant, passes in zip(controls, whole, strict=True):
            assert passes, f"broken without a fault: {mutant[3]}"
        print(f"{len(controls)} controls pass", flush=True)
        alive = []
        for count, (mutant, lives) in enumerate(zip(
                chosen, pool.map(lambda m: survives(*m), chosen), strict=True), 1):
            file, right, wrong, _ = mutant
            verdict = "ALIVE " if lives else "killed"
            print(f"{count:3d}/{len(chosen)} {verdict} {file}: {right} -> {wrong}",
                  flush=True)
            alive += [mutant] if lives else []
    print(f"{len(chosen) - len(alive)} of {len(chosen)} killed")
    return bool(alive)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
