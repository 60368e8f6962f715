"""A scanner on a real cable: TCP on loopback and a pseudo terminal in place of a serial line."""

import asyncio
import os
import tty
from contextlib import suppress

import pytest

from feltlog.fake_scanner import FakeScanner, read_cards
from feltlog.trouble import Trouble
from services.shoe.app.scanner import AHEAD_MAX, BadAddress, Scanner
from services.shoe.domain.scanner_line import (
    CUTTING_CARD,
    LINE_BYTES_MAX,
    REPEATED_MAX,
    BadLine,
    Beat,
    Count,
    Greeting,
    Line,
    Seen,
    read_line,
    write_line,
)

SAW = ["8H", "6D", None, "8S", CUTTING_CARD, "3C", *["TD"] * 20]


class House:
    """What a scanner tells, and what is wrong with it."""

    def __init__(self) -> None:
        self.taken: list[Seen] = []
        self.alarms: list[tuple[str, str]] = []

    async def take(self, seen: Seen) -> None:
        """Store what was seen."""
        self.taken.append(seen)

    async def alarm(self, code: str, why: str) -> None:
        """Hear what is wrong."""
        self.alarms.append((code, why))

    async def come_to(self, count: int) -> None:
        """Wait until so much was taken."""
        async with asyncio.timeout(10):
            while len(self.taken) < count:
                await asyncio.sleep(0.005)

    async def hears_of(self, code: str) -> None:
        """Wait for an alarm."""
        async with asyncio.timeout(10):
            while code not in [each for each, _ in self.alarms]:
                await asyncio.sleep(0.005)


@pytest.fixture
async def listening():
    """Start scanners that are stopped in the end."""
    tasks = []

    def start(scanner):
        tasks.append(asyncio.create_task(scanner.listen()))
        return tasks[-1]

    yield start
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def heard_on(handle):
    """Return what comes over a serial line next."""
    async with asyncio.timeout(10):
        while True:
            with suppress(BlockingIOError):
                return os.read(handle, 100)
            await asyncio.sleep(0.01)


def said(taken):
    """Return the numbers and what was seen."""
    return [(seen.n, seen.saw) for seen in taken]


EVERYTHING = list(enumerate(SAW, start=1))


async def test_everything_is_taken_once_and_acknowledged(listening):
    """In order, and the device hears how far it was stored."""
    house, device = House(), FakeScanner(SAW)
    async with device.serving() as port:
        listening(Scanner(f"tcp://127.0.0.1:{port}", Count(), house.take, house.alarm))
        async with asyncio.timeout(10):
            await device.all_taken()
    assert said(house.taken) == EVERYTHING


async def test_a_cut_cable_loses_nothing_and_doubles_nothing(listening):
    """The house falls while it stores, and its successor hears again what was not acknowledged."""
    house, device = House(), FakeScanner(SAW)

    async def take_and_fall(seen):
        await house.take(seen)
        if seen.n == 5:
            raise ConnectionResetError

    async with device.serving() as port:
        first = Scanner(f"tcp://127.0.0.1:{port}", Count(), take_and_fall, house.alarm)
        task = listening(first)
        await house.hears_of("gone")
        task.cancel()
        # Number 5 is stored, so whoever comes next has it in its count although the device never heard so.
        second = Scanner(f"tcp://127.0.0.1:{port}", Count(scanner="fake", last=5), house.take, house.alarm)
        listening(second)
        await house.come_to(len(SAW))
    assert said(house.taken) == EVERYTHING


async def test_a_device_that_comes_late_is_waited_for(listening):
    """An alarm says that it is away; then it is heard."""
    house, device = House(), FakeScanner(["8H"])
    async with device.serving() as port:
        pass
    listening(Scanner(f"tcp://127.0.0.1:{port}", Count(), house.take, house.alarm))
    await house.hears_of("gone")
    async with device.serving(port=port):
        await house.come_to(1)
    assert said(house.taken) == [(1, "8H")]


async def test_a_serial_line_is_heard_like_any_other(listening):
    """The same lines over a terminal device, on which half a line may lie from before."""
    house = House()
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    try:
        listening(Scanner(f"serial:{os.ttyname(theirs)}", Count(), house.take, house.alarm))
        os.set_blocking(ours, False)
        assert await heard_on(ours) == b'{"from":1}\n'
        os.write(ours, b'f a line"}\n' + write_line(Greeting(scanner="S", protocol=1, next=1)) + write_line(Seen(n=1, saw="8H")))
        await house.come_to(1)
        assert await heard_on(ours) == b'{"ack":1}\n'
    finally:
        os.close(ours)
        os.close(theirs)


async def test_silence_is_told(listening):
    """A device that says nothing for too long is taken for gone."""
    house, device = House(), FakeScanner([])
    async with device.serving() as port:
        listening(Scanner(f"tcp://127.0.0.1:{port}", Count(), house.take, house.alarm, silence_s=0.05))
        await house.hears_of("silent")

    assert house.alarms[0][0] == "silent"


async def test_card_that_is_held_when_the_cable_ends_is_let_go(listening):
    """Over the next load another device may stand there, and a card that the old one kept is none of that load."""
    house, device, held = House(), FakeScanner(SAW), asyncio.Event()

    async def hold(seen):
        held.set()
        await asyncio.Event().wait()

    async with device.serving() as port:
        scanner = Scanner(f"tcp://127.0.0.1:{port}", Count(), hold, house.alarm)
        listening(scanner)
        async with asyncio.timeout(10):
            await held.wait()
    await house.hears_of("gone")

    assert (scanner.count.last, house.taken) == (0, [])


async def test_silence_is_told_while_a_card_is_held(listening):
    """A cable is heard all the time."""
    house, device = House(), FakeScanner(SAW)

    async def hold(seen):
        await asyncio.Event().wait()

    async with device.serving() as port:
        listening(Scanner(f"tcp://127.0.0.1:{port}", Count(), hold, house.alarm, silence_s=0.1))
        await house.hears_of("silent")

    assert house.taken == []


async def test_device_that_runs_ahead_is_stopped(listening):
    """Whatever a device says, what is kept of it is bounded."""
    house = House()

    async def hold(seen):
        await asyncio.Event().wait()

    async def speak(reader, writer):
        await reader.readline()
        lines: list[Line] = [Greeting(scanner="S", protocol=1, next=1), *(Seen(n=n, saw="8H") for n in range(1, AHEAD_MAX + 3))]
        writer.write(b"".join([write_line(line) for line in lines]))
        await reader.read()
        writer.close()

    server = await asyncio.start_server(speak, "127.0.0.1", 0)
    listening(Scanner(f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}", Count(), hold, house.alarm))
    await house.hears_of("too_far_ahead")
    server.close()

    assert house.taken == []


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (b'{"n":1,"saw":"8H"}\n', "gone"),
        (b'{"scanner":"S","protocol":2,"next":1}\n', "unknown_protocol"),
        (b'{"scanner":"S","protocol":1,"next":7}\n', "hole_in_count"),
        (b'{"scanner":"S","protocol":1,"next":1}\n{"n":2,"saw":"8H"}\n', "hole_in_count"),
        (b'{"scanner":"S","protocol":1,"next":1}\n{"n":1,"saw":"1H"}\n', "not_a_card"),
        (b'{"scanner":"S","protocol":1,"next":1}\nhello\n', "not_a_line"),
        (b'{"scanner":"S","protocol":1,"next":1}\n{"n":0,"saw":"8H"}\n', "not_a_line"),
        (b"x" * 5_000, "line_too_long"),
        (b'{"scanner":"S","protocol":1,"next":1}\n\xff\x00\n', "not_a_line"),
    ],
)
async def test_what_makes_no_sense_is_told_by_its_code(listening, lines, code):
    """Nothing of it is taken."""
    house = House()

    async def speak(reader, writer):
        try:
            writer.write(lines)
            await writer.drain()
            await reader.readline()
        finally:
            writer.close()

    server = await asyncio.start_server(speak, "127.0.0.1", 0)
    listening(Scanner(f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}", Count(), house.take, house.alarm))
    await house.hears_of(code)
    server.close()
    assert house.taken == []


def test_a_repeated_number_must_say_the_same():
    """What was stored once is not told otherwise later."""
    count = Count(scanner="S", last=3, said={2: "KS", 3: "8H"})
    with pytest.raises(BadLine) as told:
        count.heard(Seen(n=2, saw="9H"))
    assert (told.value.code, count.heard(Seen(n=3, saw="8H")), count.heard(Seen(n=2, saw="KS"))) == ("said_otherwise", None, None)


def test_a_number_that_goes_back_is_no_repetition():
    """A device without its count says new cards under old numbers; they must not be passed over as known."""
    with pytest.raises(BadLine) as told:
        Count(scanner="S", last=9, said={9: "8H"}).heard(Seen(n=1, saw="KD"))
    assert told.value.code == "count_back"


def test_what_was_said_is_remembered_so_far():
    """A device repeats what is on its way to be acknowledged, and nothing older."""
    count = Count(scanner="S")
    for n in range(1, REPEATED_MAX + 2):
        count = count.heard(Seen(n=n, saw=None)) or count
    assert (len(count.said), min(count.said)) == (REPEATED_MAX, 2)


def test_another_device_needs_a_person():
    """A scanner that was swapped may have its own count."""
    with pytest.raises(BadLine) as told:
        Count(scanner="S", last=3).greeted(Greeting(scanner="T", protocol=1, next=1))
    assert told.value.code == "another_device"


@pytest.mark.parametrize("line", [Greeting(scanner="S", protocol=1, next=4), Seen(n=4, saw="8H"), Seen(n=5, saw=None), Beat(beat=True)])
def test_lines_are_read_as_they_are_written(line):
    """Each kind."""
    assert read_line(write_line(line)) == line


def test_no_line_tells_a_card_in_its_error():
    """It may lie face down, and alarms are heard by many."""
    with pytest.raises(BadLine) as told:
        read_line(b'{"n":1,"saw":"8H","extra":1}')
    assert "8H" not in str(told.value)


def test_a_line_has_a_limit():
    """Whatever it says."""
    with pytest.raises(BadLine) as told:
        read_line(b'{"n":1,"saw":' + b" " * LINE_BYTES_MAX + b"null}")
    assert told.value.code == "line_too_long"


@pytest.mark.parametrize("address", ["", "tcp://", "tcp://host:99999", "tcp://host", "serial:ttyUSB0", "http://host:1", "tcp://a:1\n"])
def test_an_address_that_names_no_device_is_refused(address):
    """Before anything is tried."""
    with pytest.raises(BadAddress):
        Scanner(address, Count(), House().take, House().alarm)


def test_a_file_of_cards_is_read(tmp_path):
    """Cards, the cutting card, and one that cannot be read."""
    file = tmp_path / "cards"
    file.write_text("8H --\n?? TD")
    assert read_cards(file) == ["8H", CUTTING_CARD, None, "TD"]
    file.write_text("8H 1H")
    with pytest.raises(Trouble, match="word 2"):
        read_cards(file)


def test_over_a_new_load_another_device_begins_where_it_stands():
    """What it saw before is nobody's; so is what the old one lost."""
    fresh = Count(scanner="S", last=3, fresh=True)
    greetings = (("T", 40), ("T", 1), ("S", 7), ("S", 4))
    found = [fresh.answered(Greeting(scanner=name, protocol=1, next=at)).last for name, at in greetings]

    assert found == [39, 0, 6, 3]


@pytest.mark.parametrize("fresh", [False, True])
def test_device_that_lost_its_count_is_not_taken_for_one_that_repeats(fresh):
    """Its next cards would be passed over as if they were known."""
    with pytest.raises(BadLine) as told:
        Count(scanner="S", last=3, fresh=fresh).answered(Greeting(scanner="S", protocol=1, next=1))

    assert told.value.code == "count_back"


async def test_device_that_begins_anew_on_a_cable_that_stands_is_heard_no_further(listening):
    """A serial line does not break when the device at its end has lost its power, and its count."""
    house = House()
    hello = write_line(Greeting(scanner="S", protocol=1, next=1))

    async def speak(reader, writer):
        try:
            writer.write(hello + write_line(Seen(n=1, saw="8H")) + hello + write_line(Seen(n=1, saw="9H")))
            await reader.read()
        finally:
            writer.close()

    server = await asyncio.start_server(speak, "127.0.0.1", 0)
    listening(Scanner(f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}", Count(), house.take, house.alarm))
    await house.hears_of("count_back")
    server.close()
    assert said(house.taken) == [(1, "8H")]


@pytest.mark.parametrize("address", ["tcp://scanner..local:7001", f"tcp://{'s' * 64}:7001", "tcp://a\0b:7001", "serial:/dev/tty\0"])
async def test_an_address_that_cannot_be_looked_up_is_told_and_ends_nothing(listening, address):
    """Of a service that serves all tables, no address of one may be the end."""
    house = House()
    task = listening(Scanner(address, Count(), house.take, house.alarm))
    await house.hears_of("gone")
    assert not task.done()


def test_a_scanner_has_a_name():
    """Without one nobody could tell it from another."""
    with pytest.raises(BadLine) as told:
        read_line(b'{"scanner":"","protocol":1,"next":1}')
    assert told.value.code == "not_a_line"
