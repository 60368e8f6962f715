"""The shoe of a round in sentences: who cut it and where, and how many cards lay in front of its cutting card.

Told from the shoe's own log, so that somebody who reads a round sees what its cards came from.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from feltlog.wording import counted
from shared.contracts.shoe import CardsBurned, CardsDrawn, CuttingCardPlaced, ShoeCut, ShoePrepared
from shared.contracts.staff import job_in_words


def shoe_lines(shoe: str, events: Sequence[Any], round: str) -> Iterator[str]:
    """Yield what a shoe's events say about its cut, and about its cards before and after a round."""
    cut = next((event for event in events if isinstance(event, ShoeCut)), None)
    if cut is not None:
        yield f"{shoe} was cut behind {counted(cut.cards_in_front, 'card')} by {cutters(cut)}."
    before, after = left_in_front(events, round)
    if before is not None:
        yield f"{counted(before, 'card')} of {shoe} lay in front of its cutting card before this round, {after} after it."


def cutters(cut: ShoeCut) -> str:
    """Return by whom a shoe was cut, and who kept back a secret that was to cut it."""
    told = [given.player for given in cut.contributions if given.secret]
    kept = [given.player for given in cut.contributions if not given.secret]
    others = [player for player in told if player != cut.cutter]
    if cut.cutter:
        who = f"{cut.cutter}, with what {joined(others)} told" if others else cut.cutter
    elif cut.staff is not None:
        who = f"the {job_in_words(cut.staff)}" + (f", with what {joined(told)} told" if told else "")
    else:
        who = joined(told) if told else f"the {job_in_words(cut.by)}"
    return f"{who}; {joined(kept)} sealed a secret and did not tell it" if kept else who


def joined(names: Sequence[str]) -> str:
    """Return names as a sentence has them.

    >>> joined(["ann", "bob", "cyd"]), joined(["ann"])
    ('ann, bob and cyd', 'ann')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def left_in_front(events: Iterable[Any], round: str) -> tuple[int | None, int | None]:
    """Return how many cards lay in front of the cutting card before a round and after it; None if the log does not say."""
    cards, behind, gone = 0, None, 0
    before, after = None, None
    for event in events:
        match event:
            case ShoePrepared():
                cards = event.cards
            case CuttingCardPlaced():
                behind = event.cards_behind
            case CardsBurned():
                gone = event.first_index + event.count
            case CardsDrawn() if event.round == round:
                before = gone if before is None else before
                gone += len(event.cards)
                after = gone
            case CardsDrawn():
                gone += len(event.cards)
            case _:
                pass
    if behind is None or before is None or after is None:
        return None, None
    return max(0, cards - behind - before), max(0, cards - behind - after)
