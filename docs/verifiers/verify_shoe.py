#!/usr/bin/env python3
"""Check a retired shoe: `python3 verify_shoe.py FILE`, where FILE comes from `feltlog shoe export SHOE`.

It needs Python 3.8 or newer and nothing else, and shares no code with the house: this file is the recipe of docs/shuffle.md
written down once more.  It says in a sentence what is wrong, or what was checked.

    --root ROOT               what you saw the shoe committed to while it was in play
    --mine PLAYER SECRET      that the shoe was cut by this secret of yours

Exit status: 0 if everything holds, 1 if something is wrong, 2 if the file cannot be read.
"""

import hashlib
import hmac
import json
import sys

FORMAT = "feltlog shoe 1"
RANKS, SUITS = "23456789TJQKA", "SHDC"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
DECKS_MAX = 16


class Wrong(Exception):
    """Something does not hold; the sentence says what."""


def sha256(*parts):
    """Return the SHA-256 of some bytes after others."""
    return hashlib.sha256(b"".join(parts)).digest()


def lines(*parts):
    """Return lines of text as bytes, without one at the end."""
    return "\n".join(str(part) for part in parts).encode()


def words(key, label):
    """Yield 32-bit words of HMAC-SHA256 over the label and a counter."""
    counter = 0
    while True:
        block = hmac.new(key, (label + str(counter)).encode(), "sha256").digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def below(bound, stream):
    """Return a number below the bound, none more likely than another."""
    limit = 2**32 - 2**32 % bound
    while True:
        word = next(stream)
        if word < limit:
            return word % bound


def shuffled(seed, shoe, decks, without):
    """Return the order that a seed gives."""
    cards = DECK * decks
    for card in without:
        cards.remove(card)
    stream = words(seed, f"feltlog shuffle 1\n{shoe}\n")
    for last in range(len(cards) - 1, 0, -1):
        place = below(last + 1, stream)
        cards[last], cards[place] = cards[place], cards[last]
    return cards


def salt_at(seed, shoe, place):
    """Return what hides a card until it is opened."""
    return hmac.new(seed, lines("feltlog salt 1", shoe, place), "sha256").digest()[:16].hex()


def leaf(shoe, place, salt, card):
    """Return what stands for a card in the tree."""
    return sha256(b"\x00", lines("feltlog card 1", shoe, place, salt, card))


def root_of(level):
    """Return the root over leaves (RFC 6962, section 2.1)."""
    while len(level) > 1:
        above = [sha256(b"\x01", level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = above + ([level[-1]] if len(level) % 2 else [])
    return level[0].hex()


def led_to(start, place, size, path):
    """Return the root to which a path leads from a leaf, nothing if the path has another length."""
    reached, steps = start, list(path)
    while size > 1:
        if place ^ 1 < size:
            if not steps:
                return ""
            step = bytes.fromhex(steps.pop(0))
            reached = sha256(b"\x01", step, reached) if place & 1 else sha256(b"\x01", reached, step)
        place, size = place >> 1, (size + 1) >> 1
    return "" if steps else reached.hex()


def seal_of(shoe, player, secret):
    """Return what a player shows of a secret before it is told."""
    return sha256(lines("feltlog cut seal 1", shoe, player, secret)).hex()


def cut_of(shoe, root, told, cut, cutting_card):
    """Return the cards in front of the cut, and behind the cutting card."""
    key = sha256(lines("feltlog cut 1", shoe, root, *(f"{player} {secret}" for player, secret in sorted(told))))
    stream = words(key, f"feltlog cut 1\n{shoe}\n")
    return tuple(low + below(high - low + 1, stream) for low, high in (cut, cutting_card))


def by_device(shoe):
    """Return whether a device shuffled the cards, which nobody cuts then."""
    return shoe.get("device", "manual") == "shuffling_device"


def check_numbers(shoe):
    """No more cards are spoken of than there are; nothing is counted with other numbers."""
    name, cards, burns = shoe["shoe"], shoe["cards"], shoe["burns"]
    counted = [shoe["decks"], cards, shoe["left"], *([] if burns is None else [burns])]
    bounds = [shoe["bounds"]["cut"], shoe["bounds"]["cutting_card"]]
    if not all(isinstance(number, int) and number >= 0 for number in [*counted, *bounds[0], *bounds[1]]):
        raise Wrong(f"{name} is counted with numbers that count nothing.")
    if not 0 < shoe["decks"] <= DECKS_MAX:
        raise Wrong(f"{name} is told to be made of {shoe['decks']} decks; a shoe has 1 to {DECKS_MAX}.")
    if not (burns or 0) <= shoe["left"] <= cards:
        raise Wrong(f"{name} holds {cards} cards; {burns or 0} are said to have been burned, and {shoe['left']} to have left it.")
    for low, high in bounds:
        if not low <= high <= cards:
            raise Wrong(f"{name} holds {cards} cards, and was to be cut or marked between {low} and {high} of them.")


def check_once(shoe):
    """A player seals, tells and gives once: a second secret under the same name would be the house's to choose."""
    for listed in (shoe["contributions"], shoe["table_log"]["sealed"], shoe["table_log"]["told"]):
        players = [each["player"] for each in listed]
        for player in players:
            if players.count(player) > 1:
                raise Wrong(f"{player} stands there more than once towards the cut of {shoe['shoe']}.")


def check_contributions(shoe):
    """Everybody who sealed something stands in the cut, by the secret that was told or by name."""
    check_once(shoe)
    name = shoe["shoe"]
    given = {each["player"]: (each["seal"], each["secret"]) for each in shoe["contributions"]}
    told = {each["player"]: each["secret"] for each in shoe["table_log"]["told"]}
    table = {each["player"]: (each["seal"], told.get(each["player"], "")) for each in shoe["table_log"]["sealed"]}
    for player in sorted(set(table) | set(told)):
        if player not in given:
            raise Wrong(f"{player} sealed something towards the cut of {name}, and it is recorded neither as told nor as missing.")
        if given[player] != table.get(player):
            raise Wrong(f"What {player} gave at the table is not what {name} was cut by.")
    for player, (seal, secret) in sorted(given.items()):
        if player not in table:
            raise Wrong(f"{name} was cut by something of {player} that the table never took.")
        if secret and seal_of(name, player, secret) != seal:
            raise Wrong(f"The secret of {player} is not the one that was sealed.")


def check_cut(shoe):
    """Cut and cutting card lie where the root and the secrets say."""
    told = [(each["player"], each["secret"]) for each in shoe["contributions"] if each["secret"]]
    front, behind = cut_of(shoe["shoe"], shoe["root"], told, shoe["bounds"]["cut"], shoe["bounds"]["cutting_card"])
    cut_at, cards_behind = shoe["cut_at"], shoe["cards_behind"]
    if by_device(shoe) and [*shoe["bounds"]["cut"], *shoe["bounds"]["cutting_card"]] != [0, 0, 0, 0]:
        raise Wrong(f"{shoe['shoe']} was shuffled by a device, and was to be cut all the same.")
    if (cut_at, cards_behind) != (front, behind):
        raise Wrong(
            f"The cut does not follow from the contributions: {cut_at} cards in front and {cards_behind} behind the cutting card "
            f"are told, {front} and {behind} follow."
        )


def check_order(shoe):
    """Return the order, if the seed gives the one that was committed."""
    seed, name = bytes.fromhex(shoe["seed"]), shoe["shoe"]
    without = list(shoe["without"]) + ([shoe["hole"]] if shoe["hole"] else [])
    cards = shuffled(seed, name, shoe["decks"], without)
    if len(cards) != shoe["cards"]:
        raise Wrong(f"{name} was to hold {shoe['cards']} cards, and its decks give {len(cards)}.")
    leaves = [leaf(name, place, salt_at(seed, name, place), card) for place, card in enumerate(cards)]
    if root_of(leaves) != shoe["root"]:
        raise Wrong(f"The seed of {name} does not give the order that was committed.")
    return cards


def check_cards(shoe, order):
    """Each card left the shoe once, in order, from the place that the cut gave it, and is what lay there."""
    name, size, cut_at = shoe["shoe"], shoe["cards"], shoe["cut_at"]
    expected = shoe["burns"]
    for card in shoe["drawn"]:
        index = card["index"]
        if index != expected:
            raise Wrong(f"Card {index} left {name} where card {expected} was next.")
        expected += 1
        if "card" not in card:
            continue
        place = (index + cut_at) % size
        face = card["card"]
        if face != order[place]:
            raise Wrong(f"Card {index} was dealt as {face}, and the order says {order[place]}.")
        start = leaf(name, place, card["salt"], face)
        if led_to(start, place, size, card["path"]) != shoe["root"]:
            raise Wrong(f"The path of card {index} does not lead from {face} to the root.")
    if expected != shoe["left"]:
        raise Wrong(f"{shoe['left']} cards are said to have left {name}; {expected} did.")


def check_end(shoe):
    """A shoe that another one replaces names it."""
    named = bool(shoe["next"]["shoe"] and shoe["next"]["root"])
    if (shoe["reason"] == "replaced") != named:
        how = "" if named else "not "
        raise Wrong(f"{shoe['shoe']} was opened because it was {shoe['reason']}, and the shoe that replaced it is {how}named.")


def check(shoe, root="", mine=None):
    """Raise `Wrong` at the first thing that does not hold; return what was checked, in a sentence."""
    if shoe.get("format") != FORMAT:
        raise Wrong(f'This is no shoe in the format "{FORMAT}".')
    name = shoe["shoe"]
    if root and root != shoe["root"]:
        raise Wrong(f"{name} is told to be committed to {shoe['root']}, and you saw {root}.")
    if mine and mine not in [(each["player"], each["secret"]) for each in shoe["contributions"]]:
        raise Wrong(f"{name} was not cut by the secret that you name.")
    check_numbers(shoe)
    order = check_order(shoe)
    if shoe["cut_at"] is not None:
        check_contributions(shoe)
        check_cut(shoe)
        check_cards(shoe, order)
    elif shoe["drawn"]:
        raise Wrong(f"Cards left {name}, which was never cut.")
    check_end(shoe)
    told = sum(1 for each in shoe["contributions"] if each["secret"])
    faces = sum(1 for card in shoe["drawn"] if "card" in card)
    players = f"{told} player{'' if told == 1 else 's'}"
    by = players if told else "nobody, for a device shuffled it" if by_device(shoe) else "the dealer"
    by = "nobody, for it was never used" if shoe["cut_at"] is None else by
    left = shoe["left"]
    return f"{name} holds: {shoe['cards']} cards committed, cut by {by}, {faces} of {left} cards that left it open, each proved."


def main(arguments):
    """Check the file that the command line names, and return the exit status."""
    try:
        path, root, mine = "", "", None
        rest = list(arguments)
        while rest:
            word = rest.pop(0)
            if word == "--root":
                root = rest.pop(0)
            elif word == "--mine":
                mine = (rest.pop(0), rest.pop(0))
            elif word in ("-h", "--help"):
                print(__doc__.strip())
                return 0
            else:
                path = word
        with open(path, encoding="utf-8") as file:
            shoe = json.load(file)
    except (IndexError, OSError, RecursionError, ValueError) as error:
        print(f"The file cannot be read: {error}\n{__doc__}", file=sys.stderr)
        return 2
    try:
        print(check(shoe, root, mine))
    except Wrong as wrong:
        print(wrong)
        return 1
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        print(f"The file does not say what a shoe must say: {type(error).__name__} {error}.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
