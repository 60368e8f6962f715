"""Names: a set that grows by one name without being copied, and of which the one before stays as it was."""

from collections.abc import Iterator, Set

from immutables import Map


class Names(Set[str]):
    """An unchanging set of names over a persistent map."""

    __slots__ = ("_known",)

    def __init__(self, known: Map[str, bool] | None = None) -> None:
        self._known: Map[str, bool] = Map() if known is None else known

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def and_(self, name: str) -> "Names":
        """Return these names and one more."""
        return Names(self._known.set(name, True))
