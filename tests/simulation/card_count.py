"""The card count: every card that leaves a shoe, each of them once, and none before the shoe is ready or after its end."""

from collections import Counter
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

    def _shoe(self, subject: str) -> Shoe:
        must(subject in self.shoes, "card", f"there is no shoe {subject}")
        return self.shoes[subject]

    def see(self, subject: str, kind: str, event: Row) -> None:
        """See an event of a shoe."""
        if kind == "ShoeShuffled":
            must(subject not in self.shoes, "card", f"{subject} is shuffled twice")
            self.shoes[subject] = Shoe(event["decks"], event["without"])
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
