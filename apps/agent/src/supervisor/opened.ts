import type { MachineAbout } from "@longarm/contract/about-machine";
import type { AgentMachine } from "@longarm/contract/agent-link";
import type { PressReason } from "@longarm/contract/data-channel";
import type { Journal } from "../journal/journal.ts";
import { JournalProblem } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/records.ts";
import { MachineReport } from "../journal/records.ts";
import type { AgentNotify } from "../link/agent-peer.ts";
import type { Queue } from "../machine/machine-queue.ts";
import { createMachineQueue } from "../machine/machine-queue.ts";
import type { EventPlace } from "../machine/wire.ts";
import {
  egmEventName,
  wireAbout,
  wireEvent,
  wireJackpots,
  wireMachine,
  wireMeters,
  wireState,
} from "../machine/wire.ts";
import type { MachineBroadcast } from "../media/broadcast.ts";
import { MoneyDesk } from "../money/desk.ts";
import type { Steps } from "../money/money-steps.ts";
import type { Clock } from "../ports/clock.ts";
import type { Egm, EgmEvent, EgmMeters } from "../ports/egm.ts";
import type { PressGate } from "../press/gate.ts";
import { createPressGate } from "../press/gate.ts";
import type { Viewers } from "../rtc/viewers.ts";
import { createViewers } from "../rtc/viewers.ts";
import type { Grants } from "../seat/grants.ts";
import type { Driver, MachinePlan } from "./driver.ts";
import { startLoop } from "./loop.ts";
import type { Scope } from "./scope.ts";

/** Meters go to the platform at most this often, ms. */
const METERS_GAP_MS = 100;
/** The machine's bell is a hint and may be missed, so it is looked at this often anyway, ms. */
const LOOK_MS = 1_000;

/** Pictures and sound of one opened driver to those who watch. */
export type MakeBroadcast = (machineId: string, driver: Pick<Driver, "glass">) => MachineBroadcast;

/** What every machine of an agent shares. */
export interface MachineDeps {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly steps: Steps;
  readonly notify: AgentNotify;
  readonly makeBroadcast: MakeBroadcast;
  /** Hears once how each press has ended; undefined: the machine was silent. */
  readonly pressed?: ((outcome: string | undefined) => void) | undefined;
  /** A sentence for the log. */
  readonly problem: (machineId: string, sentence: string, error?: unknown) => void;
}

/** What outlives one opened driver. `lost` is told of each failed call of the machine, `answered` of each good one. */
export interface OpenedDeps {
  readonly grants: Grants;
  readonly numbering: Queue;
  readonly journalled: () => void;
  readonly lost: (error: unknown) => void;
  readonly answered: () => void;
}

/** A machine whose driver is open: everything the platform and the players reach it by. */
export interface OpenedMachine {
  readonly egm: Egm;
  readonly money: MoneyDesk;
  readonly gate: PressGate;
  readonly viewers: Viewers;
  readonly broadcast: MachineBroadcast;
  readonly meters: MetersWatch;
  hello(): AgentMachine;
  about(): MachineAbout;
  /** The platform knows nothing of the present any more: tell everything again. */
  tellAll(): void;
  /** Resolves when the presses and money commands asked so far have ended. */
  idle(): Promise<void>;
}

/** Everything that lives as long as one opened driver, owned by `scope`. Rejects when the machine does not answer. */
export async function openMachine(
  plan: MachinePlan,
  deps: MachineDeps & OpenedDeps,
  scope: Scope,
): Promise<OpenedMachine> {
  const { clock, journal, grants, notify } = deps;
  const machineId = plan.id;
  const driver = await plan.open();
  scope.onEnd(() => driver.close());
  const { egm } = driver;
  const problem = (sentence: string): void => deps.problem(machineId, sentence);
  const broadcast = deps.makeBroadcast(machineId, driver);
  scope.onEnd(() => broadcast.close());
  const meters = createMetersWatch({ machineId, egm, clock, notify }, await egm.meters());
  const queue = createMachineQueue();
  const money = new MoneyDesk({ machineId, egm, journal, grants, queue, clock, steps: deps.steps });
  // A machine that cannot say what became of a transfer yet still comes up; every further command asks again first.
  if (!(await money.recover()))
    problem("A transfer of before is still open; the machine cannot say yet what became of it.");
  const wagerObstacle = (): PressReason | undefined => obstacle(journal, machineId);
  const gate = createPressGate({ egm, grants, queue, clock, wagerObstacle, pressed: deps.pressed });
  const viewers = createViewers({ machineId, broadcast, grants, gate, notify });
  scope.onEnd(() => viewers.end());

  const failed = (error: unknown): void => {
    if (error instanceof JournalProblem) problem(error.message);
    else deps.lost(error);
  };
  const eventsJournalled = (): void => {
    meters.sendAgain();
    deps.journalled();
  };
  const events = startLoop({
    clock,
    idleMs: LOOK_MS,
    run: () => pumpEvents({ ...deps, machineId, egm, problem, journalled: eventsJournalled }),
    failed,
  });
  scope.onEnd(() => events.stop());
  const look = async (): Promise<void> => {
    await meters.look();
    deps.answered();
  };
  const watch = startLoop({ clock, gapMs: METERS_GAP_MS, idleMs: LOOK_MS, run: look, failed });
  scope.onEnd(() => watch.stop());
  scope.onEnd(
    egm.onActivity(() => {
      events.ring();
      watch.ring();
    }),
  );

  return {
    egm,
    money,
    gate,
    viewers,
    broadcast,
    meters,
    hello: () => wireMachine(egm.description, plan.view, meters.latest(), grants.epoch()),
    about: () => wireAbout(egm, plan.states ?? {}),
    tellAll: () => {
      meters.forget();
      watch.ring();
      viewers.tellAll();
    },
    idle: queue.idle,
  };
}

function obstacle(journal: Journal, machineId: string): PressReason | undefined {
  if (journal.problem() !== undefined) return "the agent cannot keep records now";
  const full = journal.machine(machineId).waiting.length >= EVENTS_WAITING_MAX;
  return full ? "too many events wait for the platform" : undefined;
}

/** Beyond this many events that the platform has not taken, the rest waits in the machine's own queue and no wager starts. */
const EVENTS_WAITING_MAX = 20_000;

type EventPumpDeps = {
  readonly machineId: string;
  readonly egm: Egm;
  readonly journal: Journal;
  readonly grants: Grants;
  /** Whoever gives or moves event numbers of this machine does it in this turn. */
  readonly numbering: Queue;
  /** Something new waits for the platform. */
  readonly journalled: () => void;
  readonly problem: (sentence: string) => void;
};

/**
 * Moves every event of the machine's queue into the journal, then acknowledges it there; so an event is lost neither by a crash here
 * nor by one of the machine, and is journalled once. Rejects when machine or journal fail; nothing is lost then.
 */
async function pumpEvents(deps: EventPumpDeps): Promise<void> {
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
function wholeEvent(deps: EventPumpDeps, event: EgmEvent, place: EventPlace): MachineReport | undefined {
  const told = wireEvent(event, place);
  if (told === undefined || MachineReport.safeParse(told).success) return told;
  deps.problem(`The machine told a ${event.what} outside the contract: ${JSON.stringify(event).slice(0, 500)}`);
  return wireEvent({ seq: event.seq, at: event.at, priority: event.priority, what: "eventsLost", count: 1 }, place);
}

/** Jackpots creep with every wager; the lobby needs them every few seconds, ms. */
const JACKPOTS_GAP_MS = 3_000;

/** Tells the platform what has changed on a machine, the latest only. */
interface MetersWatch {
  /** Reads the meters and tells what differs. Rejects when the machine is silent. */
  look(): Promise<void>;
  /** The last snapshot. */
  latest(): EgmMeters;
  /**
   * The platform got the meters in an answer or an event. The next look sends them again, or credits that came back to what they were before
   * would look unchanged here and stay unknown to the pages.
   */
  sendAgain(): void;
  /** The other side knows nothing any more: the next look tells everything. */
  forget(): void;
}

function createMetersWatch(
  deps: { machineId: string; egm: Egm; clock: Clock; notify: AgentNotify },
  first: EgmMeters,
): MetersWatch {
  const { machineId, egm, clock, notify } = deps;
  let latest = first;
  let told: { meters?: string; state?: string; jackpots?: string } = {};
  let jackpotsAt = Number.NEGATIVE_INFINITY;

  function tellState(): void {
    const state = { id: machineId, state: wireState(latest), ...lockupOf(latest) };
    const text = JSON.stringify(state);
    if (text === told.state) return;
    told.state = text;
    notify("machine", state);
  }

  function tellMeters(): void {
    const meters = wireMeters(latest);
    const text = JSON.stringify(meters);
    if (text === told.meters) return;
    told.meters = text;
    notify("meters", { machineId, meters });
  }

  function tellJackpots(): void {
    const jackpots: AgentMachine["jackpots"] = wireJackpots(latest.jackpots);
    const text = JSON.stringify(jackpots);
    if (text === told.jackpots || clock.now() - jackpotsAt < JACKPOTS_GAP_MS) return;
    told.jackpots = text;
    jackpotsAt = clock.now();
    notify("jackpots", { machineId, jackpots });
  }

  return {
    look: async () => {
      latest = await egm.meters();
      tellState();
      tellMeters();
      tellJackpots();
    },
    latest: () => latest,
    sendAgain: () => {
      told = { ...told };
      delete told.meters;
    },
    forget: () => {
      told = {};
      jackpotsAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function lockupOf({ lockup }: EgmMeters): Partial<Pick<EgmMeters, "lockup">> {
  return lockup === undefined ? {} : { lockup };
}
