"""The command is there as a module, too."""

from tests.programs import processes


def test_module_is_the_command(tmp_path):
    code, out, err = processes.run("trian", cwd=tmp_path)
    assert code == 1 and not out
    assert "Did you mean train? Received: trian" in err
    assert "Traceback" not in err
