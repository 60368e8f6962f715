"""`scenario`: rounds that were written down, read, played and told, as `feltlog scenario run FILE.jsonl --json` does it.

Nobody else plays such files, so there is no peer.  Each has one to three boxes under one of the books, a shoe in any order,
and the words of players who say anything that is legal.
"""

import io
from pathlib import Path
from random import Random
from statistics import median

import msgspec

from feltlog.rehearsal.round import Choice, Moment, Rehearsal
from feltlog.scenario.run import run
from feltlog.scenario.text import FORMAT, read_json
from feltlog.screen import write_json
from shared.kernel.cards import DECK
from shared.kernel.money import decimal
from tests.benchmarks.pairing import per_cpu_second
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.rounds import opening

BOOKS = ("ontario", "live", "floor")
CURRENCY = "CAD"
CARDS = 60
"""So many cards of the shoe stand in a scenario: more than these boxes need."""
WORDS = {"decline": "decline_insurance"}


def written(seed: int) -> bytes:
    """Return a scenario: one round that was played, as a file tells it."""
    chance = Random(seed)
    book, boxes = chance.choice(BOOKS), chance.randint(1, 3)
    shoe = list(DECK * 6)
    chance.shuffle(shoe)
    stakes = {box: 2 * chance.randint(50, 250) for box in range(1, boxes + 1)}
    steps: list[dict[str, object]] = []

    def say(moment: Moment) -> Choice:
        word = chance.choice(moment.legal)
        box = moment.hand.box
        steps.append({"box": box, "player": f"p{box}", "do": WORDS.get(word, word)})
        return Choice(word)

    rehearsal = Rehearsal(opening(book), shoe)
    for box, stake_minor in stakes.items():
        rehearsal.bet(f"p{box}", box, stake_minor)
    rehearsal.run(say)
    return msgspec.json.encode(
        {
            "format": FORMAT,
            "profile": book,
            "currency": CURRENCY,
            "cards": " ".join(shoe[:CARDS]),
            "boxes": [
                {"box": box, "wagers": [{"player": f"p{box}", "stake": decimal(stake_minor, CURRENCY)}]}
                for box, stake_minor in stakes.items()
            ],
            "steps": steps,
        }
    )


def _run(effort: Effort, tell: Tell) -> list[Row]:
    texts = [written(seed) for seed in range(effort.amount)]
    here = Path()

    def play() -> None:
        out = io.TextIOWrapper(io.BytesIO())
        for number, text in enumerate(texts):
            write_json(run(f"bench:{number}", text, read_json, here).result, out)

    took = []
    for turn in range(effort.times + 1):
        tell(f"turn {turn} of {effort.times}" if turn else "warming up")
        took.append(per_cpu_second(effort.amount, play))
    return [Row(bench="scenario", value=median(took[1:]), unit="scenarios/s")]


SCENARIO = Bench(run=_run, amount=1_000, times=10, about="rounds of one to three boxes that were written down")
