"""Identity: ids that can be worked out again, so that whatever is done twice carries the same id twice.

Whoever asks from outside chooses an id that does not begin like the house's own.  Streams are no secret, so everybody can
work out the house's next ids: if one could be used up by a wager, the house would be refused its own word.
"""

from hashlib import sha256

ASKED_ID = r"^(?!house\.)[ -~]{1,64}\Z"
"""What an id from outside looks like."""


def derived_id(*parts: str | int) -> str:
    """Return the id of something that follows from `parts`: `house.` and 32 hexadecimal digits of a SHA-256 over their unambiguous join.

    >>> derived_id("a", 1) == derived_id("a", 1), derived_id("a", 1) == derived_id("a1")
    (True, False)
    """
    text = "".join([f"{len(part)}:{part}" for part in map(str, parts)])
    return f"house.{sha256(text.encode()).hexdigest()[:32]}"


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal: how entries name the one before."""
    return sha256(data).hexdigest()
