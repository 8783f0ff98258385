"""One-line faults of `bdlzoo/programs`, and the tests that must see them."""

MUTANTS = [
    ("supervisor.py", "end_with_parent.VARIABLE: str(os.getpid())",
     "end_with_parent.VARIABLE: str(os.getppid())",
     "tests/programs/test_supervisor.py -k whom"),
    ("console.py", "if argv[1:] and not takes_words:", "if False:",
     "tests/programs/test_console.py -k wrong"),
    ("console.py", "found[place + 1] = str(find_config(argv[place + 1]))", "pass",
     "tests/programs/test_console.py -k configs"),
    ("list.py", "for name in room.__all__", "for name in room.__all__[1:]",
     "tests/programs/test_list.py"),
    ("export.py", "num_samples=_NUM_SAMPLES.value, seed=_SEED.value)\n    except",
     "seed=_SEED.value)\n    except",
     "tests/programs/test_export.py -m slow -k format"),
]
