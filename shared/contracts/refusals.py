"""Refusals: every code that an asker may get, with the sentence that goes with it.

A code is part of the contract and never changes its meaning; the sentence says what is wrong and what to do.
"""

from enum import StrEnum

from shared.kernel.folded import ID_REUSED, QUARANTINED
from shared.kernel.messages import Refused


class Reason(StrEnum):
    """The stable codes."""

    # Asking
    BAD_REQUEST = "bad_request"
    NOT_ALLOWED_FOR_ROLE = "not_allowed_for_role"
    ID_REUSED = "id_reused"
    DAY_CLOSED = "day_closed"
    UNKNOWN_TABLE = "unknown_table"
    UNKNOWN_ROUND = "unknown_round"
    QUARANTINED = "quarantined"
    NOT_QUARANTINED = "not_quarantined"
    STILL_QUARANTINED = "still_quarantined"
    BUSY = "busy"
    TOO_MANY_REFUSALS = "too_many_refusals"
    # The table
    ALREADY_OPEN = "already_open"
    BAD_SETTINGS = "bad_settings"
    NOT_OPEN = "not_open"
    ROUND_RUNNING = "round_running"
    NO_SHOE = "no_shoe"
    NO_BOOK = "no_book"
    WALLET_SILENT = "wallet_silent"
    BURNING = "burning"
    TOO_EARLY = "too_early"
    CLOCKS_APART = "clocks_apart"
    # Wagers
    BETTING_CLOSED = "betting_closed"
    NO_SUCH_BOX = "no_such_box"
    BOX_FULL = "box_full"
    ALREADY_ON_BOX = "already_on_box"
    SEAT_TAKEN = "seat_taken"
    ONE_BOX_PER_ACCOUNT = "one_box_per_account"
    BELOW_MINIMUM = "below_minimum"
    ABOVE_MAXIMUM = "above_maximum"
    NOT_EXACT = "not_exact"
    NOT_OFFERED = "not_offered"
    NO_MAIN_WAGER = "no_main_wager"
    WALLET_LATE = "wallet_late"
    WAGER_FOR_DEALER = "wager_for_dealer"
    # What staff rule
    JOB_NOT_ALLOWED = "job_not_allowed"
    NOT_IN_THIS_BOOK = "not_in_this_book"
    ALREADY_SO = "already_so"
    BAD_RESTRICTION = "bad_restriction"
    PLAYED_EVERY_ROUND = "played_every_round"
    INSPECTOR_NOT_NOTIFIED = "inspector_not_notified"
    NO_BOX_TO_GIVE = "no_box_to_give"
    FACE_DOWN_NOT_APPROVED = "face_down_not_approved"
    HELD_TO_MINIMUM = "held_to_minimum"
    HELD_TO_ONE_BOX = "held_to_one_box"
    BOX_RESERVED = "box_reserved"
    BOX_GIVEN_UP = "box_given_up"
    # The cards before they are in the shoe
    STEP_MISSING = "step_missing"
    STEP_DONE = "step_done"
    STEPS_OF_THE_HOUSE = "steps_of_the_house"
    CARDS_IN_SHOE = "cards_in_shoe"
    VIDEO_MISSING = "video_missing"
    OWN_INSPECTION = "own_inspection"
    NO_REPLACEMENT_NOW = "no_replacement_now"
    # Decisions
    ROUND_OVER = "round_over"
    NOT_YOUR_TURN = "not_your_turn"
    HAND_COMPLETE = "hand_complete"
    NOT_DECISION_CALLER = "not_decision_caller"
    NOT_ALLOWED = "not_allowed"
    FACE_DOWN = "face_down"
    AWAITING_RESERVE = "awaiting_reserve"
    TOO_LATE = "too_late"
    INSURANCE_CLOSED = "insurance_closed"
    ALREADY_ANSWERED = "already_answered"
    # Rulings
    OWN_PROPOSAL = "own_proposal"
    NOT_YOUR_PROPOSAL = "not_your_proposal"
    NO_SUCH_PROPOSAL = "no_such_proposal"
    ALREADY_DECIDED = "already_decided"
    TOO_MANY_PROPOSALS = "too_many_proposals"
    NOT_POSSIBLE_NOW = "not_possible_now"
    NOT_APPROVED = "not_approved"
    # Corrections
    ROUND_NOT_OVER = "round_not_over"
    CORRECTION_RUNNING = "correction_running"
    TOO_MANY_CORRECTIONS = "too_many_corrections"
    NO_SUCH_CARD = "no_such_card"
    IMPOSSIBLE_CARD = "impossible_card"
    CARD_PROVED = "card_proved"
    CARD_NOT_AWAITED = "card_not_awaited"
    NOTHING_TO_CORRECT = "nothing_to_correct"
    NOT_RECOMPUTABLE = "not_recomputable"
    # The shoe
    SHOE_NOT_READY = "shoe_not_ready"
    SHOE_RETIRED = "shoe_retired"
    OUT_OF_ORDER = "out_of_order"
    TOO_FEW_CARDS = "too_few_cards"
    NEXT_NOT_COMMITTED = "next_not_committed"
    # The cut
    CUT_NOT_OPEN = "cut_not_open"
    ALREADY_SEALED = "already_sealed"
    CUT_REFUSED = "cut_refused"
    BAD_SEAL = "bad_seal"
    NOTHING_SEALED = "nothing_sealed"
    SEAL_MISMATCH = "seal_mismatch"
    ALREADY_REVEALED = "already_revealed"
    TOO_MANY_SEALS = "too_many_seals"
    # The ledger
    UNKNOWN_ACCOUNT = "unknown_account"
    ACCOUNT_EXISTS = "account_exists"
    INSUFFICIENT_FUNDS = "insufficient_funds"
    NOT_POSITIVE = "not_positive"
    BOOK_CLOSED = "book_closed"
    BOOK_NOT_OPEN = "book_not_open"
    # The cage
    ACCOUNT_BLOCKED = "account_blocked"
    NAME_RESERVED = "name_reserved"
    ABOVE_CAP = "above_cap"
    ROUND_OF_OPEN_DAY = "round_of_open_day"
    PROPOSAL_EXPIRED = "proposal_expired"


SENTENCES: dict[Reason, str] = {
    Reason.BAD_REQUEST: "The request cannot be read: {detail}",
    Reason.NOT_ALLOWED_FOR_ROLE: "This may not be asked in this role.",
    Reason.ID_REUSED: ID_REUSED.message,
    Reason.DAY_CLOSED: "The gaming day of this round is closed: nothing can be added to it.",
    Reason.UNKNOWN_TABLE: "There is no such table open here.",
    Reason.UNKNOWN_ROUND: "There is no such round on this table.",
    Reason.QUARANTINED: QUARANTINED.message,
    Reason.NOT_QUARANTINED: "Nothing of that subject is quarantined here.",
    Reason.STILL_QUARANTINED: "What was held still cannot be reacted to: the quarantine stays.",
    Reason.BUSY: "The house cannot do this now. Ask again in a moment, with the same id.",
    Reason.TOO_MANY_REFUSALS: "Too many refused requests in this round. Wait for the next one.",
    Reason.ALREADY_OPEN: "The table is open already, or closes after its round: open it again then.",
    Reason.BAD_SETTINGS: "The table cannot be opened like this: {detail}",
    Reason.NOT_OPEN: "The table is not open for rounds.",
    Reason.ROUND_RUNNING: "A round is being played; the next one comes after it.",
    Reason.NO_SHOE: "The table waits for its shoe.",
    Reason.NO_BOOK: "The ledger of this gaming day is not open yet.",
    Reason.WALLET_SILENT: "The wallet has not answered for the last two rounds: no further round until it does.",
    Reason.BURNING: "Cards are being burned; the next round comes after that.",
    Reason.TOO_EARLY: "It is too early for this.",
    Reason.CLOCKS_APART: "The clocks of this house and its log are more than a second apart: no round until they agree.",
    Reason.BETTING_CLOSED: "No more bets: betting for this round is closed.",
    Reason.NO_SUCH_BOX: "There is no such box on this table, or nothing of yours on it.",
    Reason.BOX_FULL: "The box is taken.",
    Reason.ALREADY_ON_BOX: "You have a wager on this box already.",
    Reason.SEAT_TAKEN: "Somebody else sits at this box.",
    Reason.ONE_BOX_PER_ACCOUNT: "One box for each account on this table.",
    Reason.BELOW_MINIMUM: "The stake is below the table's minimum of {detail}.",
    Reason.ABOVE_MAXIMUM: "The stake is above the maximum of {detail}.",
    Reason.NOT_EXACT: "Chips cannot pay this stake exactly: {detail}",
    Reason.NOT_OFFERED: "This table does not offer that side bet.",
    Reason.NO_MAIN_WAGER: "A side bet needs an accepted wager of yours on the box.",
    Reason.WALLET_LATE: "The wallet did not answer in time, so this wager is not in the round.",
    Reason.WAGER_FOR_DEALER: "Nobody wagers on behalf of the dealer (ON-3.6).",
    Reason.JOB_NOT_ALLOWED: "That is for others to say: {detail}",
    Reason.NOT_IN_THIS_BOOK: "The book of this table does not know that: {detail}",
    Reason.ALREADY_SO: "That is so already, and nothing would change.",
    Reason.BAD_RESTRICTION: "That cannot be ruled: {detail}",
    Reason.PLAYED_EVERY_ROUND: "The player has had a wager in every round of this shoe and cannot be held for it (FL-5.10).",
    Reason.INSPECTOR_NOT_NOTIFIED: "An inspector is notified first, and confirms it ({detail}).",
    Reason.NO_BOX_TO_GIVE: "The player had no second box in the last round that could be given up (FL-5.8).",
    Reason.FACE_DOWN_NOT_APPROVED: "Cards are dealt face down once an inspector has approved it (FL-3.5).",
    Reason.HELD_TO_MINIMUM: "You are held to the table's minimum of {detail}.",
    Reason.HELD_TO_ONE_BOX: "You are held to one box (FL-5.12).",
    Reason.BOX_RESERVED: "This box is kept for another player (FL-5.13).",
    Reason.BOX_GIVEN_UP: "You have given this box up for others (FL-5.8).",
    Reason.STEP_MISSING: "A step with the cards comes first: {detail}",
    Reason.STEP_DONE: "That step is done: {detail}",
    Reason.STEPS_OF_THE_HOUSE: "The house sees to the cards of this table by itself (shoe.procedure).",
    Reason.CARDS_IN_SHOE: "The cards are in the shoe. Steps with them come again when it is played out, or when others are brought.",
    Reason.VIDEO_MISSING: "The book wants this step on video: say where it is recorded {detail}",
    Reason.OWN_INSPECTION: "Nobody verifies their own inspection: another person must (ON-4.1).",
    Reason.NO_REPLACEMENT_NOW: "The cards cannot be replaced now: {detail}",
    Reason.ROUND_OVER: "The round is over.",
    Reason.NOT_YOUR_TURN: "It is not this hand's turn.",
    Reason.HAND_COMPLETE: "This hand is complete.",
    Reason.NOT_DECISION_CALLER: "Another player decides for this box.",
    Reason.NOT_ALLOWED: "The rules of this table do not allow that here.",
    Reason.FACE_DOWN: "The two cards lie face down: they are exposed before a third one comes.",
    Reason.AWAITING_RESERVE: "The house waits for the wallet. Decide again after its answer.",
    Reason.TOO_LATE: "The time for this decision is over.",
    Reason.INSURANCE_CLOSED: "Insurance is not open.",
    Reason.ALREADY_ANSWERED: "This wager has had its answer about insurance.",
    Reason.OWN_PROPOSAL: "Nobody decides about their own proposal: another person must.",
    Reason.NOT_YOUR_PROPOSAL: "Only who made a proposal can take it back; others decline it.",
    Reason.NO_SUCH_PROPOSAL: "Nothing was proposed under that number here.",
    Reason.ALREADY_DECIDED: "That proposal was decided about already.",
    Reason.TOO_MANY_PROPOSALS: "Too many of your proposals wait, or were made. Another person may propose.",
    Reason.NOT_POSSIBLE_NOW: "That ruling cannot take effect now: {detail}",
    Reason.NOT_APPROVED: "A ruling takes effect when a second person approves it.",
    Reason.ROUND_NOT_OVER: "The round is still being played.",
    Reason.CORRECTION_RUNNING: "Another correction of this round is under way.",
    Reason.TOO_MANY_CORRECTIONS: "The round was corrected so often that a person must look into it.",
    Reason.NO_SUCH_CARD: "No such card lies open in this round.",
    Reason.IMPOSSIBLE_CARD: "That card cannot lie there: {detail}",
    Reason.CARD_PROVED: "The shoe has proved this card: it cannot have been read wrong.",
    Reason.CARD_NOT_AWAITED: "Nobody waits to be told that card: its scanner could read it, or the round goes on without it.",
    Reason.NOTHING_TO_CORRECT: "That is how it stands already: nothing is to be corrected.",
    Reason.NOT_RECOMPUTABLE: "The round cannot be settled by these cards and must be void: {detail}",
    Reason.SHOE_NOT_READY: "The shoe is not prepared.",
    Reason.SHOE_RETIRED: "The shoe is retired.",
    Reason.TOO_FEW_CARDS: "The shoe holds too few cards for that: {detail} are left.",
    Reason.OUT_OF_ORDER: "The cards do not come in this order: {detail}",
    Reason.NEXT_NOT_COMMITTED: "The order of the next shoe is not committed yet, so this one stays closed.",
    Reason.CUT_NOT_OPEN: "Nothing of this kind is taken towards the cut of that shoe now.",
    Reason.ALREADY_SEALED: "You have sealed something towards this cut already.",
    Reason.CUT_REFUSED: "You have refused this cut already.",
    Reason.BAD_SEAL: "A seal, and a secret, is 32 bytes in lower-case hexadecimal.",
    Reason.NOTHING_SEALED: "You have sealed nothing towards this cut.",
    Reason.SEAL_MISMATCH: "This is not the secret that you sealed for this shoe.",
    Reason.ALREADY_REVEALED: "Your secret is told already.",
    Reason.TOO_MANY_SEALS: "So many have sealed something towards this cut that no more is taken.",
    Reason.UNKNOWN_ACCOUNT: "There is no such account.",
    Reason.ACCOUNT_EXISTS: "The account exists already, with another operator.",
    Reason.INSUFFICIENT_FUNDS: "The account does not hold that much.",
    Reason.NOT_POSITIVE: "The amount must be a whole number of minor units above zero.",
    Reason.BOOK_CLOSED: "The book of this day is closed.",
    Reason.BOOK_NOT_OPEN: "The book of this day is not open yet.",
    Reason.ACCOUNT_BLOCKED: "This account is blocked: it places no stakes. Ask the cage.",
    Reason.NAME_RESERVED: "Nobody plays under the name {detail}: it belongs to the house.",
    Reason.ABOVE_CAP: "One adjustment may move {detail} at most; the house says so for each day's book.",
    Reason.ROUND_OF_OPEN_DAY: "The books of that round's day are open: a ruling puts it right, not an adjustment.",
    Reason.PROPOSAL_EXPIRED: "That was proposed in the book of {detail}, which is closed. It can be proposed again.",
}


def sentence(reason: Reason, detail: str = "") -> str:
    """Return the sentence of a reason."""
    return SENTENCES[reason].format(detail=detail)


def refused(reason: Reason, detail: str = "") -> Refused:
    """Return what to raise when the rules forbid something."""
    return Refused(reason.value, sentence(reason, detail))
