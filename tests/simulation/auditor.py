"""The auditor: holds every stored entry against what must be true of any house, with a ledger and a card count of its own.

It reads the bytes as plain JSON and shares no code with the services: what they believe is not evidence.  Each entry is
looked at as soon as it is stored, so that a finding names the step that it happened in.
"""

import hashlib
from collections import Counter, defaultdict, deque
from typing import Any

import msgspec

from tests.simulation.breach import must
from tests.simulation.card_count import CardCount
from tests.simulation.outcome import Game
from tests.simulation.till import Till

Row = dict[str, Any]
RECENT_MAX = 24


class Stream:
    """The end of one stream."""

    def __init__(self) -> None:
        self.revision = 0
        self.digest = ""
        self.at_ms = 0
        self.epoch = 0
        self.writers: dict[int, str] = {}
        self.ids: set[str] = set()


class Auditor:
    """Sees every entry once, in the order of each log."""

    def __init__(self) -> None:
        self.entries = 0
        self.rounds_over = 0
        self.voids: Counter[str] = Counter()
        self.reshuffles = 0
        self.rulings = 0
        self.corrections = 0
        self._proposed: dict[tuple[str, int], tuple[str, str]] = {}
        """Who proposed to correct which round, by the table's stream and number."""
        self._ruled: dict[str, str] = {}
        """The round that was ruled about last, by the table's stream."""
        self._correcting: dict[str, set[str]] = defaultdict(set)
        """Rounds that a table has called to be corrected, and that nobody has answered for."""
        """How many were approved."""
        self.hands_dead = 0
        self.games: dict[str, Game] = {}
        self.cards = CardCount()
        self.till = Till(self.games)
        self.quarantines: dict[tuple[str, str, str], Row] = {}
        self.stored: dict[str, list[str]] = defaultdict(list)
        """The digest of each revision of each stream."""
        self._streams: dict[str, Stream] = defaultdict(Stream)
        self._sequences: dict[str, int] = defaultdict(int)
        self._days_closed: set[str] = set()
        self._rounds: dict[tuple[str, str], int] = defaultdict(int)
        self._recorded: set[str] = set()
        self.quarantined = 0
        """How often a source was held."""
        self.days = 0
        """How many gaming days were closed."""
        self.poison: set[str] = set()
        """Subjects whose bytes are meant to be no entries."""
        self.strays: set[tuple[str, int]] = set()
        """Where messages stand that nobody stored who writes the stream: subject and sequence."""
        self.recent: deque[str] = deque(maxlen=RECENT_MAX)
        """The subjects of the latest entries."""

    def see(self, log: str, sequence: int, subject: str, data: bytes, *, claimed: str) -> None:
        """Look at a stored entry; raise `Breach` at the first thing that must not be."""
        self.entries += 1
        must(sequence == self._sequences[log] + 1, "sequence", f"{log} jumps to {sequence}")
        self._sequences[log] = sequence
        if not claimed:
            self.strays.add((subject, sequence))
        if subject in self.poison or not claimed:
            return
        self.recent.append(subject)
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
                self.cards.see(subject, kind, event)
            case "wallet" if not subject.endswith(".desk"):
                self.till.see(subject, kind, decision, event)
            case _:
                pass
        self.days += kind == "BookClosed"
        if kind == "SourceQuarantined":
            self.quarantined += (event["service"], event["subject"], event.get("target", "")) not in self.quarantines
            self.quarantines[event["service"], event["subject"], event.get("target", "")] = event
        elif kind == "QuarantineLifted":
            self.quarantines.pop((service, event["subject"], event.get("target", "")), None)

    def _table_event(self, subject: str, kind: str, event: Row) -> None:
        must(subject not in self._days_closed, "after_close", f"{kind} stands in {subject} behind its end")
        day = subject.split(".")[2]
        self.cards.on_table(subject, kind, event)
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
            case "RulingProposed":
                self._proposed[subject, event["proposal"]] = (event["by"], event["round"])
            case "RulingApproved":
                by, self._ruled[subject] = self._proposed.pop((subject, event["proposal"]))
                must(by != event["by"], "one_person", f"{by} approved their own proposal in {subject}")
            case "CorrectionCalled":
                must(self._ruled.pop(subject, "") == event["round"], "one_person", f"{event['round']} is corrected, and nobody ruled so")
                self._correcting[subject].add(event["round"])
            case "CorrectionNoted":
                stored = self.stored[round_stream(event["round"])]
                must(event["digest"] == stored[-1], "rounds", f"{event['round']} does not end as its correction is noted")
                self.corrections += "number" in event
                if "number" not in event or event["number"] <= self.till.corrected[event["round"]]:
                    self._correcting[subject].discard(event["round"])
            case "BookingNoted" if "number" in event:
                self._correcting[subject].discard(event["round"])
            case "DayClosed":
                must(not self._correcting[subject], "unsettled", f"the day of {subject} is closed over {self._correcting[subject]}")
                self._days_closed.add(subject)
            case _:
                pass

    def _round_event(self, subject: str, kind: str, decision: Row, event: Row) -> None:
        if kind == "RoundOpened":
            must(event["round"] not in self.games, "rounds", f"{event['round']} is opened twice")
            self.games[event["round"]] = Game(event["round"], event["profile"], event["settings"])
            return
        game = self.games[round_id(subject)]
        corrects = kind in ("RoundCorrected", "WagersCorrected", "CorrectionRefused")
        must(not game.over or corrects, "after_close", f"{kind} stands in {game.round} behind its end")
        match kind:
            case "WagerAccepted":
                stake = self.till.stakes.get((game.round, event["wager"]))
                must(stake is not None and not stake.ended, "no_reserve", f"{event['wager']} is in {game.round} and nothing is set aside")
                wager = game.wagers[event["wager"]]
                must(stake is not None and stake.minor == wager.stake, "no_reserve", f"{event['wager']} is set aside with another stake")
            case "CardDealt" | "HoleCardDealt" | "HoleCardTurned" | "CardDiscarded" | "CardExposed":
                self.cards.on_felt(subject, kind, event)
            case "RulingApproved":
                self.rulings += 1
                self._two_persons(game, decision, event)
            case "RulingProposed":
                game.proposed[event["proposal"]] = event["by"]
            case "HandCompleted":
                self.hands_dead += event["how"] == "dead"
            case "ReshuffleCalled":
                self.reshuffles += 1
            case "RoundVoided":
                self.voids[event["reason"]] += 1
            case _:
                pass
        said = game.see(kind, decision, event)
        must(not said, "outcome", f"{game.round}: {said}")

    def _two_persons(self, game: Game, decision: Row, event: Row) -> None:
        """Whoever approves speaks for themselves, with a job, about what somebody else proposed."""
        actor, proposed = decision["actor"], game.proposed.pop(event["proposal"], "")
        must(actor["role"] == "staff" and actor["id"] == event["by"], "two_persons", f"{actor['id']} approves as {event['by']}")
        must(actor.get("job") == event["job"], "two_persons", f"{event['by']} is no {event['job']}")
        must(
            proposed not in ("", event["by"]), "two_persons", f"{event['by']} approves in {game.round} what {proposed or 'nobody'} proposed"
        )

    def finish(self) -> None:
        """Raise `Breach` unless everything that was begun is ended."""
        for game in self.games.values():
            must(game.over, "unsettled", f"{game.round} is not over")
            must(game.round in self._recorded, "unsettled", f"{game.round} is not recorded")
            must(game.round in self.till.booked, "unsettled", f"{game.round} is not booked")
            open_wagers = [id for id, wager in game.wagers.items() if not wager.answer]
            must(not open_wagers, "unsettled", f"{open_wagers} of {game.round} have no answer")
        for (round, wager), stake in self.till.stakes.items():
            must(bool(stake.ended), "unsettled", f"{wager} of {round} is still set aside")
        for subject, shoe in self.cards.shoes.items():
            must(shoe.retired, "unsettled", f"{subject} is not retired")
        held = [key for key in self.quarantines if key[1] not in self.poison]
        must(not held, "unsettled", f"{held} are still held")

    def answer_of(self, round: str, wager: str) -> str:
        """Return how a wager was answered: accepted, refused, lapsed, or not at all."""
        game = self.games.get(round)
        return game.wagers[wager].answer if game is not None and wager in game.wagers else ""


def round_id(subject: str) -> str:
    """Return the round that a stream holds, as people name it."""
    _, _, day, table, _, number = subject.split(".")
    return f"{table}.{day}-{number}"


def round_stream(round: str) -> str:
    """Return the stream of a round."""
    table, _, rest = round.partition(".")
    day, _, number = rest.partition("-")
    return f"log.table.{day}.{table}.round.{number}"
