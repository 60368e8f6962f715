"""A session: one person at one table, from sitting down to leaving.

Two ways to play over the same session: on a terminal every key counts at once and the screen is drawn anew; on anything
else each line waits until it can be done, so a script plays the same game without having to know the moment.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from feltlog.client import Client, Declined, Unanswered
from feltlog.cutting import Cutting
from feltlog.felt_picture import KEYS, Choice, Sight, choices, clock, free_box, own_boxes, parting, picture, told
from feltlog.keys import END, Keys
from feltlog.screen import has_suits
from feltlog.wording import amount, money
from services.table.views import Felt
from shared.contracts.cutting import CutCommand
from shared.contracts.shoe import OwnHand
from shared.contracts.wagers import PlaceWager
from shared.kernel.messages import Answer
from shared.kernel.money import BadMoney, typed_units
from shared.runtime.tasks import end_all

FRAME_S = 0.2
LEAVE = ("q", "Q", "\x04", END)
ENTER = ("\r", "\n")
ESCAPE, RUBOUT = "\x1b", ("\x7f", "\b")
AMOUNT = "0123456789."
TYPED_MAX = 16
LOOKS_MAX, LOOK_AGAIN_S = 10, 0.3
"""How often the ledger is asked after a round, or the shoe for the own cards that lie face down, and how long apart."""


class Session:
    """What the person sees and wants."""

    def __init__(self, client: Client, table: str, *, box: int | None = None, cuts: bool = True) -> None:
        self.felt: Felt | None = None
        self.typed = ""
        self.said = ""
        self._client = client
        self._table = table
        self._box = box
        self._balance = ""
        self._stake = ""
        self._wanted = 0
        """A stake for the next betting window, in minor units; 0 is none."""
        self._full_ms = 0
        self._until_ms: int | None = None
        self.own: tuple[OwnHand, ...] = ()
        """The own cards that lie face down for everybody else."""
        self._looked = ""
        """The round in which they were asked for."""
        self._changed = asyncio.Event()
        self._cutting = Cutting(client, refuses=not cuts)
        self._asking: set[asyncio.Task[None]] = set()
        self._wagering: set[asyncio.Task[None]] = set()
        """The wagers to which the house has not said yes or no."""

    async def watch(self) -> None:
        """Follow the felt for ever."""
        async for felt in self._client.watch_felt(self._table):
            before, self.felt = self.felt, felt
            self._set_clock(felt)
            if before is not None and felt.round != before.round and not self._wanted:
                self.said = ""
            if before is None or (felt.phase != before.phase and felt.phase == "betting"):
                self._spawn(self._look_at_balance())
            elif felt.phase != before.phase and any(line.player == self._client.name for line in felt.lines):
                self._spawn(self._see_money_move())
            if self._wanted and felt.phase == "betting" and not own_boxes(felt, self._client.name):
                stake_minor, self._wanted = self._wanted, 0
                self._place(felt, stake_minor)
            if self._looked != felt.round and any(hand.down == 2 for box in own_boxes(felt, self._client.name) for hand in box.hands):
                self._looked = felt.round
                self._spawn(self._look_at_own_cards())
            given = self._cutting.due(felt)
            if given is not None:
                self._spawn(self._give(given))
            self._tell()

    async def until(self, holds: Callable[[Felt], bool]) -> Felt:
        """Wait until the felt shows something, and return it."""
        while self.felt is None or not holds(self.felt):
            await self._changed.wait()
        return self.felt

    def sight(self, *, letters: bool = False) -> Sight | None:
        """Return all that the screen shows now, None before anything is known."""
        if self.felt is None:
            return None
        left_ms = -1 if self._until_ms is None else max(0, self._until_ms - now_ms())
        return Sight(
            felt=self.felt,
            player=self._client.name,
            balance=self._balance,
            left_ms=left_ms,
            full_ms=self._full_ms,
            typed=self.typed,
            stake=self._stake,
            said=self.said,
            letters=letters,
            own=self.own,
        )

    def press(self, key: str) -> bool:
        """Take a key; return whether the person stays."""
        if key in LEAVE:
            return False
        if key in ENTER:
            stake, self.typed = self.typed or self._stake, ""
            if stake:
                self.want(stake)
        elif key == ESCAPE:
            self.typed = ""
        elif key in RUBOUT:
            self.typed = self.typed[:-1]
        elif key in AMOUNT:
            self.typed = (self.typed + key)[:TYPED_MAX]
        elif self.felt is not None and len(key) == 1:
            offered = {choice.key: choice for choice in choices(self.felt, self._client.name)}
            if key.lower() in offered:
                self._spawn(self.choose(offered[key.lower()]))
            else:
                self.say(f"{key}: not to be chosen now.")
        return True

    def want(self, stake: str) -> None:
        """Wager this much, now or as soon as wagers are taken."""
        felt = self.felt
        if felt is None:
            return
        try:
            stake_minor = typed_units(stake, felt.currency)
        except BadMoney as error:
            self.say(f"{error}.")
            return
        if felt.phase == "betting":
            self._place(felt, stake_minor)
        else:
            self._wanted = stake_minor
            self.say(f"{money(stake_minor, felt.currency)} goes on the felt as soon as wagers are taken.")

    async def choose(self, choice: Choice) -> None:
        """Ask for something that the felt allows, and remember what the house says."""
        self._hear(await self._ask(choice.command), done=choice.word)
        await self._look_at_balance()

    async def heard(self) -> None:
        """Return when every wager has been answered, which takes no longer than the client is patient."""
        if self._wagering:
            await asyncio.wait(self._wagering)

    def say(self, what: str) -> None:
        """Show the person a sentence."""
        self.said = what
        self._tell()

    def _tell(self) -> None:
        """Wake everybody who waits for something new."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _place(self, felt: Felt, stake_minor: int) -> None:
        task = self._spawn(self._wager(felt, stake_minor))
        self._wagering.add(task)
        task.add_done_callback(self._wagering.discard)

    async def _wager(self, felt: Felt, stake_minor: int) -> None:
        box = self._box or free_box(felt)
        if box is None:
            self.say("Every box is taken in this round.")
            return
        stake = amount(stake_minor, felt.currency)
        answer = await self._ask(PlaceWager(round=felt.round, box=box, stake_minor=stake_minor))
        if answer.status != "refused":
            self._stake = stake
        self._hear(answer, done=f"{stake} on box {box}")
        self._spawn(self._look_at_balance())

    async def _ask(self, command: Any) -> Answer:
        try:
            return await self._client.ask("table", self._table, command)
        except Unanswered as error:
            return Answer("refused", "unanswered", str(error), final=False)

    async def _give(self, given: CutCommand) -> None:
        """Give something towards the cut; nobody who plays need know what becomes of it."""
        await self._ask(given)

    def _hear(self, answer: Answer, *, done: str) -> None:
        said = {"accepted": f"{done}: accepted.", "pending": f"{done}: the wallet is still asked.", "refused": f"{done}: {answer.message}"}
        self.say(said[answer.status])

    async def _look_at_balance(self) -> None:
        try:
            amounts = (await self._client.balance()).amounts
        except Unanswered:
            return
        self._balance = (
            ", ".join(
                f"{amount(each.available_minor, each.currency)} {each.currency}"
                + (f" and {amount(each.set_aside_minor, each.currency)} set aside" if each.set_aside_minor else "")
                for each in amounts
            )
            or "no account here"
        )

    async def _look_at_own_cards(self) -> None:
        """Ask the shoe for the own cards that lie face down, until it has heard of them."""
        for _ in range(LOOKS_MAX):
            try:
                self.own = tuple(await self._client.query("shoe", self._table, list[OwnHand]))
            except (Unanswered, Declined):
                return
            if self.own:
                self._tell()
                return
            await asyncio.sleep(LOOK_AGAIN_S)

    async def _see_money_move(self) -> None:
        """Look at the balance until the ledger has heard of the settlement, which the felt shows first."""
        before = self._balance
        for _ in range(LOOKS_MAX):
            await self._look_at_balance()
            if self._balance != before:
                return
            await asyncio.sleep(LOOK_AGAIN_S)

    def _set_clock(self, felt: Felt) -> None:
        until_ms = clock(felt)
        if until_ms != self._until_ms:
            self._until_ms = until_ms
            self._full_ms = max(1, until_ms - now_ms()) if until_ms else 0

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        return task


async def play_on_screen(session: Session, typed: Keys, console: Console) -> None:
    """Play with single keys on a screen that is drawn anew several times a second, until the person leaves."""
    letters = not has_suits(console)
    try:
        # A screen of its own: whatever size the terminal is given, nothing of an older picture stays.
        with Live(console=console, auto_refresh=False, screen=True) as live:
            pressed = asyncio.ensure_future(typed.next())
            stays = True
            while stays:
                sight = session.sight(letters=letters)
                live.update(picture(sight) if sight else Text("Looking at the table ..."), refresh=True)
                await asyncio.wait([pressed], timeout=FRAME_S)
                if pressed.done():
                    stays = session.press(pressed.result())
                    pressed = asyncio.ensure_future(typed.next())
            pressed.cancel()
    finally:
        last = session.sight(letters=letters)
        if last is not None:
            console.print(parting(last))


async def play_by_lines(session: Session, typed: Keys, player: str) -> None:
    """Play with one line for each thing to do; a line waits until it can be done.  The end of input leaves after the round."""
    telling = asyncio.create_task(tell_changes(session, player))
    try:
        while (line := (await typed.next()).strip()) and line not in LEAVE:
            await do_line(session, line.lower(), player)
            # What was said about this line is told before the next one says something else.
            await asyncio.sleep(0)
        # Whoever leaves behind a wager is told what became of it: the stake may be in the round.
        await session.heard()
        if not line:
            await session.until(lambda felt: not own_boxes(felt, player) or felt.phase in ("settled", "void"))
    finally:
        # What was said last is still to be told.
        await asyncio.sleep(0)
        await end_all([telling])


async def do_line(session: Session, line: str, player: str) -> None:
    """Do what a line says: an amount wagers it in the next betting window, a letter chooses when it is offered."""
    if line not in KEYS.values() and line[0] not in AMOUNT:
        session.say(f"{line}: neither an amount nor one of {', '.join(KEYS.values())}.")
        return
    if line[0] in AMOUNT:
        await session.until(lambda felt: felt.phase == "betting" and not own_boxes(felt, player))
        session.want(line)
        await session.until(lambda felt: bool(own_boxes(felt, player)) or felt.phase != "betting")
        return
    before = session.felt.round if session.felt else ""
    felt = await session.until(lambda felt: any(each.key == line for each in choices(felt, player)) or is_over(felt, before))
    for each in choices(felt, player):
        if each.key == line:
            await session.choose(each)
            return
    session.say(f"{line}: that was not to be chosen in this round.")


def is_over(felt: Felt, round: str) -> bool:
    """Return whether a round is over; its end may go by unseen when the next one follows at once."""
    return felt.phase in ("settled", "void") or felt.round != round


async def tell_changes(session: Session, player: str) -> None:
    """Print the felt whenever it says something new, and what the house says."""
    shown = said = ""
    while True:
        felt = await session.until(news_after(shown, said, session, player))
        now = told(felt, player, session.own)
        if now != shown:
            print(now, flush=True)
        if session.said not in ("", said):
            print(f"  {session.said}", flush=True)
        shown, said = now, session.said


def news_after(shown: str, said: str, session: Session, player: str) -> Callable[[Felt], bool]:
    """Return whether there is something to tell that was not told yet."""
    return lambda felt: (told(felt, player, session.own), session.said) != (shown, said)


def now_ms() -> int:
    """Return the time on this machine's clock, to show how long a clock still runs."""
    return time.time_ns() // 1_000_000
