"""Programs inside installed packages go in, a folder from which the servers' user can run them comes out."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from evalportal.embedded import places


def within_reach(root: Path, names: tuple[str, ...], account: places.Account | None) -> Path:
    """Return `root`, or a copy of these files and folders of it if the account cannot get to them.

    A virtual environment below a closed home, or one installed with a strict umask, is out of reach.
    """
    if account is None or all(_open_to_all(root / name) for name in names):
        return root
    copy = places.root_folder() / "programs" / _mark(root, names)
    if not copy.exists():
        _copy(root, names, copy)
    return copy


def _open_to_all(path: Path) -> bool:
    wanted = stat.S_IXOTH | (stat.S_IROTH if path.is_dir() else 0)
    inside = [path / "bin"] if (path / "bin").is_dir() else []
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents) and all(
        part.stat().st_mode & wanted == wanted for part in (path, *inside)
    )


def _mark(root: Path, names: tuple[str, ...]) -> str:
    times = [str((root / name).stat().st_mtime_ns) for name in names]
    return hashlib.sha256("\n".join([os.fspath(root), *names, *times]).encode(errors="replace")).hexdigest()[
        :16
    ]


def _copy(root: Path, names: tuple[str, ...], copy: Path) -> None:
    for folder in (copy.parent.parent, copy.parent):
        places.make_folder(folder, 0o711)
    unfinished = Path(tempfile.mkdtemp(dir=copy.parent))
    for name in names:
        if (root / name).is_dir():
            shutil.copytree(root / name, unfinished / name, symlinks=True)
        else:
            (unfinished / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, unfinished / name)
    _open(unfinished)
    try:
        unfinished.rename(copy)
    except OSError:  # another process was faster
        shutil.rmtree(unfinished)


def _open(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if executable else 0o644)
