"""The command is there as a module, too."""

from tests.programs import processes


def test_module_is_the_command_and_a_verb_says_its_flags(tmp_path):
    code, out, err = processes.run("train", "--help", cwd=tmp_path)
    assert code == 0, err
    assert out.startswith("Trains the model of a config") and "--workdir: Folder" in out
    assert "--config: " in out and "--only_check_args" not in out
