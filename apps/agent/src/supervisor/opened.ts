import type { MachineAbout } from "@longarm/contract/about-machine";
import type { AgentMachine } from "@longarm/contract/agent-link";
import type { PressReason } from "@longarm/contract/data-channel";
import type { Journal } from "../journal/journal.ts";
import { JournalProblem } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/records.ts";
import { gameEndIn, MachineReport } from "../journal/records.ts";
import type { AgentPeer } from "../link/agent-peer.ts";
import type { Queue } from "../machine/machine-queue.ts";
import { createMachineQueue } from "../machine/machine-queue.ts";
import type { EventPlace } from "../machine/wire.ts";
import {
  egmEventName,
  egmEventOf,
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
import type { UnderWay } from "../money/under-way.ts";
import type { Clock } from "../ports/clock.ts";
import type { Driver } from "../ports/driver.ts";
import type { Egm, EgmEvent, EgmMeters } from "../ports/egm.ts";
import type { RateLimit } from "../rate-limit.ts";
import type { MachineRecord } from "../recording/machine-record.ts";
import type { Records } from "../recording/records.ts";
import type { Grants } from "../seat/grants.ts";
import type { PressGuard, PressMetrics } from "../seat/press-guard.ts";
import { createPressGuard } from "../seat/press-guard.ts";
import type { Viewers } from "../seat/viewers.ts";
import { createViewers } from "../seat/viewers.ts";
import type { MachinePlan } from "./driver.ts";
import { startLoop } from "./loop.ts";
import type { Scope } from "./scope.ts";

/** Meters go to the platform at most this often, ms. */
const METERS_GAP_MS = 100;
/** The machine's activity signal may be missed, so the machine is read this often anyway, ms. */
const LOOK_MS = 1_000;

/** Video and sound of one opened driver for its viewers. */
export type MakeBroadcast = (machineId: string, driver: Pick<Driver, "glass">) => MachineBroadcast;

/** What every machine of an agent shares. */
export interface MachineDeps {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly steps: Steps;
  /** Limits the agent's own candidates on the link: the platform closes a link that sends too much, which would disconnect every machine. */
  readonly candidates: RateLimit;
  /** Consoles that watch one of the machines. */
  readonly staff: Set<string>;
  readonly makeBroadcast: MakeBroadcast;
  /** Absent: play is not recorded. */
  readonly records?: Records | undefined;
  readonly metrics?: PressMetrics | undefined;
  /** A sentence for the log. */
  readonly problem: (machineId: string, sentence: string, error?: unknown) => void;
}

/** What outlives one opened driver. */
export interface OpenedDeps {
  readonly grants: Grants;
  readonly numbering: Queue;
  readonly underWay: UnderWay;
  /** New events are in the journal. */
  readonly eventsJournalled: () => void;
  /** A call of the machine failed. */
  readonly callFailed: (error: unknown) => void;
  /** A call of the machine was answered. */
  readonly callAnswered: () => void;
}

/** A machine whose driver is open, with everything that the platform and the players reach it through. */
export interface OpenedMachine {
  readonly egm: Egm;
  readonly money: MoneyDesk;
  readonly pressGuard: PressGuard;
  readonly viewers: Viewers;
  readonly broadcast: MachineBroadcast;
  readonly meters: MetersWatch;
  readonly line: Driver["line"];
  hello(): AgentMachine;
  about(): MachineAbout;
  /** The platform has accepted our hello on this link: reports everything to it, and from now on whatever changes. */
  reportTo(platform: AgentPeer): void;
  /** Resolves when the presses and money commands that have arrived so far have ended. */
  idle(): Promise<void>;
}

/** Everything that lives as long as one opened driver, owned by `scope`. Rejects when the machine does not answer. */
export async function openMachine(
  plan: MachinePlan,
  deps: MachineDeps & OpenedDeps,
  scope: Scope,
): Promise<OpenedMachine> {
  const { clock, journal, grants, underWay, candidates, staff } = deps;
  const machineId = plan.id;
  const last = [...journal.machine(machineId).seen].at(-1);
  const driver = await plan.open(last === undefined ? undefined : egmEventOf(last));
  scope.onEnd(() => driver.close());
  const { egm } = driver;
  const problem = (sentence: string): void => deps.problem(machineId, sentence);
  const broadcast = deps.makeBroadcast(machineId, driver);
  scope.onEnd(() => broadcast.close());
  const record = deps.records?.machine(machineId, { grants, broadcast });
  scope.onEnd(async () => record?.end());
  const meters = createMetersWatch({ machineId, egm, clock }, await egm.meters());
  const queue = createMachineQueue();
  const money = new MoneyDesk({ machineId, egm, journal, grants, queue, underWay, clock, steps: deps.steps });
  scope.onEnd(() => money.close());
  // A machine that cannot report the outcome of a transfer yet still opens; every further money command asks again first.
  if (!(await money.recover()))
    problem("An earlier transfer is still open; the machine cannot report its outcome yet.");
  const kept = { wagerObstacle: () => obstacle(journal, machineId), isRecorded: isRecordedBy(record) };
  const picturedAt = (): number | undefined => broadcast.picturedAt();
  const judged = { ...kept, picturedAt, problem, metrics: deps.metrics, witness: record?.press };
  const pressGuard = createPressGuard({ egm, grants, queue, clock, memory: journal.machine(machineId), ...judged });
  const viewers = createViewers({ machineId, broadcast, grants, clock, pressGuard, candidates, staff });
  scope.onEnd(() => viewers.end());

  const failed = (error: unknown): void => {
    if (error instanceof JournalProblem) problem(error.message);
    else deps.callFailed(error);
  };
  const eventsJournalled = (): void => {
    meters.sendAgain();
    deps.eventsJournalled();
  };
  const events = startLoop({
    clock,
    idleMs: LOOK_MS,
    run: () => journalEvents({ ...deps, machineId, egm, problem, eventsJournalled, games: pressGuard, record }),
    failed,
  });
  scope.onEnd(() => events.stop());
  const look = async (): Promise<void> => {
    await meters.look();
    deps.callAnswered();
  };
  const watch = startLoop({ clock, gapMs: METERS_GAP_MS, idleMs: LOOK_MS, run: look, failed });
  scope.onEnd(() => watch.stop());
  scope.onEnd(egm.onActivity(ringing(record, events, watch)));

  return {
    ...{ egm, money, pressGuard, viewers, broadcast, meters, line: driver.line },
    hello: () => wireMachine(egm.description, plan.view, meters.latest(), grants.epoch()),
    about: () => wireAbout(egm, plan.states ?? {}),
    reportTo: (platform) => {
      meters.reportTo(platform);
      watch.ring();
      viewers.reportTo(platform);
    },
    idle: queue.idle,
  };
}

const ringing =
  (record: MachineRecord | undefined, ...loops: readonly { ring(): void }[]): Parameters<Egm["onActivity"]>[0] =>
  (what) => {
    if (what === "gameBegins") record?.gameBegins();
    for (const loop of loops) loop.ring();
  };

const isRecordedBy = (record: MachineRecord | undefined) => (): boolean =>
  record !== undefined && record.problem() === undefined;

function obstacle(journal: Journal, machineId: string): PressReason | undefined {
  if (journal.problem() !== undefined) return "the agent cannot keep records now";
  const full = journal.machine(machineId).waiting.length >= EVENTS_WAITING_MAX;
  return full ? "too many events wait for the platform" : undefined;
}

/** Beyond this many events that the platform has not accepted, the rest wait in the machine's own queue and no wager starts. */
const EVENTS_WAITING_MAX = 20_000;

type EventRecord = Extract<JournalRecord, { t: "event" }>;

type EventDeps = {
  readonly machineId: string;
  readonly egm: Egm;
  readonly journal: Journal;
  readonly grants: Grants;
  /** Event numbers of this machine are assigned and advanced only in this queue. */
  readonly numbering: Queue;
  readonly eventsJournalled: () => void;
  readonly games: Pick<PressGuard, "reported" | "ended">;
  readonly record: Pick<MachineRecord, "event"> | undefined;
  readonly problem: (sentence: string) => void;
};

/**
 * Moves every event of the machine's queue into the journal, then acknowledges it there; so neither a crash of the agent
 * nor one of the machine loses an event, and each is journalled once. Rejects when machine or journal fail; nothing is lost then.
 */
async function journalEvents(deps: EventDeps): Promise<void> {
  const { machineId, egm, journal } = deps;
  const memory = journal.machine(machineId);
  await journal.retry();
  while (memory.waiting.length < EVENTS_WAITING_MAX) {
    const { events, meters } = await egm.nextEvents();
    if (events.length === 0) return;
    const fresh = events.filter((event) => !memory.seen.has(egmEventName(event)));
    if (fresh.some((event) => event.what !== "metersChanged")) {
      const records = await deps.numbering(async () => {
        const records = recordsOf(deps, fresh, meters);
        await journal.append(...records);
        return records;
      });
      for (const record of records) {
        deps.record?.event(record.told);
        const end = gameEndIn(record);
        if (end !== undefined) deps.games.ended(end.game, end.seq);
      }
      deps.eventsJournalled();
    }
    for (const event of fresh) if (event.what === "gameStarted") deps.games.reported(event);
    await egm.ackEvents(events.map((event) => event.seq));
  }
}

function recordsOf(deps: EventDeps, events: readonly EgmEvent[], meters: EgmMeters): EventRecord[] {
  const { machineId, grants, journal } = deps;
  const held = grants.seat();
  const seat = held === undefined ? undefined : { epoch: grants.epoch(), playSessionId: held.playSessionId };
  let seq = journal.machine(machineId).lastSeq;
  const records: EventRecord[] = [];
  for (const event of events) {
    const report = wholeEvent(deps, event, { machineId, seq: seq + 1, seat, meters });
    if (report === undefined) continue;
    seq += 1;
    records.push({ t: "event", m: machineId, seq, egm: egmEventName(event), told: report });
  }
  return records;
}

/** An event that breaks the contract would stop all later ones, so it is sent as a lost event, which staff look into. */
function wholeEvent(deps: EventDeps, event: EgmEvent, place: EventPlace): MachineReport | undefined {
  const report = wireEvent(event, place);
  if (report === undefined || MachineReport.safeParse(report).success) return report;
  deps.problem(`The machine sent a ${event.what} that breaks the contract: ${JSON.stringify(event).slice(0, 500)}`);
  return wireEvent({ seq: event.seq, at: event.at, priority: event.priority, what: "eventsLost", count: 1 }, place);
}

/** Jackpots creep with every wager; the lobby needs them every few seconds, ms. */
const JACKPOTS_GAP_MS = 3_000;

/** Reports to the platform what has changed on a machine; only the latest values. */
interface MetersWatch {
  /** Reads the meters and reports what differs. Rejects when the machine is silent. */
  look(): Promise<void>;
  /** The last snapshot. */
  latest(): EgmMeters;
  /**
   * The platform received meters in an answer or an event. The next look sends them again: credits that return to an earlier value
   * would look unchanged here, and the pages would not learn of them.
   */
  sendAgain(): void;
  /** The next look reports everything to this platform. Until the first call nothing is reported. */
  reportTo(platform: AgentPeer): void;
}

function createMetersWatch(
  { machineId, egm, clock }: { machineId: string; egm: Egm; clock: Clock },
  first: EgmMeters,
): MetersWatch {
  let latest = first;
  let platform: AgentPeer | undefined;
  let reported: { meters?: string; state?: string; jackpots?: string } = {};
  let jackpotsAt = Number.NEGATIVE_INFINITY;

  function reportState(): void {
    const state = { id: machineId, state: wireState(latest), ...lockupOf(latest) };
    const text = JSON.stringify(state);
    if (text === reported.state) return;
    reported.state = text;
    platform?.notify("machine", state);
  }

  function reportMeters(): void {
    const meters = wireMeters(latest);
    const text = JSON.stringify(meters);
    if (text === reported.meters) return;
    reported.meters = text;
    platform?.notify("meters", { machineId, meters });
  }

  function reportJackpots(): void {
    const jackpots: AgentMachine["jackpots"] = wireJackpots(latest.jackpots);
    const text = JSON.stringify(jackpots);
    if (text === reported.jackpots || clock.now() - jackpotsAt < JACKPOTS_GAP_MS) return;
    reported.jackpots = text;
    jackpotsAt = clock.now();
    platform?.notify("jackpots", { machineId, jackpots });
  }

  return {
    look: async () => {
      latest = await egm.meters();
      reportState();
      reportMeters();
      reportJackpots();
    },
    latest: () => latest,
    sendAgain: () => {
      reported = { ...reported };
      delete reported.meters;
    },
    reportTo: (peer) => {
      platform = peer;
      reported = {};
      jackpotsAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function lockupOf({ lockup }: EgmMeters): Partial<Pick<EgmMeters, "lockup">> {
  return lockup === undefined ? {} : { lockup };
}
