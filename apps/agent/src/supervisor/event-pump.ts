import type { Journal } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/records.ts";
import { Told } from "../journal/records.ts";
import type { Serial } from "../machine/serial.ts";
import type { EventPlace } from "../machine/told.ts";
import { egmEventName, toldEvent } from "../machine/told.ts";
import type { Egm, EgmEvent, EgmMeters } from "../ports/egm.ts";
import type { Grants } from "../seat/grants.ts";

/** Beyond this many events that the platform has not taken, the rest waits in the machine's own queue and no wager starts. */
export const EVENTS_WAITING_MAX = 20_000;

export type EventPumpDeps = {
  readonly machineId: string;
  readonly egm: Egm;
  readonly journal: Journal;
  readonly grants: Grants;
  /** Whoever gives or moves event numbers of this machine does it in this turn. */
  readonly numbering: Serial;
  /** Something new waits for the platform. */
  readonly journalled: () => void;
  readonly problem: (sentence: string) => void;
};

/**
 * Moves every event of the machine's queue into the journal, then acknowledges it there; so an event is lost neither by a crash here
 * nor by one of the machine, and is journalled once. Rejects when machine or journal fail; nothing is lost then.
 */
export async function pumpEvents(deps: EventPumpDeps): Promise<void> {
  const { machineId, egm, journal } = deps;
  const memory = journal.machine(machineId);
  await journal.retry();
  while (memory.waiting.length < EVENTS_WAITING_MAX) {
    const events = await egm.nextEvents();
    if (events.length === 0) return;
    const fresh = events.filter((event) => !memory.seen.has(egmEventName(event)));
    if (fresh.some((event) => event.what !== "metersChanged")) {
      const meters = await egm.meters();
      await deps.numbering(() => journal.append(...recordsOf(deps, fresh, meters)));
      deps.journalled();
    }
    await egm.ackEvents(events.map((event) => event.seq));
  }
}

function recordsOf(deps: EventPumpDeps, events: readonly EgmEvent[], meters: EgmMeters): JournalRecord[] {
  const { machineId, grants, journal } = deps;
  const held = grants.seat();
  const seat = held === undefined ? undefined : { epoch: grants.epoch(), playSessionId: held.playSessionId };
  let seq = journal.machine(machineId).lastSeq;
  const records: JournalRecord[] = [];
  for (const event of events) {
    const told = wholeEvent(deps, event, { machineId, seq: seq + 1, seat, meters });
    if (told === undefined) continue;
    seq += 1;
    records.push({ t: "event", m: machineId, seq, egm: egmEventName(event), told });
  }
  return records;
}

/** An event outside the contract would stop all that follow it, so it goes as a loss that somebody must look at. */
function wholeEvent(deps: EventPumpDeps, event: EgmEvent, place: EventPlace): Told | undefined {
  const told = toldEvent(event, place);
  if (told === undefined || Told.safeParse(told).success) return told;
  deps.problem(`The machine told a ${event.what} outside the contract: ${JSON.stringify(event).slice(0, 500)}`);
  return toldEvent({ seq: event.seq, at: event.at, priority: event.priority, what: "eventsLost", count: 1 }, place);
}
