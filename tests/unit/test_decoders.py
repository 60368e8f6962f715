"""Decoders: made once for the very same types, and never for others."""

from typing import Any

import msgspec

from shared.kernel.decoders import made_once

ONE = int | str
OTHER = int | bool


def test_decoder_is_made_once_for_the_very_same_types():
    """Whoever asks again gets the same decoder; another type gets one of its own."""
    made: list[Any] = []

    @made_once
    def decoder(kind: Any) -> "msgspec.json.Decoder[Any]":
        made.append(kind)
        return msgspec.json.Decoder(kind)

    assert (decoder(ONE) is decoder(ONE), decoder(ONE) is decoder(OTHER), made) == (True, False, [ONE, OTHER])
