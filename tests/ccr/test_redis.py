"""The tier of fleets, against a real server on a Unix socket."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.ccr import redis as tier
from tokenjuice_ml.ccr.retrieve import FOREIGN, GONE, view
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.errors import StoreError
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Reason

redis = pytest.importorskip("redis", reason="needs the redis package: pip install 'tokenjuice-ml[redis]'")
BINARY = shutil.which("redis-server") or shutil.which("valkey-server")
pytestmark = pytest.mark.skipif(
    BINARY is None, reason="needs the package redis-server: apt-get install redis-server"
)

LOG = "\n".join(f"step {n} went well" for n in range(1500)) + "\nerror: the one that matters\n" + "tail\n" * 5


class Server:
    """A server of its own in a folder of its own; nothing is written to disk."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self._folder = folder
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            [BINARY, "--port", "0", "--unixsocket", str(self.socket), "--save", "", "--appendonly", "no"],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
        )
        client = redis.Redis.from_url(self.url)
        for _ in range(200):
            try:
                client.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.05)
        client.close()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(20)


@pytest.fixture(scope="module")
def running():
    # A socket's path may not be long, pytest's folders are.
    with TemporaryDirectory(prefix="tj-redis-") as folder:
        server = Server(Path(folder))
        yield server
        server.stop()


@pytest.fixture(autouse=True)
def closed_connections(monkeypatch):
    """Closes what the tests opened: an open socket at the end is an error."""
    made = []
    begin = tier.RedisTier.__init__

    def remember(self, settings):
        begin(self, settings)
        made.append(self)

    monkeypatch.setattr(tier.RedisTier, "__init__", remember)
    yield
    for one in made:
        one.close()


@pytest.fixture
def server(running, monkeypatch):
    monkeypatch.setattr(tier, "REST_S", 0.0)
    client = redis.Redis.from_url(running.url)
    client.flushall()
    client.close()
    return running


def machine(server, tmp_path, name: str, **more):
    """Returns the store of one machine of the fleet, without anything in memory."""
    store = open_store(Settings(ccr_redis_url=server.url, ccr_dir=str(tmp_path / name), **more))
    assert store is not None
    return store


def test_the_fleet_shares_originals_and_tokens(server, tmp_path):
    one, two = machine(server, tmp_path, "one"), machine(server, tmp_path, "two")
    token = one.put(LOG.encode(), lines=1506)
    assert two.get(token) == LOG.encode()
    assert two.put(LOG.encode(), lines=1506) == token
    assert two.get_lines(token, 1501, 1501) == b"error: the one that matters\n"
    assert two.get_bytes(token, 5, 9) == LOG.encode()[5:9]
    assert two.size_of(token) == (len(LOG), 1506)
    assert [tier.name for tier in one.tiers] == ["memory", "redis"]
    assert two.stats()["redis"]["entries"] == 1
    assert view(two, "3" * 27).error in (FOREIGN, GONE)
    assert two.clear() >= 1
    assert view(two, token).error == GONE


@given(data=st.binary(max_size=2000))
def test_any_bytes_come_back(running, tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp() / "any"
    store = open_store(Settings(ccr_redis_url=running.url, ccr_dir=str(folder)))
    token = store.put(data, lines=1)
    store.tiers[0].clear()
    assert store.get(token) == data
    store.close()


def test_the_chain_is_memory_disk_redis(server, tmp_path):
    settings = Settings(ccr_redis_url=server.url, ccr_dir=str(tmp_path), ccr_disk_enabled=True)
    store = open_store(settings)
    assert [tier.name for tier in store.tiers] == ["memory", "disk", "redis"]
    token = store.put(b"in all three", lines=1)
    for tier_ in store.tiers:
        assert tier_.load(token) == b"in all three"


def test_what_was_on_disk_before_there_was_a_fleet_is_still_found(server, tmp_path):
    alone = open_store(Settings(ccr_dir=str(tmp_path / "two")), disk=True)
    token = alone.put(b"old\nlines\n", lines=2)
    machine(server, tmp_path, "one")  # the fleet's secret is another machine's
    grown = machine(server, tmp_path, "two", ccr_disk_enabled=True)
    assert grown.get(token) == b"old\nlines\n"
    assert grown.get_lines(token, 2, 2) == b"lines\n"


def test_an_altered_value_is_never_shown(server, tmp_path):
    import zlib

    store = machine(server, tmp_path, "one")
    token = store.put(b"the truth", lines=1)
    store.tiers[0].clear()
    client = redis.Redis.from_url(server.url)
    client.hset(tier.PREFIX + token, "data", zlib.compress(b"a lie"))
    assert store.get(token) is None
    assert store.get_lines(token, 1, 1) is None
    client.hset(tier.PREFIX + token, "data", b"junk")
    assert store.get(token) is None
    client.close()


def test_a_time_to_live_is_the_servers(server, tmp_path):
    store = machine(server, tmp_path, "one", ccr_ttl_secs=1)
    token = store.put(b"short", lines=1)
    store.tiers[0].clear()
    assert store.get(token) == b"short"
    time.sleep(1.2)
    assert store.get(token) is None


def test_a_server_out_of_memory_withdraws_the_result(server, tmp_path):
    store = machine(server, tmp_path, "one")
    client = redis.Redis.from_url(server.url)
    client.config_set("maxmemory", "1mb")
    try:
        with pytest.raises(StoreError, match="memory"):
            store.put(b"x", lines=1)
    finally:
        client.config_set("maxmemory", "0")
        client.close()


def test_stopped_while_an_agent_works(tmp_path, monkeypatch, request):
    """The loop goes on, nothing is lossy without a way back, and a server that returns is used again."""
    monkeypatch.setattr(tier, "REST_S", 0.0)
    with TemporaryDirectory(prefix="tj-redis-") as folder:
        server = Server(Path(folder))
        request.addfinalizer(server.stop)
        settings = Settings(ccr_redis_url=server.url, ccr_dir=str(tmp_path), savings_enabled=False)
        juice = TokenJuice(settings)
        call = {"command": "./build.sh", "exit_code": 1}
        first = juice.compress(LOG, **call)
        assert first.reason is Reason.COMPRESSED
        server.stop()
        start = time.monotonic()
        for number in range(5):
            result = juice.compress(LOG + str(number), **call)
            assert result.text == LOG + str(number)
            assert result.reason is Reason.STORE_FAILED
            assert "redis" in result.detail
        assert time.monotonic() - start < 10
        assert juice.retrieve(first.token) == LOG.encode()  # memory still has it
        server.start()
        assert juice.compress(LOG + "again", **call).reason is Reason.COMPRESSED
        server.stop()


def test_a_server_that_is_away_at_the_start_costs_each_call_nothing(tmp_path):
    juice = TokenJuice(Settings(ccr_redis_url=f"unix://{tmp_path}/none.sock", savings_enabled=False))
    assert juice.compress(LOG, command="./x", exit_code=1).reason is Reason.STORE_FAILED
    juice.update({"ccr_redis_url": None})
    assert juice.compress(LOG, command="./x", exit_code=1).reason is Reason.COMPRESSED


def test_a_dead_address_is_asked_seldom(tmp_path, monkeypatch):
    store = open_store(Settings())
    away = tier.RedisTier(Settings(ccr_redis_url=f"unix://{tmp_path}/none.sock"))
    for _ in range(2):
        with pytest.raises(StoreError):
            away.save("1" * 27, b"x", 1)
    with pytest.raises(StoreError, match="a moment ago"):
        away.save("1" * 27, b"x", 1)
    store.close()


def test_a_bad_address_gives_no_store():
    assert open_store(Settings(ccr_redis_url="nonsense")) is None
