"""A URL or an IP address goes in; an AddressError comes out if a model may not be asked there.

Loopback and private networks are where model servers live, and are allowed. Link-local addresses and those
where clouds hand out their machines' credentials are refused, however they are written, and again when a
connection is made: a name may lead elsewhere by then.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import Final

import httpx

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_REFUSED: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "169.254.0.0/16",  # link-local, and the metadata of most clouds
        "fe80::/10",  # link-local
        "fd00:ec2::/32",  # metadata of Amazon
        "fd20:ce::254/128",  # metadata of Google
        "100.100.100.200/32",  # metadata of Alibaba
        "168.63.129.16/32",  # the agent of Azure
        "192.0.0.192/32",  # metadata of Oracle
        "224.0.0.0/4",  # multicast
        "ff00::/8",
        "255.255.255.255/32",
    )
)
_REFUSED_NAMES: Final = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}
)
# IPv6 networks whose addresses end in an IPv4 address: compatible, mapped, translated.
_ENDS_IN_IPV4: Final = tuple(
    ipaddress.IPv6Network(network)
    for network in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")
)
_LOCAL_NAT64: Final = ipaddress.IPv6Network("64:ff9b:1::/48")
# The two halves of an interface's number that say: here follows an IPv4 address (ISATAP).
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})


class AddressError(ValueError):
    """An address that may not be asked, or is none; the message says which and why."""


def check(url: str) -> None:
    """Check a base URL, and what its host stands for; a name that is unknown for now passes.

    >>> check("http://169.254.169.254/v1")
    Traceback (most recent call last):
    scoring.addresses.AddressError: 169.254.169.254 is a link-local or metadata address, which is never asked.
    """
    parsed = read(url)
    try:
        found = socket.getaddrinfo(parsed.host, parsed.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return
    for *_, place in found:
        check_ip(parsed.host, str(place[0]))


def read(url: str) -> httpx.URL:
    """Check all that can be seen of a base URL without looking its host up."""
    try:
        parsed = httpx.URL(url.strip())
    except httpx.InvalidURL as error:
        raise AddressError(f"The address cannot be read: {error}") from None
    if parsed.scheme not in {"http", "https"}:
        raise AddressError("The address must begin with http:// or https://.")
    port = 80 if parsed.port is None else parsed.port
    if not parsed.host or "%" in parsed.host or not 0 < port < 65536:
        raise AddressError("The address must name a host, and a port from 1 to 65535 if any.")
    if parsed.userinfo:
        raise AddressError("Leave user name and password out of the address; a key has its own field.")
    if parsed.query or parsed.fragment:
        raise AddressError("Leave out what follows ? or # in the address.")
    _check_host(parsed.host)
    return parsed


def check_ip(host: str, address: str) -> None:
    """Refuse an IP address that may not be asked, also inside another that stands for it."""
    written = ipaddress.ip_address(address.partition("%")[0])
    for meant in (written, *_inside(written)):
        if any(meant in network for network in _REFUSED if network.version == meant.version):
            subject = f"{host} is a" if host == address else f"{host} leads to {address}, a"
            raise AddressError(f"{subject} link-local or metadata address, which is never asked.")


def _check_host(host: str) -> None:
    if host.rstrip(".").lower() in _REFUSED_NAMES:
        raise AddressError(f"{host} is a cloud's metadata service, which is never asked.")
    try:
        address = str(ipaddress.ip_address(host))
    except ValueError:
        return
    check_ip(host, address)


def _inside(address: IPAddress) -> list[IPAddress]:
    """List the IPv4 addresses that an IPv6 one carries inside: mapped, translated or tunnelled."""
    if address.version == 4:
        return []
    carried: list[IPAddress | None] = [address.sixtofour, *(address.teredo or ())]
    number = int(address)
    isatap = (number >> 32) & 0xFFFFFFFF in _ISATAP
    if isatap or any(address in network for network in _ENDS_IN_IPV4):
        carried.append(_ipv4(number))
    if address in _LOCAL_NAT64:
        carried.extend(_translated(number))
    return [found for found in carried if found]


def _translated(number: int) -> list[ipaddress.IPv4Address]:
    """List the IPv4 addresses that stand after a prefix of 48, 56, 64 or 96 bits (RFC 6052, 2.2).

    Bits 64 to 71 are always zero, and the address goes around them.
    """
    high, low = number >> 64, number & 0xFFFFFFFFFFFFFFFF
    around = (high << 56) | (low & 0xFFFFFFFFFFFFFF)  # 120 bits, without those that are zero
    return [_ipv4(around >> (120 - 32 - prefix)) for prefix in (48, 56, 64)] + [_ipv4(number)]


def _ipv4(number: int) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(number & 0xFFFFFFFF)
