"""Replace a file as a whole: whatever happens, either the old one or the new one is there."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path

__all__ = ["replace_file"]


def replace_file(path: str | os.PathLike[str], text: str) -> None:
    """Write ``text`` to ``path`` so that no crash, kill or full disk leaves half of it there.

    It is written beside the file under another name, brought to the disk and renamed. A process
    that is killed in between leaves that other file, ``.name.….tmp``, behind.
    """
    target = Path(os.path.realpath(path))  # a link stays one; what it points to is replaced
    found = _mode(target)
    if found is not None and not stat.S_ISREG(found):
        target.write_text(text, encoding="utf-8")  # a device or a pipe cannot be replaced
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    beside = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        # The mode is the one that plain writing would give, by the user's own mask.
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if found is not None:
            beside.chmod(stat.S_IMODE(found))
        beside.replace(target)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and found is not None:
            error.add_note(f"{target} is still what it was before.")
        raise
    _settle(target.parent)


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _settle(folder: Path) -> None:
    """Bring the renaming itself to the disk, where the system lets folders be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems refuse, and rename durably by themselves
        pass
    finally:
        os.close(handle)
