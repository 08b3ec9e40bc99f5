"""Messages of a broker that dies go in; a worker that goes on without them comes out.

As kombu has it, a worker that holds a message when its Redis goes away puts it back, or says that it is done,
through the connection that is gone, and ends with that error. Here such a message is let go: the database
knows what is to be done, and the sweep rings again.
"""

from __future__ import annotations

from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError
from kombu.transport import redis
from redis.exceptions import RedisError

# Whoever asks whether the broker is there does not want to wait for it.
_PATIENCE_SECONDS = 1.0


class Channel(redis.Channel):
    """A channel that keeps silent once it is closed."""

    do_restore = False

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        """Say that a message is dealt with, if there is anyone to say it to."""
        if not self.closed:
            super().basic_ack(delivery_tag, multiple=multiple)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Refuse a message, if there is anyone to refuse it to."""
        if not self.closed:
            super().basic_reject(delivery_tag, requeue=requeue)


def install() -> None:
    """Let every connection with Redis in this process use such channels."""
    transport: Any = redis.Transport
    transport.Channel = Channel


def answers(app: Celery) -> bool:
    """Say whether the broker answers, and soon."""
    limits = {"socket_timeout": _PATIENCE_SECONDS, "socket_connect_timeout": _PATIENCE_SECONDS}
    try:
        with app.connection_for_write(connect_timeout=_PATIENCE_SECONDS) as connection:
            connection.transport_options = {**(connection.transport_options or {}), **limits}
            connection.transport.establish_connection()
    except (OperationalError, RedisError, OSError):
        return False
    return True
