"""The intended outcome: what each wager of a round must give back, worked out from the cards alone.

A second pair of eyes for the simulation's auditor.  It knows the rules as a player knows them and reads a round as plain
JSON; no line of it is shared with the table, nor with surveillance's referee.
"""

from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
Place = tuple[int, int]
"""A box and a hand."""

ANSWERS = {"WagerAccepted": "accepted", "WagerRefused": "refused", "WagerLapsed": "lapsed"}


@dataclass
class Wager:
    """A wager, and how it was answered."""

    player: str
    box: int
    hand: int
    kind: str
    stake: int
    answer: str = ""


@dataclass
class Game:
    """A round as it goes on.  `see` returns what is wrong with an event, or nothing."""

    round: str
    profile: Row
    settings: Row
    wagers: dict[str, Wager] = field(default_factory=dict)
    settled: dict[str, int] = field(default_factory=dict)
    """What each wager gave back when it was settled."""
    lines: dict[str, int] = field(default_factory=dict)
    """What it gives back after the corrections since."""
    cards: dict[Place, list[str]] = field(default_factory=dict)
    split: set[int] = field(default_factory=set)
    """Boxes that were split."""
    even_money: set[str] = field(default_factory=set)
    dead: set[Place] = field(default_factory=set)
    """Hands that give everything on them back."""
    proposed: dict[int, str] = field(default_factory=dict)
    """Who proposed which ruling that nobody has approved."""
    peeked_blackjack: bool = False
    over: bool = False
    void: bool = False
    corrections: dict[int, list[Row]] = field(default_factory=dict)
    """The lines that were settled anew, by the number of the correction."""

    @property
    def currency(self) -> str:
        """The round's currency."""
        return str(self.settings["currency"])

    def see(self, kind: str, decision: Row, event: Row) -> str:
        """Take in an event; return what it says that cannot be, in words."""
        match kind:
            case "WagerPlaced":
                return self._placed(decision, event)
            case "WagerAccepted" | "WagerRefused" | "WagerLapsed":
                return self._answered(ANSWERS[kind], event["wager"])
            case "CardDealt":
                self.cards.setdefault((event["box"], event["hand"]), []).append(event["card"])
            case "HoleCardTurned":
                self.cards[0, 1].append(event["card"])
            case "PeekTaken":
                self.peeked_blackjack = event["blackjack"]
            case "HandSplit":
                self._split(event["box"], event["hand"], event["wager"])
            case "HandCompleted" if event["how"] == "dead":
                self.dead.add((event["box"], event["hand"]))
            case "EvenMoneyTaken":
                self.even_money.add(event["wager"])
            case "WagersSettled":
                return self._settled(event, void=_voids(decision))
            case "RoundSettled" | "RoundVoided":
                return self._ended(kind)
            case "RoundCorrected":
                return self._ruled_void(event)
            case "WagersCorrected":
                return self._mended(event)
            case _:
                pass
        return ""

    def _ruled_void(self, event: Row) -> str:
        """Every card of a simulated shoe is proved, so that a round which is over can become void and nothing else."""
        self.void = True
        return "" if event["outcome"] == "void" else f"correction {event['number']} settles by cards that were proved"

    def _mended(self, event: Row) -> str:
        """What was settled gives back its stake and no more, once; a round that is over is left with nothing else."""
        self.corrections[event["number"]] = event["lines"]
        if event["number"] != len(self.corrections):
            return f"correction {event['number']} is the {len(self.corrections)}. of the round"
        for line in event["lines"]:
            id = line["wager"]
            if line["settled_minor"] != self.lines.get(id):
                return f"{id} was settled with {self.lines.get(id)}, the correction says {line['settled_minor']}"
            if line["returned_minor"] != self.wagers[id].stake:
                return f"{id} gives back {line['returned_minor']} after the correction, its stake is {self.wagers[id].stake}"
            self.lines[id] = line["returned_minor"]
        left = [id for id, returned in self.lines.items() if self.over and returned != self.wagers[id].stake]
        return f"{left} of a void round give back something else than their stakes" if left else ""

    def gain(self, player: str) -> int:
        """Return what a player has won or lost, by the lines that were checked one by one."""
        return sum(
            self.lines[id] - wager.stake for id, wager in self.wagers.items() if wager.player == player and wager.answer == "accepted"
        )

    def _placed(self, decision: Row, event: Row) -> str:
        if event["wager"] in self.wagers:
            return f"{event['wager']} is placed twice"
        if decision["actor"]["id"] != event["player"] or decision["actor"]["role"] != "player":
            return f"{event['wager']} is placed by somebody else"
        wager = Wager(event["player"], event["box"], event["hand"], event["kind"], event["stake_minor"])
        self.wagers[event["wager"]] = wager
        return ""

    def _answered(self, answer: str, id: str) -> str:
        wager = self.wagers[id]
        if wager.answer:
            return f"{id} is {answer} after it was {wager.answer}"
        wager.answer = answer
        return ""

    def _split(self, box: int, hand: int, new: str) -> None:
        """The second card begins a hand of its own; hands behind it move up, with their wagers."""
        above = sorted((place for place in self.cards if place[0] == box and place[1] > hand), reverse=True)
        self.dead = {(on, number + (on == box and number > hand)) for on, number in self.dead}
        for place in above:
            self.cards[box, place[1] + 1] = self.cards.pop(place)
        for id, wager in self.wagers.items():
            if wager.box == box and wager.kind != "insurance" and wager.answer == "accepted" and (wager.hand > hand or id == new):
                wager.hand += 1
        first, second = self.cards[box, hand]
        self.cards[box, hand], self.cards[box, hand + 1] = [first], [second]
        self.split.add(box)

    def _settled(self, event: Row, *, void: bool) -> str:
        for line in event["lines"]:
            id = line["wager"]
            wager = self.wagers.get(id)
            if wager is None or wager.answer != "accepted":
                return f"{id} is settled and not in the round"
            if id in self.lines:
                return f"{id} is settled twice"
            if line["stake_minor"] != wager.stake or line["player"] != wager.player:
                return f"{id} is settled as another wager"
            back = void or (wager.box, wager.hand) in self.dead
            right = wager.stake if back else self._returns(id, wager)
            if line["returned_minor"] != right:
                return f"{id} ({wager.kind}) gives back {line['returned_minor']} of {wager.stake}, {right} is right"
            self.lines[id] = self.settled[id] = right
        return ""

    def _ended(self, kind: str) -> str:
        self.over, self.void = True, kind == "RoundVoided"
        open_wagers = [id for id, wager in self.wagers.items() if wager.answer == "accepted" and id not in self.lines]
        unanswered = [id for id, wager in self.wagers.items() if not wager.answer]
        return f"{open_wagers + unanswered} are left when the round ends" if open_wagers or unanswered else ""

    def _returns(self, id: str, wager: Wager) -> int:
        dealer = self.cards[0, 1]
        dealer_blackjack = len(dealer) == 2 and total(dealer) == 21
        if wager.kind == "insurance":
            won, staked = self.profile["insurance"]["pays"]
            # A dealer who peeks knows of the blackjack before the hole card is turned.
            return wager.stake + up(wager.stake * won, staked) if dealer_blackjack or self.peeked_blackjack else 0
        if id in self.even_money:
            return 2 * wager.stake
        hand = self.cards[wager.box, wager.hand]
        if total(hand) > 21:
            return 0
        blackjack = total(hand) == 21 and len(hand) == 2 and wager.box not in self.split
        if blackjack:
            won, staked = self.profile["blackjack_pays"]
            return wager.stake if dealer_blackjack else wager.stake + up(wager.stake * won, staked)
        if dealer_blackjack:
            return wager.stake if self._spared(wager) else 0
        if total(dealer) > 21 or total(hand) > total(dealer):
            return 2 * wager.stake
        return wager.stake if total(hand) == total(dealer) else 0

    def _spared(self, wager: Wager) -> bool:
        doubled = wager.kind == "double" and self.profile["double"]["dealer_blackjack_takes"] == "original"
        return doubled or (wager.hand > 1 and self.profile["split"]["dealer_blackjack_takes"] == "original")


def _voids(decision: Row) -> bool:
    return any(event["type"].startswith("table.RoundVoided") for event in decision["events"])


def total(cards: list[str]) -> int:
    """Return the best total of some cards.

    >>> total(["AS", "KD"]), total(["AS", "AD", "9C"]), total(["TS", "6D", "9C"])
    (21, 21, 25)
    """
    hard = sum(1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in cards)
    return hard + 10 if hard <= 11 and any(card[0] == "A" for card in cards) else hard


def up(times: int, by: int) -> int:
    """Return a quotient rounded up."""
    return -(-times // by)
