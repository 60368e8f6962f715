"""The demonstration and every reading command, as a person runs them: real processes, a real server, nothing else."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from shared.kernel.money import minor_units

HERE = Path(__file__).parents[2]
ROUNDS = 24
PATIENCE_S = 240.0


@dataclass(frozen=True)
class Said:
    """What a command wrote, and its exit status."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()

    @property
    def objects(self) -> list[dict[str, object]]:
        """Standard output as objects, one a line."""
        return [json.loads(line) for line in self.text.splitlines()]


def feltlog(*arguments: str, said: str = "", **environment: str) -> Said:
    """Run the command with these arguments, `said` on its standard input, to its end."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FELTLOG_")}
    done = subprocess.run(
        [sys.executable, "-m", "feltlog", *arguments],
        input=said.encode(),
        cwd=HERE,
        env=inherited | environment,
        capture_output=True,
        timeout=PATIENCE_S,
    )
    return Said(done.returncode, done.stdout, done.stderr.decode())


@dataclass(frozen=True)
class Evening:
    """A house after its demonstration, stopped."""

    data: str
    demo: Said
    rounds: list[dict[str, object]]

    @property
    def disputed(self) -> str:
        """The round that the demonstration replayed."""
        return self.demo.text.partition(" REPLAY  round ")[2].partition(",")[0]


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """Play a short evening in a new house."""
    data = str(tmp_path_factory.mktemp("evening") / "house")
    demo = feltlog("demo", "--data", data, "--rounds", str(ROUNDS))
    assert demo.status == 0, f"{demo.text}\n{demo.err}"
    return Evening(data, demo, feltlog("rounds", "--data", data, "--limit", "1000", "--json").objects)


def test_the_demonstration_plays_as_many_rounds_as_were_asked_for(evening):
    """Over all three tables, every one of them settled."""

    assert (len(evening.rounds) >= ROUNDS, {row["table"] for row in evening.rounds}, {row["outcome"] for row in evening.rounds}) == (
        True,
        {"T1", "T2", "T3"},
        {"settled"},
    )


def test_the_demonstration_is_proved_at_its_end(evening):
    """Everything that was written is checked, the opened shoes too."""

    assert ("Everything is as it must be." in evening.demo.text, " 0 shoes" in evening.demo.text) == (True, False)


def test_the_demonstration_shows_a_round_a_statement_and_where_to_look(evening):
    """A disputed round, somebody's money, and the commands for more."""
    expected = ("A round is disputed", "The statement of ", f"feltlog replay {evening.disputed} --step --data {evening.data}")

    assert [words for words in expected if words not in evening.demo.text] == []


def test_a_replay_is_byte_identical_elsewhere(evening):
    """Another zone, language, hash seed and window: the same bytes."""
    here = feltlog("replay", evening.disputed, "--data", evening.data, TZ="UTC", LC_ALL="C.UTF-8", PYTHONHASHSEED="0")
    elsewhere = feltlog(
        "replay", evening.disputed, "--data", evening.data, TZ="Asia/Kathmandu", LC_ALL="C", PYTHONHASHSEED="99", COLUMNS="40"
    )

    assert (here.status, here.out) == (0, elsewhere.out)


def test_a_replay_as_json_ends_with_the_digest_of_the_list(evening):
    """The chain's digest is the same wherever it is read."""
    events = feltlog("replay", evening.disputed, "--data", evening.data, "--json").objects
    row = next(row for row in evening.rounds if row["round"] == evening.disputed)

    assert (events[-1]["digest"], events[-1]["revision"], len({event["place"] for event in events})) == (
        row["digest"],
        row["entries"],
        len(events),
    )


def test_a_replay_step_by_step_stops_when_told(evening):
    """Two events, then q."""
    said = feltlog("replay", evening.disputed, "--data", evening.data, "--step", said="\nq\n")

    assert (said.status, said.text.count("  table  "), "stopped here by you" in said.text) == (0, 1, True)


def test_the_rack_of_a_shoe_is_read_from_a_stopped_house(evening):
    """The disputed round's cards lie there, the same ones as its own log has, and a shoe that was never called is trouble."""
    [shoe] = {row["shoe"] for row in feltlog("replay", evening.disputed, "--data", evening.data, "--rack", "--json").objects}
    alone = feltlog("replay", evening.disputed, "--data", evening.data, "--rack", "--json").objects
    said = feltlog("rack", str(shoe), "--round", evening.disputed, "--data", evening.data, "--json")
    unknown = feltlog("rack", "T9-S1", "--data", evening.data)

    assert ([row["index"] for row in said.objects], said.status) == ([row["index"] for row in alone], 0)
    assert (unknown.status, unknown.err.startswith("feltlog: There is no shoe 'T9-S1'")) == (2, True)


def test_a_round_is_verified_by_itself(evening):
    """One line of JSON: fine."""
    said = feltlog("verify", evening.disputed, "--data", evening.data, "--json")

    assert (said.status, said.objects[-1]["fine"], said.objects[-1]["findings"]) == (0, True, 0)


def test_the_rounds_of_one_player_are_those_of_the_list(evening):
    """`--player` chooses what the whole list says."""
    chosen = feltlog("rounds", "--data", evening.data, "--limit", "1000", "--player", "doubler", "--json").objects

    assert [row["round"] for row in chosen] == [row["round"] for row in evening.rounds if "doubler" in row["players"]]


def test_a_statement_ends_with_what_the_rounds_left(evening):
    """What the tables' logs add up to is what the ledger's log ends with: the deposit and the evening's result."""
    rows = feltlog("statement", "basic", "--data", evening.data, "--json").objects
    result = next(words for line in evening.demo.text.splitlines() if (words := line.split())[:1] == ["basic"])[-4]

    assert rows[-2]["balance_minor"] == 100_000 + minor_units(result.lstrip("+-"), "EUR") * (-1 if result[0] == "-" else 1)


MISUSE = [
    (("replay", "T1.20200101-000001"), "There is no round T1.20200101-000001 in these logs."),
    (("replay", "nonsense"), "'nonsense' is not a round"),
    (("verify", "T1.20200101-000001"), "There is no round T1.20200101-000001"),
    (("statement", "zoe"), "There is no account of 'zoe'"),
    (("rounds", "--since", "yesterday"), "'yesterday' is no moment"),
    (("table", "list"), "Nothing runs on"),
    (("play", "--table", "T1", "--player", "zoe"), "Nobody called 'zoe' plays"),
    (("player", "add", "x y"), "is not a name"),
]


@pytest.mark.parametrize(("arguments", "sentence"), MISUSE, ids=[" ".join(arguments) for arguments, _ in MISUSE])
def test_a_mistake_is_answered_with_a_sentence(evening, arguments, sentence):
    """Exit 2, a sentence on standard error, no traceback."""
    said = feltlog(*arguments, "--data", evening.data)

    assert (said.status, sentence in said.err, "Traceback" in said.err, said.out) == (2, True, False, b"")
