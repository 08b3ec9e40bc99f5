"""The embedded Redis: shared by its users, stopped with the last, back after a crash, closed to others."""

from __future__ import annotations

import pytest
from kombu import Connection
from redis import Redis

from tests.embedded.conftest import Service, as_root, eventually, gone, kill, refused


def client(service: Service) -> Redis:
    return Redis(unix_socket_path=str(service.place.sockets / "redis.sock"))


def server(service: Service) -> int:
    return int(client(service).info("server")["process_id"])


def test_it_rings_the_bell_for_celery(redis: Service) -> None:
    with Connection(redis.user().url) as connection:
        queue = connection.SimpleQueue("bell")
        queue.put({"run": 7})
        message = queue.get(timeout=5)
        assert message.payload == {"run": 7}
        message.ack()


def test_it_is_one_server_for_many_users_and_stops_with_the_last(redis: Service) -> None:
    users = [redis.user() for _ in range(3)]
    assert len({user.url for user in users}) == 1
    pid, guardian = server(redis), redis.guardian()
    users[0].leave()
    users[1].kill()
    assert server(redis) == pid
    users[2].kill()
    eventually(lambda: gone(pid) and gone(guardian))


def test_it_comes_back_by_itself_when_the_server_is_killed(redis: Service) -> None:
    assert redis.user().url
    kill(server(redis))
    eventually(redis.server.ready)


def test_it_leaves_no_server_when_its_guardian_is_killed(redis: Service) -> None:
    user = redis.user()
    assert user.url
    pid = server(redis)
    kill(redis.guardian())
    user.kill()
    eventually(lambda: gone(pid))


def test_it_keeps_nothing_on_the_disk_and_opens_no_network_port(redis: Service) -> None:
    assert redis.user().url
    settings = {name: client(redis).config_get(name)[name] for name in ("save", "appendonly", "port")}
    assert settings == {"save": "", "appendonly": "no", "port": "0"}


@as_root
@pytest.mark.parametrize("stranger", ["65533", "nobody"])
def test_it_is_closed_to_other_users_of_the_machine(redis: Service, stranger: str) -> None:
    assert redis.user().url
    assert refused(redis.place.sockets / "redis.sock", stranger)
