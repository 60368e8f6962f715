"""A breach: something that must not be, whoever sees it."""


class Breach(Exception):
    """Something that must not be.  `code` stays the same for the same kind of fault."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def must(holds: bool, code: str, message: str) -> None:
    """Raise `Breach` unless something holds."""
    if not holds:
        raise Breach(code, message)
