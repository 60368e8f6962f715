"""The auditor: holds every stored entry against what must be true of any house, with a ledger and a card count of its own.

It reads the bytes as plain JSON and shares no code with the services: what they believe is not evidence.  Each entry is
looked at as soon as it is stored, so that a finding names the step that it happened in.
"""

import hashlib
from collections import Counter, defaultdict
from typing import Any

import msgspec

from tests.simulation.outcome import Game

Row = dict[str, Any]


class Breach(Exception):
    """Something that must not be.  `code` stays the same for the same kind of fault."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Stream:
    """The end of one stream."""

    def __init__(self) -> None:
        self.revision = 0
        self.digest = ""
        self.at_ms = 0
        self.epoch = 0
        self.writers: dict[int, str] = {}
        self.ids: set[str] = set()


class Shoe:
    """A shoe's cards, as they left it."""

    def __init__(self, decks: int, without: list[str]) -> None:
        self.left = Counter({rank + suit: decks for rank in "A23456789TJQK" for suit in "SHDC"})
        self.left.subtract(without)
        self.drawn = 0
        self.faces: dict[int, str] = {}
        self.down: set[int] = set()
        self.ready = False
        self.retired = False
        self.dealt: set[int] = set()


class Stake:
    """A stake that the ledger has set aside, and what became of it."""

    def __init__(self, player: str, currency: str, minor: int) -> None:
        self.player, self.currency, self.minor = player, currency, minor
        self.ended = ""


class Auditor:
    """Sees every entry once, in the order of each log."""

    def __init__(self) -> None:
        self.entries = 0
        self.rounds_over = 0
        self.voids: Counter[str] = Counter()
        self.reshuffles = 0
        self.balances: dict[tuple[str, str], int] = defaultdict(int)
        """What lies in each account, by currency and account."""
        self.brought: dict[str, int] = defaultdict(int)
        """What came in from outside and did not leave again, by currency."""
        self.games: dict[str, Game] = {}
        self.stakes: dict[tuple[str, str], Stake] = {}
        self.moved: dict[str, Row] = {}
        """Deposits and withdrawals, by the id of the request."""
        self.quarantines: dict[tuple[str, str, str], Row] = {}
        self.stored: dict[str, list[str]] = defaultdict(list)
        """The digest of each revision of each stream."""
        self._streams: dict[str, Stream] = defaultdict(Stream)
        self._sequences: dict[str, int] = defaultdict(int)
        self._shoes: dict[str, Shoe] = {}
        self._booked: set[str] = set()
        self._books: dict[str, str] = {}
        self._days_closed: set[str] = set()
        self._rounds: dict[tuple[str, str], int] = defaultdict(int)
        self._recorded: set[str] = set()
        self.poison: set[str] = set()
        """Subjects whose bytes are meant to be no entries."""

    def see(self, log: str, sequence: int, subject: str, data: bytes) -> None:
        """Look at a stored entry; raise `Breach` at the first thing that must not be."""
        self.entries += 1
        must(sequence == self._sequences[log] + 1, "sequence", f"{log} jumps to {sequence}")
        self._sequences[log] = sequence
        if subject in self.poison:
            return
        entry = msgspec.json.decode(data)
        self._chain(subject, entry, data)
        for decision in entry["decisions"]:
            for event in decision["events"]:
                self._event(subject, entry, decision, event)

    def _chain(self, subject: str, entry: Row, data: bytes) -> None:
        stream = self._streams[subject]
        must(entry["stream"] == subject, "chain", f"an entry of {entry['stream']} stands in {subject}")
        must(entry["revision"] == stream.revision + 1, "chain", f"{subject} goes from {stream.revision} to {entry['revision']}")
        prev = stream.digest or entry["decisions"][0]["command"].get("follows", "")
        must(entry["prev"] == prev, "chain", f"revision {entry['revision']} of {subject} does not follow the one before")
        must(entry["at_ms"] >= stream.at_ms, "chain", f"{subject} goes back in time")
        must(entry["epoch"] >= stream.epoch, "chain", f"{subject} goes back to epoch {entry['epoch']}")
        writer = stream.writers.setdefault(entry["epoch"], entry["writer"])
        must(writer == entry["writer"], "two_writers", f"{writer} and {entry['writer']} wrote {subject} in epoch {entry['epoch']}")
        for decision in entry["decisions"]:
            must(decision["id"] not in stream.ids, "twice", f"{decision['id']} is decided twice in {subject}")
            must(bool(decision["events"]), "chain", f"nothing follows from {decision['id']} in {subject}")
            stream.ids.add(decision["id"])
        stream.revision, stream.at_ms, stream.epoch = entry["revision"], entry["at_ms"], entry["epoch"]
        stream.digest = hashlib.sha256(data).hexdigest()
        self.stored[subject].append(stream.digest)

    def _event(self, subject: str, entry: Row, decision: Row, event: Row) -> None:
        service, kind = subject.split(".")[1], event["type"].split(".")[1]
        match service:
            case "table" if ".round." in subject:
                self._round_event(subject, kind, decision, event)
            case "table" if subject.endswith(".table"):
                self._table_event(subject, kind, event)
            case "shoe" if not subject.endswith(".desk"):
                self._shoe_event(subject, kind, event)
            case "wallet" if not subject.endswith(".desk"):
                self._ledger_event(subject, kind, decision, event)
            case _:
                pass
        if kind == "SourceQuarantined":
            self.quarantines[event["service"], event["subject"], event.get("target", "")] = event
        elif kind == "QuarantineLifted":
            self.quarantines.pop((service, event["subject"], event.get("target", "")), None)

    # Tables and rounds.

    def _table_event(self, subject: str, kind: str, event: Row) -> None:
        must(subject not in self._days_closed, "after_close", f"{kind} stands in {subject} behind its end")
        day = subject.split(".")[2]
        match kind:
            case "RoundCalled":
                table = event["table"]
                must(event["number"] == self._rounds[day, table] + 1, "rounds", f"{event['round']} is called out of turn")
                self._rounds[day, table] = event["number"]
            case "RoundRecorded":
                game = self.games.get(event["round"])
                must(game is not None and game.over, "rounds", f"{event['round']} is recorded and not over")
                must(event["round"] not in self._recorded, "rounds", f"{event['round']} is recorded twice")
                self._recorded.add(event["round"])
                stored = self.stored[round_stream(event["round"])]
                must(event["digest"] == stored[-1], "rounds", f"{event['round']} does not end as it is recorded")
                self.rounds_over += 1
            case "DayClosed":
                self._days_closed.add(subject)
            case _:
                pass

    def _round_event(self, subject: str, kind: str, decision: Row, event: Row) -> None:
        if kind == "RoundOpened":
            must(event["round"] not in self.games, "rounds", f"{event['round']} is opened twice")
            self.games[event["round"]] = Game(event["round"], event["profile"], event["settings"])
            return
        game = self.games[round_id(subject)]
        must(not game.over, "after_close", f"{kind} stands in {game.round} behind its end")
        match kind:
            case "WagerAccepted":
                stake = self.stakes.get((game.round, event["wager"]))
                must(stake is not None and not stake.ended, "no_reserve", f"{event['wager']} is in {game.round} and nothing is set aside")
                wager = game.wagers[event["wager"]]
                must(stake is not None and stake.minor == wager.stake, "no_reserve", f"{event['wager']} is set aside with another stake")
            case "CardDealt" | "HoleCardDealt" | "HoleCardTurned":
                self._on_felt(subject, kind, event)
            case "ReshuffleCalled":
                self.reshuffles += 1
            case "RoundVoided":
                self.voids[event["reason"]] += 1
            case _:
                pass
        said = game.see(kind, decision, event)
        must(not said, "outcome", f"{game.round}: {said}")

    def _on_felt(self, subject: str, kind: str, event: Row) -> None:
        shoe = self._shoe(f"log.shoe.{subject.split('.')[2]}.{event['shoe']}")
        index = event["index"]
        if kind == "HoleCardTurned":
            must(shoe.faces.get(index) == event["card"], "card", f"card {index} of {event['shoe']} is not a {event['card']}")
            return
        must(index not in shoe.dealt, "card_twice", f"card {index} of {event['shoe']} lies on the felt twice")
        shoe.dealt.add(index)
        if kind == "CardDealt":
            must(shoe.faces.get(index) == event["card"], "card", f"card {index} of {event['shoe']} is not a {event['card']}")
        else:
            must(index in shoe.down, "card", f"card {index} of {event['shoe']} does not lie face down")

    # Shoes.

    def _shoe(self, subject: str) -> Shoe:
        must(subject in self._shoes, "card", f"there is no shoe {subject}")
        return self._shoes[subject]

    def _shoe_event(self, subject: str, kind: str, event: Row) -> None:
        if kind == "ShoeShuffled":
            must(subject not in self._shoes, "card", f"{subject} is shuffled twice")
            self._shoes[subject] = Shoe(event["decks"], event["without"])
            return
        shoe = self._shoe(subject)
        must(not shoe.retired, "closed_shoe", f"{kind} stands in {subject} behind its end")
        match kind:
            case "CardsBurned":
                must(event["first_index"] == shoe.drawn, "card_twice", f"{subject} burns out of turn")
                shoe.drawn += event["count"]
            case "ShoePrepared":
                shoe.ready = True
            case "CardsDrawn":
                must(shoe.ready, "closed_shoe", f"{subject} is drawn from before it is prepared")
                for card in event["cards"]:
                    must(card["index"] == shoe.drawn, "card_twice", f"{subject} gives card {card['index']}, {shoe.drawn} is next")
                    shoe.drawn += 1
                    if card.get("opening"):
                        self._seen(subject, shoe, card["opening"])
                    else:
                        shoe.down.add(card["index"])
            case "CardTurned":
                must(event["opening"]["index"] in shoe.down, "card", f"{subject} turns a card that does not lie face down")
                shoe.down.discard(event["opening"]["index"])
                self._seen(subject, shoe, event["opening"])
            case "ShoeRetired":
                shoe.retired = True
            case _:
                pass

    def _seen(self, subject: str, shoe: Shoe, opening: Row) -> None:
        """Count a face: no shoe holds more of one than its decks."""
        must(opening["index"] not in shoe.faces, "card_twice", f"card {opening['index']} of {subject} is shown twice")
        shoe.faces[opening["index"]] = opening["card"]
        shoe.left[opening["card"]] -= 1
        must(shoe.left[opening["card"]] >= 0, "card_count", f"{subject} holds too many {opening['card']}")

    # Money.

    def _ledger_event(self, subject: str, kind: str, decision: Row, event: Row) -> None:
        day = subject.split(".")[2]
        must(self._books.get(day) != "closed", "after_close", f"{kind} stands in {subject} behind its end")
        self._post(event)
        match kind:
            case "CarriedForward":
                for row in event["accounts"]:
                    mine = self.balances.get((row["currency"], row["account"]), 0)
                    must(row["minor"] == mine, "carried", f"{row['account']} is carried with {row['minor']}, it holds {mine}")
            case "BookOpened":
                self._books[day] = "open"
            case "BookClosed":
                self._books[day] = "closed"
            case "Deposited" | "Withdrawn":
                must(decision["id"] not in self.moved, "twice", f"the request {decision['id']} moves money twice")
                self.moved[decision["id"]] = event
                self.brought[event["currency"]] += event["minor"] if kind == "Deposited" else -event["minor"]
            case "StakeReserved":
                self._reserve(event)
            case "StakeReleased":
                self._end(event["round"], event["wager"], event["minor"], "released")
            case "StakesSettled":
                self._settle(event)
            case "RoundBooked":
                self._book(event)
            case _:
                pass
        self._conserved(event.get("currency"))

    def _post(self, event: Row) -> None:
        postings = event.get("postings", ())
        must(sum(posting["minor"] for posting in postings) == 0, "conservation", f"{event['type']} makes money or loses it")
        for posting in postings:
            account = posting["account"]
            key = (event["currency"], account)
            self.balances[key] += posting["minor"]
            overdrawn = self.balances[key] < 0 and account.startswith(("player:", "escrow:"))
            must(not overdrawn, "conservation", f"{account} is overdrawn")
            if account.startswith("escrow:") and not self.balances[key]:
                del self.balances[key]

    def _conserved(self, currency: str | None) -> None:
        """What players, rounds and the house hold is what came in from outside."""
        if currency is None:
            return
        held = sum(minor for (of, account), minor in self.balances.items() if of == currency and not account.startswith("world:"))
        must(held == self.brought[currency], "conservation", f"{held} {currency} are held, {self.brought[currency]} came in")

    def _reserve(self, event: Row) -> None:
        key = (event["round"], event["wager"])
        must(key not in self.stakes, "settled_twice", f"{event['wager']} of {event['round']} is set aside twice")
        must(event["round"] not in self._booked, "after_close", f"{event['round']} is booked, and {event['wager']} set aside for it")
        wager = self.games[event["round"]].wagers.get(event["wager"])
        must(wager is not None and wager.stake == event["minor"], "no_reserve", f"{event['wager']} is set aside with another stake")
        self.stakes[key] = Stake(event["player"], event["currency"], event["minor"])

    def _end(self, round: str, wager: str, minor: int, how: str) -> None:
        stake = self.stakes.get((round, wager))
        must(stake is not None, "settled_twice", f"{wager} of {round} is {how} and was never set aside")
        assert stake is not None
        must(not stake.ended, "settled_twice", f"{wager} of {round} is {how} after it was {stake.ended}")
        must(stake.minor == minor, "settlement", f"{wager} of {round} is {how} with {minor}, {stake.minor} were set aside")
        answered = self.games[round].wagers[wager].answer
        must(how != "released" or answered in ("lapsed", "refused"), "settlement", f"{wager} of {round} is given back and {answered}")
        stake.ended = how

    def _settle(self, event: Row) -> None:
        returned: dict[str, int] = defaultdict(int)
        for line in event["lines"]:
            self._end(event["round"], line["wager"], line["stake_minor"], "settled")
            told = self.games[event["round"]].lines.get(line["wager"])
            must(
                told == line["returned_minor"], "settlement", f"{line['wager']} gives back {line['returned_minor']}, the table says {told}"
            )
            returned[f"player:{line['player']}"] += line["returned_minor"]
        for posting in event["postings"]:
            if posting["account"].startswith("player:"):
                right = returned.pop(posting["account"], 0)
                must(posting["minor"] == right, "settlement", f"{posting['account']} gets {posting['minor']} for {right}")
        must(not any(returned.values()), "settlement", f"{dict(returned)} of {event['round']} is not paid")

    def _book(self, event: Row) -> None:
        must(event["round"] not in self._booked, "twice", f"{event['round']} is booked twice")
        self._booked.add(event["round"])
        left = self.balances.get((self.games[event["round"]].currency, f"escrow:{event['round']}"), 0)
        must(not left, "escrow", f"{event['round']} is booked and {left} is left")

    # The end.

    def finish(self) -> None:
        """Raise `Breach` unless everything that was begun is ended."""
        for game in self.games.values():
            must(game.over, "unsettled", f"{game.round} is not over")
            must(game.round in self._recorded, "unsettled", f"{game.round} is not recorded")
            must(game.round in self._booked, "unsettled", f"{game.round} is not booked")
            open_wagers = [id for id, wager in game.wagers.items() if not wager.answer]
            must(not open_wagers, "unsettled", f"{open_wagers} of {game.round} have no answer")
        for (round, wager), stake in self.stakes.items():
            must(bool(stake.ended), "unsettled", f"{wager} of {round} is still set aside")
        for subject, shoe in self._shoes.items():
            must(shoe.retired, "unsettled", f"{subject} is not retired")
        held = [key for key in self.quarantines if key[1] not in self.poison]
        must(not held, "unsettled", f"{held} are still held")

    def answer_of(self, round: str, wager: str) -> str:
        """Return how a wager was answered: accepted, refused, lapsed, or not at all."""
        game = self.games.get(round)
        return game.wagers[wager].answer if game is not None and wager in game.wagers else ""

    def owed(self, player: str, currency: str) -> int:
        """Return what a player must have in the end: what was brought, and what every wager gave and took."""
        brought = sum(
            event["minor"] * (1 if event["type"].startswith("wallet.Deposited") else -1)
            for event in self.moved.values()
            if (event["player"], event["currency"]) == (player, currency)
        )
        games = [game for game in self.games.values() if game.currency == currency]
        return int(brought) + sum(game.gain(player) for game in games)


def must(holds: bool, code: str, message: str) -> None:
    """Raise `Breach` unless something holds."""
    if not holds:
        raise Breach(code, message)


def round_id(subject: str) -> str:
    """Return the round that a stream holds, as people name it."""
    _, _, day, table, _, number = subject.split(".")
    return f"{table}.{day}-{number}"


def round_stream(round: str) -> str:
    """Return the stream of a round."""
    table, _, rest = round.partition(".")
    day, _, number = rest.partition("-")
    return f"log.table.{day}.{table}.round.{number}"
