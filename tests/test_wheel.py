"""The wheel, installed without the checkout, does what the checkout does.

Its environment shares the packages of this one, but not this installation.
"""

import configparser
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import bdlzoo
from bdlzoo.serving.rest_client import RESTClient

ROOT = pathlib.Path(__file__).parents[1]
# Without the checkout on the path.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name != "PYTHONPATH"}
LIST = """
import sys, bdlzoo
from bdlzoo.programs import command
print(bdlzoo.__file__, bdlzoo.runs.CONFIGS)
command.start("list", [])
"""
PRESET = """
import bdlzoo
model = bdlzoo.from_preset("digits/mc_dropout")
print(*model.predict_uncertainty(bdlzoo.data.load("digits", "test").x[:3]).label)
"""
SMOKE = "--config=digits/mc_dropout.py:smoke"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Path of a wheel of this checkout, built elsewhere: old files stay out of it."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("bdlzoo", "configs"):
        shutil.copytree(ROOT / name, folder / "source" / name,
                        ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "source")
    _pip("wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={folder}",
         str(folder / "source"))
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def run(wheel, tmp_path_factory):
    """Runs a command of an environment with the wheel, in a folder of its own."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"],
                   check=True)
    python = folder / "venv/bin/python"
    _pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    # Only then: pip must not take this installation for an older one of its own.
    [packages] = (folder / "venv").glob("lib/*/site-packages")
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "a_shared.pth").write_text("\n".join(shared))
    for path in shared:  # TensorFlow Probability needs `distutils` of setuptools.
        for hook in pathlib.Path(path).glob("distutils-precedence.pth"):
            shutil.copy(hook, packages)
    (folder / "work").mkdir()

    def run(program, *words, start=subprocess.run, **options):
        return start([python.parent / program, *words], text=True, env=ENVIRONMENT,
                     cwd=folder / "work", **options)

    return run


@pytest.fixture(scope="module")
def trained(run):
    """What the training of a run `a` has printed."""
    return _done(run, "bdlzoo", "train", SMOKE, "--workdir=a")


def _pip(*words):
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet",
         *words], text=True, capture_output=True, timeout=240, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr


def _done(run, *words):
    done = run(*words, capture_output=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_wheel_has_one_name_and_all_files(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist()
             if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in names} == {"bdlzoo"}
    files = {path for folder in ("bdlzoo", "configs")
             for path in (ROOT / folder).rglob("*")
             if path.is_file() and path.suffix != ".pyc"}
    here = {path.relative_to(ROOT).as_posix() for path in files}
    assert names == {name if name.startswith("bdlzoo/") else f"bdlzoo/{name}"
                     for name in here}


def test_oldest_versions_are_those_of_the_bounds():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    extras = setup["options.extras_require"]
    asked = "\n".join([setup["options"]["install_requires"], *(
        extras[name] for name in ("test", "serving", "tensorboard"))])
    bounds = re.findall(r"^([\w-]+)(?:\[\w+\])?>=([\d.]+)", asked, re.M)
    oldest = dict(re.findall(r"^([\w-]+)==([\d.]+)$",
                             (ROOT / "tests/oldest.txt").read_text(), re.M))
    assert len(bounds) >= 20
    for name, bound in bounds:
        assert f"{oldest[name]}.".startswith(f"{bound}."), name


def test_citation_has_the_version():
    assert f"\nversion: {bdlzoo.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_installed_package_is_that_of_the_wheel_and_lists_all_methods(run):
    place, configs, *words = _done(run, "python", "-c", LIST).split()
    assert "installed" in place and place.endswith("site-packages/bdlzoo/__init__.py")
    assert configs == place.replace("__init__.py", "configs")
    assert set(bdlzoo.methods.__all__) <= set(words)
    assert "digits/mc_dropout.py" in words


@pytest.mark.slow
def test_a_preset_is_in_the_wheel(run):
    labels = _done(run, "python", "-c", PRESET).split()
    assert labels == [str(y) for y in bdlzoo.data.load("digits", "test").y[:3]]
    assert "digits/mc_dropout" in _done(run, "bdlzoo", "list", "presets")


@pytest.mark.slow
def test_command_trains(trained):
    assert "accuracy" in trained and "Run in a" in trained


@pytest.mark.slow
def test_command_evaluates_exports_and_serves(run, trained):
    assert "report.html" in _done(run, "bdlzoo", "evaluate", "--workdir=a",
                                  "--shift=20")
    assert "served/1" in _done(run, "bdlzoo", "export", "--workdir=a",
                               "--output=served")
    server = run("bdlzoo", "serve", "--model_base_path=served", "--port=0",
                 "--rest_api_port=0", start=subprocess.Popen, stdout=subprocess.PIPE)
    try:
        port = re.search(r"http://127\.0\.0\.1:(\d+)/", server.stdout.readline())[1]
        answer = RESTClient(f"127.0.0.1:{port}", "served").predict(
            np.zeros((2, 8, 8, 1), "float32"), num_samples=3, seed=1)
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
    np.testing.assert_allclose(np.sum(answer["probabilities"], axis=1), 1, atol=1e-5)
