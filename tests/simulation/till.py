"""The till: a ledger of its own beside the wallet's, in which money is moved and never made."""

from collections import defaultdict
from typing import Any

from tests.simulation.breach import must
from tests.simulation.outcome import Game

Row = dict[str, Any]


class Stake:
    """A stake that the ledger has set aside, and what became of it."""

    def __init__(self, player: str, currency: str, minor: int) -> None:
        self.player, self.currency, self.minor = player, currency, minor
        self.ended = ""


class Till:
    """All balances, all stakes, and what came in from outside.  `games` are the rounds, as the auditor sees them."""

    def __init__(self, games: dict[str, Game]) -> None:
        self.balances: dict[tuple[str, str], int] = defaultdict(int)
        """What lies in each account, by currency and account."""
        self.brought: dict[str, int] = defaultdict(int)
        """What came in from outside and did not leave again, by currency."""
        self.stakes: dict[tuple[str, str], Stake] = {}
        """Every stake that was ever set aside, by round and wager."""
        self.moved: dict[str, Row] = {}
        """Deposits and withdrawals, by the id of the request."""
        self.booked: set[str] = set()
        self.corrected: dict[str, int] = defaultdict(int)
        """How many corrections of each round are booked."""
        self._games = games
        self._books: dict[str, str] = {}

    def see(self, subject: str, kind: str, decision: Row, event: Row) -> None:
        """See an event of the ledger."""
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
            case "StakesCorrected":
                self._correct(event)
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
            overdrawn = self.balances[key] < 0 and account.endswith(("/cash", "/escrow"))
            must(not overdrawn, "conservation", f"{account} is overdrawn")
            if account.endswith("/escrow") and not self.balances[key]:
                del self.balances[key]

    def _conserved(self, currency: str | None) -> None:
        """What players, rounds and the house hold is what came in from outside."""
        if currency is None:
            return
        held = sum(minor for (of, account), minor in self.balances.items() if of == currency and not account.startswith("outside/"))
        must(held == self.brought[currency], "conservation", f"{held} {currency} are held, {self.brought[currency]} came in")

    def _reserve(self, event: Row) -> None:
        key = (event["round"], event["wager"])
        must(key not in self.stakes, "settled_twice", f"{event['wager']} of {event['round']} is set aside twice")
        must(event["round"] not in self.booked, "after_close", f"{event['round']} is booked, and {event['wager']} set aside for it")
        wager = self._games[event["round"]].wagers.get(event["wager"])
        must(wager is not None and wager.stake == event["minor"], "no_reserve", f"{event['wager']} is set aside with another stake")
        self.stakes[key] = Stake(event["player"], event["currency"], event["minor"])

    def _end(self, round: str, wager: str, minor: int, how: str) -> None:
        stake = self.stakes.get((round, wager))
        must(stake is not None, "settled_twice", f"{wager} of {round} is {how} and was never set aside")
        assert stake is not None
        must(not stake.ended, "settled_twice", f"{wager} of {round} is {how} after it was {stake.ended}")
        must(stake.minor == minor, "settlement", f"{wager} of {round} is {how} with {minor}, {stake.minor} were set aside")
        answered = self._games[round].wagers[wager].answer
        must(how != "released" or answered in ("lapsed", "refused"), "settlement", f"{wager} of {round} is given back and {answered}")
        stake.ended = how

    def _settle(self, event: Row) -> None:
        returned: dict[str, int] = defaultdict(int)
        for line in event["lines"]:
            self._end(event["round"], line["wager"], line["stake_minor"], "settled")
            told = self._games[event["round"]].settled.get(line["wager"])
            must(
                told == line["returned_minor"], "settlement", f"{line['wager']} gives back {line['returned_minor']}, the table says {told}"
            )
            returned[f"player/{line['player']}/cash"] += line["returned_minor"]
        for posting in event["postings"]:
            if posting["account"].endswith("/cash"):
                right = returned.pop(posting["account"], 0)
                must(posting["minor"] == right, "settlement", f"{posting['account']} gets {posting['minor']} for {right}")
        must(not any(returned.values()), "settlement", f"{dict(returned)} of {event['round']} is not paid")

    def _correct(self, event: Row) -> None:
        """The differences of a correction come to each player, or are owed, once."""
        round, number = event["round"], event["number"]
        must(
            number == self.corrected[round] + 1, "settled_twice", f"correction {number} of {round} is booked after {self.corrected[round]}"
        )
        self.corrected[round] = number
        told = {line["wager"]: line["returned_minor"] - line["settled_minor"] for line in self._games[round].corrections.get(number, [])}
        due: dict[str, int] = defaultdict(int)
        for line in event["lines"]:
            difference = line["returned_minor"] - line["settled_minor"]
            must(
                told.get(line["wager"]) == difference,
                "settlement",
                f"{line['wager']} is corrected by {difference}, the table says otherwise",
            )
            due[line["player"]] += difference
        must(len(told) == len(event["lines"]), "settlement", f"correction {number} of {round} is not booked whole")
        for posting in event["postings"]:
            kind, _, owner = posting["account"].partition("/")
            if kind == "player":
                due[owner.partition("/")[0]] -= posting["minor"]
        must(not any(due.values()), "settlement", f"correction {number} of {round} moves otherwise than its lines: {dict(due)}")

    def _book(self, event: Row) -> None:
        must(event["round"] not in self.booked, "twice", f"{event['round']} is booked twice")
        self.booked.add(event["round"])
        left = self.balances.get((self._games[event["round"]].currency, f"round/{event['round']}/escrow"), 0)
        must(not left, "escrow", f"{event['round']} is booked and {left} is left")

    def owed(self, player: str, currency: str) -> int:
        """Return what a player must have in the end: what was brought, and what every wager gave and took."""
        brought = sum(
            event["minor"] * (1 if event["type"].startswith("wallet.Deposited") else -1)
            for event in self.moved.values()
            if (event["player"], event["currency"]) == (player, currency)
        )
        games = [game for game in self._games.values() if game.currency == currency]
        return int(brought) + sum(game.gain(player) for game in games)
