"""What `docs/serving.md` tells to type works."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

from bdlzoo.core.regression_prediction import QUANTILES

PAGE = (pathlib.Path(__file__).parents[2] / "docs/serving.md").read_text()


@pytest.fixture
def local(served):
    """Puts the ports of the served model into text."""
    return lambda text: text.replace(":8501", f":{served.rest.port}").replace(
        ":8500", f":{served.grpc.port}")


def test_python_runs(local, capsys):
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    exec(local(code), {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[0] == lines[1] and "(16, 3, 10)" in lines[0]


def test_curl_runs(local, tmp_path):
    if shutil.which("curl") is None:
        pytest.skip("curl is not there")
    [code] = [block for block in re.findall(r"```bash\n(.*?)```", PAGE, re.S)
              if "curl" in block]
    lines = local(code).replace("curl ", "curl -s -w '\\n\\n' ").replace(
        "python ", "python3 ")
    done = subprocess.run(["bash", "-ec", lines], cwd=tmp_path, text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    status, metadata, rows, asked = map(json.loads, done.stdout.strip().split("\n\n"))
    assert status["model_version_status"][0]["state"] == "AVAILABLE"
    assert "signature_def" in metadata["metadata"]
    assert len(rows["predictions"][0]["probabilities"]) == 10
    assert len(asked["outputs"]["probabilities"][0]) == 10


def test_levels_of_the_quantiles_are_named():
    told = re.search(r"`quantiles` at (.*?)\.\s", PAGE, re.S)[1]
    assert tuple(map(float, re.findall(r"0\.\d+", told))) == QUANTILES
