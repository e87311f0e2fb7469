"""Install a wheel and an sdist into empty environments: `python .ci/try_dist.py dist/*`.

Each gets an environment of the Python that runs this file. Compilers are of no use there: all that
comes along must have wheels. It works if the README's first example prints what is shown there.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = re.compile(r"```python\n(.*?)```\n+```text\n(.*?)```", re.DOTALL)


def tried(archive: Path) -> bool:
    """Whether the example prints what the README shows, with nothing but the archive installed."""
    code, shown = EXAMPLE.search((ROOT / "README.md").read_text()).groups()
    with tempfile.TemporaryDirectory(prefix="try-") as home:
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        python = Path(home, "Scripts" if sys.platform == "win32" else "bin", "python")
        only = ["--only-binary", ":all:", "--no-binary", "lexiprog"]
        install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *only]
        subprocess.run([*install, archive.resolve()], check=True, cwd=home)
        done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, cwd=home)
    right = done.stdout == shown
    about = "works" if right else f"does not work:\n{done.stdout}{done.stderr}"
    print(f"{archive.name} on Python {sys.version.split()[0]}: {about}")
    return right


if __name__ == "__main__":
    results = [tried(Path(name)) for name in sys.argv[1:]]
    sys.exit(not all(results))
