"""The quarantine: what is held is written down first, heard again when it is lifted, and nothing else is lifted with it."""

from shared.contracts.desk import LiftQuarantine, SourceQuarantined
from shared.contracts.desk_rules import DESK
from shared.contracts.requests import encode_request
from shared.contracts.subjects import desk_stream
from shared.kernel.folded import Asked, Pen, draft, empty, fold
from shared.kernel.messages import ACCEPTED, Actor, Answer, Refused
from shared.runtime.service import Process
from tests.service import DAY, HEARD_LOG, NOTES, OWN_LOG, SHOE, NotingApp, World, until

OTHER = f"log.shoe.{DAY}.T7-S2"
PIT = Actor("staff", "pit")


async def lift(process: Process, subject: str = SHOE) -> Answer:
    """Lift a quarantine, as the pit."""
    try:
        return await process.desk.command(PIT, encode_request("lift", LiftQuarantine(subject=subject)), process.rehear)
    except Refused as why:
        return why.answer


async def lifted_late(world: World) -> None:
    """Let what a process sent before it died be stored now: it lifts the quarantine, and has heard nothing of what was held since."""
    desk = desk_stream("table", DAY)
    folded = empty(DESK, desk)
    async for stored in world.store.read(OWN_LOG, pattern=desk):
        fold(DESK, folded, stored.data, stored.sequence)
    asked = Asked("lift", LiftQuarantine(subject=SHOE), Actor("staff", "pit"), folded.at_ms)
    late = draft(DESK, folded, [asked], Pen("table-that-died", folded.epoch, "test"), now_ms=folded.at_ms)
    await world.store.append(desk, late.data, fence=folded.fence)


async def held(world: World) -> None:
    """Let the shoe write two entries, and a service that cannot work them out hold them."""
    await world.retire(1)
    await world.retire(2)
    async with world.running(NotingApp(broken=True)) as process:
        await until(lambda: HEARD_LOG in process.listeners and process.listeners[HEARD_LOG].sequence == 2)


async def test_what_an_earlier_process_held_is_heard_again():
    """Log page, poison: held entries are read again when a person lifts the quarantine, also when no other came meanwhile."""
    world = World()
    await held(world)
    async with world.running(NotingApp()) as process:
        await until(lambda: HEARD_LOG in process.listeners)
        answer = await lift(process)

        assert (answer, process.keepers.get(NOTES).state, process.desk.rows()) == (ACCEPTED, (1, 2), [])


async def test_what_was_held_behind_a_late_lift_is_heard_at_the_next_start():
    """A lift that is stored after its process died lets go of what was held meanwhile; all of it counts as worked off."""
    world = World()
    await held(world)
    await lifted_late(world)
    async with world.running(NotingApp()) as process:
        await until(lambda: process.keepers.get(NOTES).state == (1, 2))

        assert process.desk.rows() == []


async def test_what_was_held_behind_a_late_lift_is_heard_at_once_where_it_is_held():
    """So it is when the process that holds it lives, and nothing else comes on that log."""
    world = World()
    await held(world)
    async with world.running(NotingApp()) as process:
        await until(lambda: HEARD_LOG in process.listeners)
        await lifted_late(world)
        await until(lambda: process.keepers.get(NOTES).state == (1, 2))

        assert process.desk.rows() == []


async def test_what_cannot_be_heard_again_behind_a_late_lift_is_held_again():
    """The cause is not mended, whatever the one that died said."""
    world = World()
    await held(world)
    await lifted_late(world)
    async with world.running(NotingApp(broken=True)) as process:
        await until(lambda: process.desk.rows() != [])

        assert [(row.subject, row.sequence) for row in process.desk.rows()] == [(SHOE, 1)]


async def test_nothing_is_lifted_that_is_not_listened_to_yet():
    """A quarantine stays as long as what was held cannot be heard again."""
    world = World()
    await held(world)
    async with world.running(NotingApp(ready=False)) as process:
        answer = await lift(process)

        assert (answer.code, len(process.desk.rows())) == ("still_quarantined", 1)


async def test_what_was_held_of_a_closed_day_is_given_up():
    """Nothing can follow in a closed day any more, and its quarantines must not be carried for ever."""
    world = World()
    await held(world)
    world.store.seal(HEARD_LOG)
    async with world.running(NotingApp()) as process:
        answer = await lift(process)

        assert (answer, process.keepers.get(NOTES).state, process.desk.rows()) == (ACCEPTED, (), [])


async def test_what_cannot_be_written_down_as_held_is_not_worked_off():
    """Log page, poison: an entry that nobody would find again counts as not heard."""
    world = World()
    await world.store.append(desk_stream("table", DAY), b"no desk", fence=0)
    await world.retire(1)
    async with world.running(NotingApp(broken=True)):
        await until(lambda: "alarm.table.cannot_store" in world.client.said)

        assert await world.worked_off() == 0


async def test_a_lift_lets_go_of_nothing_that_came_while_it_was_under_way():
    """What was held since the lift began was not heard again, so it stays held."""
    world = World()
    await held(world)
    async with world.running(NotingApp()) as process:
        late = SourceQuarantined(service="table", log=HEARD_LOG, subject=OTHER, sequence=3, reason="late", target=SHOE)

        async def rehear(row: SourceQuarantined) -> bool:
            process.spawn(process.desk.quarantine(late.log, late.subject, late.sequence, late.reason, target=late.target), "late")
            await until(lambda: process.desk.holds(OTHER, SHOE))
            return True

        await process.desk.command(PIT, encode_request("lift", LiftQuarantine(subject=SHOE)), rehear)
        await until(lambda: process.desk.rows() == [late])

        assert process.keepers.get(desk_stream("table", DAY)).state.open == (late,)
