"""`shoe`: a shoe of eight decks committed and cut, against the bare hashes that it cannot do without.

Ours is all that lies between the table's call and a shoe that can be drawn from: the seed sealed, the order shuffled, salts,
leaves and tree, both decisions with their checks, and the states after them.  The bare calls are those of hashlib and hmac that
the recipe asks for, over bytes that lie ready.  `shoe (first card)` and `shoe (last card)` show that a draw costs the same
wherever it is in the shoe.
"""

import hashlib
import hmac
from collections.abc import Callable
from statistics import median

from services.shoe.app.sealing import SealingKey
from services.shoe.app.vault import Vault
from services.shoe.domain.shoe import SHOE, Ready, Shoe, Unprepared
from shared.contracts.cutting import Contribution
from shared.contracts.shoe import CutShoe, DrawCards, ShoeCommand, ShuffleShoe
from shared.kernel.cutting import seal
from shared.kernel.messages import HOUSE, Envelope
from shared.runtime.entropy import SystemEntropy
from tests.benchmarks.pairing import paired, per_cpu_second
from tests.benchmarks.row import Bench, Effort, Row, Tell

DECKS = 8
CARDS = 52 * DECKS
CALLED = ShuffleShoe(shoe="T7-S1", table="T7", decks=DECKS, burns=6, cut=(52, 364), cutting_card=(208, 208))
SECRETS = {f"player{number}": f"{number:064x}" for number in range(7)}
GIVEN = [Contribution(player=name, seal=seal("T7-S1", name, secret), secret=secret) for name, secret in SECRETS.items()]
CUT = CutShoe(contributions=tuple(GIVEN))
ENVELOPE = Envelope("id", HOUSE, 0, 0)
LEAF, NODE, TEXT = bytes(67), bytes(65), b"feltlog shuffle 1\nT7-S1\n17"
WORDS_IN_A_BLOCK = 8
DRAWS = 200


def told(vault: Vault, shoe: Shoe, command: ShoeCommand) -> Shoe:
    """Return a shoe after a command, as the service takes it."""
    return SHOE.after(shoe, SHOE.decide(vault.fill(command, shoe), shoe, ENVELOPE))


def opened_vault() -> Vault:
    """Return a vault of this process."""
    return Vault(SealingKey("bench", bytes(32)), SystemEntropy(), other_shoe=lambda _: Unprepared())


def prepare(vault: Vault) -> Ready:
    """Return a shoe that can be drawn from."""
    shoe = told(vault, told(vault, Unprepared(), CALLED), CUT)
    assert isinstance(shoe, Ready), "a shoe that is cut can be drawn from"
    return shoe


def bare_calls(shoes: int) -> None:
    """Make the calls that no shoe of eight decks can do without: words, salts, leaves, nodes, and the seals of seven players."""
    key = bytes(32)
    for _ in range(shoes):
        for _ in range(-(-(CARDS - 1) // WORDS_IN_A_BLOCK) + CARDS + 1):
            hmac.digest(key, TEXT, "sha256")
        for _ in range(CARDS + len(SECRETS) + 1):
            hashlib.sha256(LEAF).digest()
        for _ in range(CARDS - 1):
            hashlib.sha256(NODE).digest()


def run(effort: Effort, tell: Tell) -> list[Row]:
    """Prepare shoes on both sides, then draw at both ends of one."""
    vault = opened_vault()
    row = paired(
        "shoe",
        "shoes/s",
        lambda: per_cpu_second(effort.amount, lambda: [prepare(vault) for _ in range(effort.amount)]),
        "hashlib and hmac",
        lambda: per_cpu_second(effort.amount, lambda: bare_calls(effort.amount)),
        at_least=0.67,
        times=effort.times,
        tell=tell,
    )
    tell("drawing at both ends")
    ready = prepare(vault)
    return [row, *(drawn(f"shoe ({name} card)", vault, ready, at, effort.times) for name, at in (("first", 6), ("last", CARDS - 1)))]


def drawn(bench: str, vault: Vault, ready: Ready, at: int, times: int) -> Row:
    """Return how many draws of the card at an index are filled in, decided and folded in a second."""
    before = Ready(made=ready.made, drawn=at)
    call = DrawCards(round="T7.20261130-000001", call_no=1, faces=("up",))
    draw: Callable[[], object] = lambda: [told(vault, before, call) for _ in range(DRAWS)]  # noqa: E731
    draw()
    return Row(bench=bench, value=median(per_cpu_second(DRAWS, draw) for _ in range(times)), unit="draws/s")


SHOE_BENCH = Bench(run=run, amount=40, times=5, about="shoes of eight decks committed and cut, and cards drawn at both ends")
