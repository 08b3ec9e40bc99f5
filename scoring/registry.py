"""A folder of plugins goes in, {file name: module} comes out."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


class UnknownPluginError(LookupError):
    """No file of that name in the folder; the message lists those there are."""


@cache
def plugins(package: str) -> dict[str, ModuleType]:
    """Import every module of a package, by its file name, in alphabetical order."""
    folder = import_module(package)
    names = sorted(module.name for module in iter_modules(folder.__path__))
    return {name: import_module(f"{package}.{name}") for name in names}


def plugin(package: str, name: str) -> ModuleType:
    """Find one plugin by its file name."""
    try:
        return plugins(package)[name]
    except KeyError:
        known = ", ".join(plugins(package))
        raise UnknownPluginError(f"There is no {name!r} in {package}; there are: {known}.") from None


def label(module: ModuleType) -> str:
    """Read the label of a plugin: the first line of its docstring, without the full stop."""
    return (module.__doc__ or module.__name__).strip().splitlines()[0].rstrip(".")
