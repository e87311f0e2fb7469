"""What runs before a commit is what `make lint` runs, from the same environment."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / ".pre-commit-config.yaml"


def test_pre_commit_accepts_its_configuration():
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(CONFIG)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hooks_are_the_linters_of_the_makefile():
    (local,) = yaml.safe_load(CONFIG.read_text())["repos"]
    assert local["repo"] == "local"
    hooks = {hook["name"]: hook["entry"] for hook in local["hooks"]}
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert lint is not None
    commands = re.findall(r"\$\(BIN\)/(\w+(?: (?!-)\w+)?)", lint[1])
    assert list(hooks) == commands
    assert all(entry.startswith(f".venv/bin/{name}") for name, entry in hooks.items())
