"""The portal's folder and a service's name go in, that service's private place on this machine comes out."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import re
import stat
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_VAR = ROOT / "var"
_DEMO_VAR = _VAR / "demo"

# Servers refuse to run as root, and a root's folder is closed to others: then they live here, in this order.
_SHARED_STATE = Path("/var/lib/evalportal")
# The temporary folder by its name, not the user's own: it must be the same in two sessions that meet.
_TEMPORARY = Path("/tmp/evalportal-0")  # noqa: S108 (its owner is checked)

# Linux takes 107 bytes for the path of a socket, others 103; a socket's name takes 16 of them.
_LONGEST_SOCKET_FOLDER = 84
# A comma would make two hosts of a socket's folder, and every program quotes other signs in its own way.
_PLAIN = re.compile(r"[A-Za-z0-9/._-]+")


class ServiceError(Exception):
    """A service cannot be had on this machine; the message says why, and what to do."""


@dataclass(frozen=True)
class Account:
    """The unprivileged user that servers run as when the portal runs as root.

    The group has no members and differs from place to place: other programs of the same user cannot follow.
    """

    uid: int
    gid: int


@dataclass(frozen=True)
class Place:
    """Where one service keeps its data, its socket, its locks and its log."""

    var: Path
    service: str
    home: Path
    sockets: Path
    account: Account | None
    throwaway: bool

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.var / "log" / f"{self.service}.log"

    def make(self) -> None:
        """Make the folders that are missing, and refuse those that belong to somebody else."""
        try:
            make_var(self.var)
            self.log.parent.mkdir(mode=0o700, exist_ok=True)
            self._make_home()
            self.make_for_server(self.sockets)
        except OSError as error:
            raise ServiceError(
                f"{error}: give the portal a folder of its own with EVALPORTAL_VAR."
            ) from error

    def _make_home(self) -> None:
        if not self.account:
            return make_folder(self.home, 0o700)
        for parent in (self.home.parent.parent, self.home.parent):
            make_folder(parent, 0o711)
        make_folder(self.home, 0o710, group=self.account.gid)
        _leave_link(self.var / self.service, self.home)

    def make_for_server(self, folder: Path) -> None:
        """Make a folder that only the server's own user can open."""
        user, group = (self.account.uid, self.account.gid) if self.account else (-1, -1)
        make_folder(folder, 0o700, user, group)


def find(var: Path, service: str, *, throwaway: bool = False) -> Place:
    """Find the place of a service; the same folder gives the same place to every process of the same user."""
    var = var.resolve()
    mark = hashlib.sha256(os.fsencode(var)).hexdigest()[:12]
    account = _account(mark) if os.geteuid() == 0 else None
    home = (root_folder(throwaway) / _folder_name(var, mark) if account else var) / service
    return Place(var, service, home, _sockets(home, mark, service), account, throwaway)


def default_var() -> Path:
    """Return the folder for all that the portal writes: a demo has its own, and never sees another's data."""
    own = _DEMO_VAR if os.environ.get("EVALPORTAL_DEMO") == "1" else _VAR
    return Path(os.environ.get("EVALPORTAL_VAR") or own).resolve()


def make_var(var: Path) -> None:
    """Make the portal's folder, closed to other users; one that somebody gave it stays as open as it is."""
    var.parent.mkdir(parents=True, exist_ok=True)
    var.mkdir(mode=0o700, exist_ok=True)
    if var in (_VAR, _DEMO_VAR):
        var.chmod(0o700)


def _folder_name(var: Path, mark: str) -> str:
    return f"{re.sub('[^A-Za-z0-9._-]', '', var.parent.name)[:24]}-{mark}"


def _account(mark: str) -> Account:
    try:
        nobody = pwd.getpwnam("nobody").pw_uid
    except KeyError:
        raise ServiceError(
            "There is no user 'nobody' to run the servers: do not run the portal as root."
        ) from None
    return Account(nobody, 20_000 + int(mark, 16) % 40_000)


def root_folder(throwaway: bool = False) -> Path:
    """Return the folder below which servers live that a root has started."""
    if throwaway:
        return _TEMPORARY
    parent = _SHARED_STATE if _SHARED_STATE.exists() else _SHARED_STATE.parent
    return _SHARED_STATE if os.access(parent, os.W_OK | os.X_OK) else _TEMPORARY


def _sockets(home: Path, mark: str, service: str) -> Path:
    natural = home / "socket"
    if len(os.fsencode(natural)) <= _LONGEST_SOCKET_FOLDER and _PLAIN.fullmatch(str(natural)):
        return natural
    return Path(f"/tmp/evalportal-{os.geteuid()}-{service}-{mark}")  # noqa: S108 (its owner is checked)


def make_folder(path: Path, mode: int, user: int = -1, group: int = -1) -> None:
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.geteuid(), user):
        raise ServiceError(
            f"{path} belongs to somebody else: remove it, or set EVALPORTAL_VAR to another folder."
        )
    if (user, group) != (-1, -1):
        os.chown(path, user, group)
    path.chmod(mode)


def _leave_link(link: Path, home: Path) -> None:
    """Show where the data really is."""
    with contextlib.suppress(FileExistsError):
        link.symlink_to(home)
