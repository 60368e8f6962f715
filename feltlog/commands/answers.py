"""Answers of the house, told to a person."""

import typer

from feltlog.trouble import Trouble
from shared.kernel.messages import Answer


def tell_answer(answer: Answer, *, done: str) -> None:
    """Say what came of a command; raise `Trouble` with the house's own sentence if it was refused."""
    if answer.status == "refused":
        raise Trouble(f"{answer.message} ({answer.code})")
    typer.echo(done if answer.status == "accepted" else f"{done} The house has not confirmed it yet.")
