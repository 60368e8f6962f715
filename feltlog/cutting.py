"""A client's part in the cut: it seals a secret towards each shoe that comes, and tells it when the table asks.

The secret is drawn anew for each shoe and kept in memory alone.  A client that leaves in between takes it along; the table
then waits for it as long as its settings say, and writes down that it is missing.
"""

import secrets

from feltlog.client import Client
from services.table.views import Felt, FeltCut
from shared.contracts.asking import RefuseCut
from shared.contracts.cutting import CutCommand, RevealCut, SealCut
from shared.kernel.cutting import seal

SECRET_BYTES = 32
SHOES_MAX = 8
"""Of how many shoes a secret is kept: one is usual."""


class Cutting:
    """What one client has given towards the cuts at its table."""

    def __init__(self, client: Client, *, refuses: bool = False) -> None:
        self._client = client
        self._refuses = refuses
        self._refused = ""
        self._secrets: dict[str, str] = {}
        """By what a shoe is committed to: its name comes again the next day."""
        self._told = ""

    def due(self, felt: Felt) -> CutCommand | None:
        """Return what is to be said of the shoe that comes, each thing once; None if there is nothing to say."""
        cut, name = felt.cut, self._client.name
        if cut is None:
            return None
        if self._refuses:
            return self._no(cut)
        secret = self._secrets.get(cut.root)
        if cut.phase == "sealing" and secret is None and name not in cut.sealed:
            return SealCut(shoe=cut.shoe, root=cut.root, seal=seal(cut.shoe, name, self._drawn(cut.root)))
        if cut.phase == "revealing" and secret is not None and cut.root != self._told and name in cut.sealed:
            self._told = cut.root
            return RevealCut(shoe=cut.shoe, root=cut.root, secret=secret)
        return None

    def _no(self, cut: FeltCut) -> RefuseCut | None:
        """Return that this player does not want to cut, once for each shoe that players are asked to cut (ON-5.5, FL-4.3)."""
        if not cut.asked or cut.phase != "sealing" or cut.root == self._refused or self._client.name in (*cut.sealed, *cut.refused):
            return None
        self._refused = cut.root
        return RefuseCut(shoe=cut.shoe, root=cut.root)

    async def take_part(self, felt: Felt) -> None:
        """Say what is due; what the table says to it changes nothing for anybody who plays."""
        command = self.due(felt)
        if command is not None:
            await self._client.ask("table", felt.table, command)

    def _drawn(self, root: str) -> str:
        secret = self._secrets[root] = secrets.token_hex(SECRET_BYTES)
        while len(self._secrets) > SHOES_MAX:
            del self._secrets[next(iter(self._secrets))]
        return secret
