"""A file is written as a whole or not at all."""

import errno
import multiprocessing
import os
import random
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lexiprog.results.files import replace_file
from tests.lexiprog.results.test_result import Plant

POSIX = pytest.mark.skipif(os.name != "posix", reason="kills and limits are POSIX's")


@pytest.fixture(scope="module")
def result():
    return Plant().program.solve()


@POSIX
def test_a_process_killed_while_it_writes_leaves_the_old_file_or_the_new_one(tmp_path):
    path, rng = tmp_path / "big.txt", random.Random(7)
    texts = [str(k) * 2_000_000 for k in range(2)]
    replace_file(path, texts[0])
    killed = 0
    for _ in range(12):
        writer = multiprocessing.get_context("fork").Process(
            target=lambda: [replace_file(path, texts[k % 2]) for k in range(10_000)]
        )
        writer.start()
        while len(list(tmp_path.iterdir())) == 1:  # until it has begun
            time.sleep(0.0005)
        time.sleep(rng.random() * 0.02)
        killed += len(list(tmp_path.glob(".big.txt.*.tmp")))
        writer.kill()
        writer.join()
        assert path.read_text() in texts
        for rest in tmp_path.glob(".big.txt.*.tmp"):
            rest.unlink()
    assert killed >= 3, "the writer was hardly ever in the middle of it"


FULL = """
import resource, sys
from lexiprog.results.files import replace_file
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
replace_file(sys.argv[1], "x" * 1_000_000)
"""


@POSIX
def test_a_disk_that_is_full_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("the old one")
    found = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True)
    assert "OSError" in found.stderr
    assert "is still what it was before" in found.stderr
    assert path.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_at_the_last_moment_leaves_the_old_file_and_nothing_else(
    tmp_path, result, monkeypatch
):
    path = tmp_path / "result.json"
    result.save(path)
    before = path.read_bytes()

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        result.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_links_stay_links_and_modes_stay_as_they_are(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    replace_file(target, "one")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~mask
    target.chmod(0o600)
    link.symlink_to(target)
    replace_file(link, "two")
    assert link.is_symlink()
    assert target.read_text() == "two"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    replace_file(os.devnull, "three")  # a device is written to, not replaced
    assert Path(os.devnull).is_char_device()


def test_a_folder_that_is_not_there_is_named(result, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such folder") as caught:
        result.save(tmp_path / "nowhere" / "result.json")
    assert caught.value.filename == str(tmp_path / "nowhere")
