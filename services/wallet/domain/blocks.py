"""Blocks: who may place no stakes.

A block is the player's, in all currencies.  Each reason is a block of its own and ends on its own: who stays away by their own
wish is not let in because it became clear who they are.
"""

from immutables import Map

from shared.contracts.cage import BlockReason, CarriedBlock

Blocks = Map[str, tuple[BlockReason, ...]]
"""Who is blocked, and why: at least one reason, in the order of their blocking."""
NONE: Blocks = Map()


def blocked(blocks: Blocks, player: str, reason: BlockReason) -> Blocks:
    """Return the blocks with one more."""
    return blocks.set(player, (*blocks.get(player, ()), reason))


def unblocked(blocks: Blocks, player: str, reason: BlockReason) -> Blocks:
    """Return the blocks without one."""
    left = tuple(each for each in blocks.get(player, ()) if each != reason)
    return blocks.set(player, left) if left else blocks.delete(player)


def carried(blocks: Blocks) -> list[CarriedBlock]:
    """Return what the next book takes over, in a fixed order of players and each one's in the order of their blocking."""
    return [CarriedBlock(player=player, reason=reason) for player, reasons in sorted(blocks.items()) for reason in reasons]
