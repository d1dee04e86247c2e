"""Frozen values with named fields, without `dataclasses`.

Every start of `tj` pays for what it imports: the module `dataclasses` costs 10 ms, and each class
1 ms for the code that is written and compiled for it. Records share one constructor instead. The
functions of `dataclasses` work on them all the same (`replace`, `fields`, `asdict`).
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform

_R = TypeVar("_R", bound="_Base")
_MISSING: Any = object()


class Field:
    """A field of a record.

    Attributes:
        name: its name.
        type: its annotation, as written.
        default: its default; `factory` makes one for each record where that is set.
        metadata: what else was said of it.
    """

    __slots__ = ("default", "factory", "metadata", "name", "type")

    def __init__(self, default: Any = _MISSING, factory: Any = None, metadata: Any = None) -> None:
        self.name = self.type = ""
        self.default, self.factory, self.metadata = default, factory, metadata or {}

    @property
    def needed(self) -> bool:
        """True for a field without a default."""
        return self.default is _MISSING and self.factory is None


def field(*, default: Any = _MISSING, factory: Any = None, metadata: Any = None) -> Any:
    """Declares a field with more than a plain default."""
    return Field(default, factory, metadata)


class _Shadow:
    """Tells `dataclasses` about a record, once it asks."""

    def __get__(self, record: Any, owner: type[_Base]) -> dict[str, Any]:
        import dataclasses

        specs: list[Any] = []
        for item in owner.record_fields:
            more: dict[str, Any] = {} if item.default is _MISSING else {"default": item.default}
            if item.factory is not None:
                more = {"default_factory": item.factory}
            specs.append((item.name, item.type, dataclasses.field(metadata=item.metadata, **more)))
        shadow: Any = dataclasses.make_dataclass(owner.__name__, specs)
        owner.__dataclass_fields__ = shadow.__dataclass_fields__
        return owner.__dataclass_fields__


class _Signed:
    """Tells `inspect` and `help` what a record takes, once they ask."""

    def __get__(self, record: Any, owner: type[_Base]) -> Any:
        import inspect

        either = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature(
            [
                inspect.Parameter(
                    item.name,
                    either,
                    default=item.factory or (inspect.Parameter.empty if item.needed else item.default),
                    annotation=item.type,
                )
                for item in owner.record_fields
            ]
        )


class _Base:
    """What records and mutable ones share."""

    record_fields: ClassVar[tuple[Field, ...]] = ()
    __dataclass_fields__: ClassVar[dict[str, Any]] = _Shadow()  # type: ignore[assignment]
    __signature__: ClassVar[Any] = _Signed()
    _order: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    _needed: ClassVar[frozenset[str]] = frozenset()
    _made: ClassVar[tuple[Field, ...]] = ()

    def __init_subclass__(cls) -> None:
        """Reads the fields."""
        if not cls.__annotations__:  # a class's own: never those of the class above
            return
        found = {item.name: item for item in cls.record_fields}
        for name, kind in cls.__annotations__.items():
            default = cls.__dict__.get(name, _MISSING)
            item = default if isinstance(default, Field) else Field(default)
            item.name, item.type = name, kind
            if default is not _MISSING and item.factory is None:
                setattr(cls, name, item.default)
            found[name] = item
        cls.record_fields = tuple(found.values())
        cls.__dataclass_fields__ = _Shadow()  # type: ignore[assignment]
        cls._order = tuple(found)
        type.__setattr__(cls, "__match_args__", cls._order)
        cls._names = frozenset(cls._order)
        cls._needed = frozenset(item.name for item in found.values() if item.needed)
        cls._made = tuple(item for item in found.values() if item.factory is not None)

    def __init__(self, *args: Any, **values: Any) -> None:
        """Takes the fields by place or by name."""
        cls = type(self)
        if len(args) == len(cls._order) and not values:
            self.__dict__.update(zip(cls._order, args, strict=True))
            return
        if args:
            placed = dict(zip(cls._order, args, strict=False))
            if len(args) > len(cls._order) or not placed.keys().isdisjoint(values):
                raise TypeError(f"{cls.__name__}: too many values")
            values = placed | values
        if not cls._needed <= values.keys() or not values.keys() <= cls._names:
            raise TypeError(f"{cls.__name__} takes {', '.join(cls._order)}, not {', '.join(values)}")
        for item in cls._made:
            if item.name not in values:
                values[item.name] = item.factory()
        self.__dict__.update(values)

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self._order])

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._order)
        return f"{type(self).__name__}({shown})"


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(_Base):
    """A frozen value; subclasses list their fields as annotations, with defaults where they have some.

    >>> class Point(Record):
    ...     x: int
    ...     y: int = 0
    >>> replace(Point(3), y=4)
    Point(x=3, y=4)
    """

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cannot delete field {name!r}")

    def __hash__(self) -> int:
        return hash(self._values())


@dataclass_transform(field_specifiers=(field,))
class Mutable(_Base):
    """The same with fields that may change."""

    __hash__ = None  # type: ignore[assignment]


def replace(record: _R, **changes: Any) -> _R:
    """Returns a copy with some fields changed."""
    return type(record)(**{**record.__dict__, **changes})
