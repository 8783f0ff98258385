"""The command is there as a module, too."""

import pytest

from tests.programs import processes


@pytest.mark.slow  # Other tests start it too, and `test_command` reads its help.
def test_module_is_the_command_and_a_verb_says_its_flags(tmp_path):
    code, out, err = processes.run("train", "--help", cwd=tmp_path)
    assert code == 0, err
    assert out.startswith("Trains the model of a config") and "--workdir: Folder" in out
    assert "--config: " in out and "--only_check_args" not in out
