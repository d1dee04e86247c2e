"""Records: frozen values that `dataclasses` understands."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle

import pytest

from tokenjuice_ml.record import Mutable, Record, field, replace


class Point(Record):
    """A point."""

    x: int
    y: int = 2
    tags: tuple[str, ...] = ()


class Bag(Mutable):
    """Things, and how many."""

    things: list[str] = field(factory=list)
    count: int = field(default=0, metadata={"doc": "how many"})


def test_values_by_place_and_by_name() -> None:
    assert Point(1) == Point(x=1, y=2) == Point(1, y=2, tags=())
    assert repr(Point(1, 3)) == "Point(x=1, y=3, tags=())"
    assert len({Point(1), Point(1), Point(2)}) == 2
    assert Point(1) != (1, 2, ())


@pytest.mark.parametrize(
    ("args", "values"), [((), {}), ((1, 2, (), 4), {}), ((1,), {"x": 1}), ((1,), {"z": 1})]
)
def test_wrong_values(args: tuple[int, ...], values: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        Point(*args, **values)  # type: ignore[arg-type]


def test_frozen() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del point.x
    assert replace(point, x=2) == Point(2)
    assert point == Point(1)
    with pytest.raises(TypeError):
        replace(point, z=3)


def test_mutable() -> None:
    one, two = Bag(), Bag()
    one.things.append("a")
    one.count = 1
    assert two == Bag()
    assert one != two
    with pytest.raises(TypeError):
        hash(one)


def test_copies() -> None:
    assert copy.deepcopy(Point(1)) == pickle.loads(pickle.dumps(Point(1))) == Point(1)


def test_dataclasses_knows_them() -> None:
    assert dataclasses.is_dataclass(Point)
    assert dataclasses.replace(Point(1), y=5) == Point(1, 5)
    assert dataclasses.asdict(Bag(["a"])) == {"things": ["a"], "count": 0}
    assert [item.name for item in dataclasses.fields(Bag())] == ["things", "count"]
    assert dataclasses.fields(Bag)[1].metadata["doc"] == "how many"


class Place(Point):
    """A point with a name."""

    name: str = "here"


def test_a_record_with_more_fields_keeps_those_of_its_base() -> None:
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 2, "tags": ()}
    place = Place(1, 5, name="there")
    assert dataclasses.asdict(place) == {"x": 1, "y": 5, "tags": (), "name": "there"}
    assert replace(place, x=2) == Place(2, 5, (), "there")
    assert len(Point.record_fields) == 3


def test_fields_are_matched_by_place() -> None:
    match Point(1, 5):
        case Point(x, y):
            assert (x, y) == (1, 5)


def test_help_lists_the_fields() -> None:
    class Shop(Record):
        name: str
        size: int = 3

    assert str(inspect.signature(Shop)) == "(name: 'str', size: 'int' = 3)"
