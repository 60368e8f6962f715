"""The card count: every card that leaves a shoe, each of them once, and none before the shoe is ready or after its end.

Also what players gave towards its cut: sealed while the order was committed already, told when no further seal was taken.
"""

import hashlib
from collections import Counter, defaultdict
from typing import Any

from tests.simulation.breach import must

Row = dict[str, Any]


class Shoe:
    """A shoe's cards, as they left it."""

    def __init__(self, decks: int, without: list[str]) -> None:
        self.left = Counter({rank + suit: decks for rank in "A23456789TJQK" for suit in "SHDC"})
        self.left.subtract(without)
        self.drawn = 0
        self.faces: dict[int, str] = {}
        self.down: set[int] = set()
        self.root = ""
        self.cut = False
        self.by_device = False
        self.burned: set[int] = set()
        self.ready = False
        self.retired = False
        self.dealt: set[int] = set()
        self.beside: set[int] = set()
        """Cards that lie open beside the hands."""


class CardCount:
    """All shoes, as their streams and the felts tell of them."""

    def __init__(self) -> None:
        self.shoes: dict[str, Shoe] = {}
        self.astray = 0
        """How many cards were nobody's."""
        self.seals: dict[str, dict[str, str]] = defaultdict(dict)
        """What players sealed towards the cut of a shoe, by name."""
        self.secrets: dict[str, dict[str, str]] = defaultdict(dict)
        """What they told of it; empty as long as seals are taken."""
        self.cuts: Counter[str] = Counter()
        """How often a shoe was cut by players, and by the dealer."""
        self.missing = 0
        """How many secrets were sealed and never told."""
        self.orders: Counter[str] = Counter()
        """What was ordered about the cards of tables, and how often players refused to cut."""
        self.burned = self.shown = self.by_device = 0
        """Burns that a table called for, burned cards that were shown, and shoes that a device shuffled."""
        self.called: set[tuple[str, int]] = set()
        """Calls of tables for a burn that their shoes have followed."""

    def on_felt(self, subject: str, kind: str, event: Row) -> None:
        """See a card come to rest, or be turned, in a round's stream."""
        shoe = self._shoe(f"log.shoe.{subject.split('.')[2]}.{event['shoe']}")
        index = event["index"]
        if kind == "HoleCardTurned":
            must(shoe.faces.get(index) == event["card"], "card", f"card {index} of {event['shoe']} is not a {event['card']}")
            return
        self.astray += kind in ("CardDiscarded", "CardExposed")
        if kind in ("CardDealt", "CardDiscarded") and index in shoe.beside:
            shoe.beside.discard(index)
            must(shoe.faces.get(index) == event["card"], "card", f"card {index} of {event['shoe']} was seen as another one")
            return
        must(index not in shoe.dealt, "card_twice", f"card {index} of {event['shoe']} lies on the felt twice")
        shoe.dealt.add(index)
        if kind == "CardExposed":
            shoe.beside.add(index)
        if event.get("card"):
            must(shoe.faces.get(index) == event["card"], "card", f"card {index} of {event['shoe']} is not a {event['card']}")
        else:
            must(index in shoe.down, "card", f"card {index} of {event['shoe']} does not lie face down")

    def on_table(self, subject: str, kind: str, event: Row) -> None:
        """See what a table's stream tells of the cut."""
        shoe = f"log.shoe.{subject.split('.')[2]}.{event.get('shoe', '')}"
        match kind:
            case "OrderNoted":
                must(self._shoe(shoe).root == event["root"], "cut", f"{shoe} is not committed to what its table noted")
            case "CutSealed":
                must(bool(self._shoe(shoe).root) and not self._shoe(shoe).cut, "cut", f"a seal for {shoe} comes at a wrong moment")
                must(shoe not in self.secrets, "cut", f"a seal for {shoe} is taken behind the close of the sealing")
                must(event["player"] not in self.seals[shoe], "cut", f"{event['player']} sealed twice for {shoe}")
                self.seals[shoe][event["player"]] = event["seal"]
            case "CutRefused" | "DealerChanged" | "ReshuffleOrdered":
                self.orders[kind] += 1
            case "SealingClosed":
                self.secrets[shoe] = {}
            case "CutRevealed":
                must(shoe in self.secrets, "cut", f"a secret for {shoe} is told while seals are taken")
                text = f"feltlog cut seal 1\n{event['shoe']}\n{event['player']}\n{event['secret']}"
                right = hashlib.sha256(text.encode()).hexdigest() == self.seals[shoe].get(event["player"])
                must(right, "cut", f"{event['player']} told what was not sealed for {shoe}")
                self.secrets[shoe][event["player"]] = event["secret"]
            case "ShoeRetirementCalled" if event["reason"] == "replaced":
                following = self._shoe(f"log.shoe.{subject.split('.')[2]}.{event['next_shoe']}")
                must(following.root == event["next_root"] != "", "cut", f"{shoe} is opened before the next shoe is committed")
            case _:
                pass

    def _is_cut(self, subject: str, shoe: Shoe, event: Row) -> None:
        must(bool(shoe.root) and not shoe.cut, "cut", f"{subject} is cut at a wrong moment")
        shoe.cut = True
        given = [(each["player"], each["seal"], each.get("secret", "")) for each in event.get("contributions", ())]
        told = self.secrets.get(subject, {})
        right = [(player, mark, told.get(player, "")) for player, mark in sorted(self.seals.get(subject, {}).items())]
        must(given == right, "cut", f"{subject} is not cut by what was given towards it")
        must(event["by"] == ("players" if told else event["staff"] or "dealer"), "cut", f"{subject} is said to be cut by {event['by']}")
        self.cuts[event["by"]] += 1
        self.missing += sum(not secret for _, _, secret in given)

    def _shoe(self, subject: str) -> Shoe:
        must(subject in self.shoes, "card", f"there is no shoe {subject}")
        return self.shoes[subject]

    def see(self, subject: str, kind: str, event: Row) -> None:
        """See an event of a shoe."""
        if kind == "ShoeShuffled":
            must(subject not in self.shoes, "card", f"{subject} is shuffled twice")
            self.shoes[subject] = Shoe(event["decks"], event["without"])
            self.shoes[subject].by_device = event["device"] == "shuffling_device"
            self.by_device += event["device"] == "shuffling_device"
            return
        shoe = self._shoe(subject)
        must(not shoe.retired, "closed_shoe", f"{kind} stands in {subject} behind its end")
        match kind:
            case "CardsBurned":
                must(event["first_index"] == shoe.drawn, "card_twice", f"{subject} burns out of turn")
                shoe.burned.update(range(shoe.drawn, shoe.drawn + event["count"]))
                shoe.drawn += event["count"]
                if event.get("number"):
                    call = subject, event["number"]
                    must(call not in self.called, "burn_twice", f"{subject} burns twice for call {event['number']}")
                    self.called.add(call)
                    self.burned += 1
            case "BurnedShown":
                for opening in event["openings"]:
                    must(opening["index"] in shoe.burned, "card", f"{subject} shows card {opening['index']}, which was not burned")
                    self._seen(subject, shoe, opening)
                    self.shown += 1
            case "OrderCommitted":
                must(not shoe.cut and not shoe.root, "cut", f"{subject} is committed at a wrong moment")
                shoe.root = event["root"]
            case "ShoeCut":
                self._is_cut(subject, shoe, event)
            case "ShoePrepared":
                must(shoe.cut != shoe.by_device, "cut", f"{subject} is prepared and not cut, or cut though a device shuffled it")
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
