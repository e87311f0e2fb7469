"""Tests lie where their modules do: in the folder of the same name, or in one above it."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(
    {
        file.parent.relative_to(ROOT)
        for package in ("lexiprog", "lexiprog_boost")
        for file in ROOT.glob(f"{package}/*/**/*.py")
        if file.name != "__init__.py"
    }
)


def mirrored(folder: Path, root: Path) -> bool:
    """Whether a folder of modules has tests, in its own place or in its parent's."""
    places = [root / "tests" / part for part in (folder, *folder.parents) if len(part.parts) > 1]
    return any(any(place.glob("test_*.py")) for place in places)


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_every_folder_has_its_tests_in_the_same_place(folder):
    assert mirrored(folder, ROOT), f"there are no tests in tests/{folder} and none above it"


def test_a_folder_without_tests_is_found(tmp_path):
    inner = Path("lexiprog", "outer", "inner")
    (tmp_path / "tests" / "lexiprog").mkdir(parents=True)
    (tmp_path / "tests" / "lexiprog" / "test_all.py").touch()
    assert not mirrored(inner, tmp_path)
    (tmp_path / "tests" / "lexiprog" / "outer").mkdir()
    (tmp_path / "tests" / "lexiprog" / "outer" / "test_it.py").touch()
    assert mirrored(inner, tmp_path)
