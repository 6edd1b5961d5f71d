import type { AgentMachine } from "@longarm/contract/agent-link";
import type { SimulatedEvent } from "@longarm/contract/machine";
import type { Journal } from "../journal/journal.ts";
import type { AgentPeer } from "../link/agent-peer.ts";
import { NOT_TAKEN } from "../link/agent-peer.ts";
import { createQueue } from "../machine/machine-queue.ts";
import { UnderWay } from "../money/under-way.ts";
import type { Clock } from "../ports/clock.ts";
import type { Grants } from "../seat/grants.ts";
import { createGrants } from "../seat/grants.ts";
import type { MachinePlan } from "./driver.ts";
import type { Loop } from "./loop.ts";
import { startLoop } from "./loop.ts";
import type { MachineDeps, OpenedMachine } from "./opened.ts";
import { openMachine } from "./opened.ts";
import type { Scope } from "./scope.ts";
import { createScope } from "./scope.ts";

/** One machine kept in its wanted state: open, watched, its events sent, whatever fails in between. */
export interface SupervisedMachine {
  readonly id: string;
  readonly grants: Grants;
  readonly underWay: UnderWay;
  /** Undefined while the driver is closed. */
  opened(): OpenedMachine | undefined;
  /** Its entry in `hello`; undefined until the machine has answered once. */
  hello(): AgentMachine | undefined;
  /** Makes something happen in a simulated machine. Resolves to a sentence on what will be seen, rejects with one. */
  simulate(what: SimulatedEvent): Promise<string>;
  /** The platform has accepted our hello on this link. */
  linkUp(peer: AgentPeer, takenSeq: number): Promise<void>;
  /** Waits until the machine's events are journalled and everything is closed. */
  end(): Promise<void>;
}

/** `firstAnswer` is called once, when the machine has answered for the first time. */
export function superviseMachine(plan: MachinePlan, deps: MachineDeps, firstAnswer: () => void): SupervisedMachine {
  const { clock, journal } = deps;
  const { id } = plan;
  const problem = (sentence: string, error?: unknown): void => deps.problem(id, sentence, error);
  const grants = createGrants({ machineId: id, journal, clock });
  const numbering = createQueue();
  const underWay = new UnderWay();
  let known: AgentMachine | undefined;
  let peer: AgentPeer | undefined;
  let ending = false;

  const sender = startLoop({
    clock,
    run: async () => {
      if (peer !== undefined) await sendEvents({ machineId: id, journal, stopped: () => ending }, peer);
    },
    failed: (error) => problem("The platform did not accept an event; it is sent again.", error),
  });

  const shared = { ...deps, grants, numbering, underWay, eventsJournalled: () => sender.ring() };
  const kept: KeptOpen<OpenedMachine> = keepOpen({
    clock,
    problem,
    open: (scope) =>
      openMachine(
        plan,
        { ...shared, callFailed: (error) => kept.failed(error), callAnswered: () => kept.answered() },
        scope,
      ),
    opened: (machine) => {
      const first = known === undefined;
      known = machine.hello();
      if (first) firstAnswer();
      if (peer !== undefined) machine.reportTo(peer);
    },
    closing: (machine) => {
      known = silent(machine.hello());
      if (ending) return;
      peer?.notify("machine", { id, state: known.state, lockup: "outOfService" });
      peer?.notify("meters", { machineId: id, meters: known.meters });
    },
  });

  return {
    ...{ id, grants, underWay },
    opened: () => kept.value(),
    hello: () => {
      const now = kept.value()?.hello() ?? known;
      return now === undefined ? undefined : { ...now, epoch: grants.epoch() };
    },
    simulate: async (what) => {
      if (plan.simulate === undefined) throw new Error(`The machine "${id}" is not a simulated one.`);
      const said = await plan.simulate(what);
      kept.hurry();
      return said;
    },
    linkUp: async (newPeer, takenSeq) => {
      peer = newPeer;
      await numbering(() => takeFromHello(journal, id, takenSeq));
      kept.value()?.reportTo(newPeer);
      sender.ring();
    },
    end: async () => {
      ending = true;
      await kept.end();
      await sender.stop();
    },
  };
}

/** The entry of a machine whose driver is closed: offline, with its last meters and a lockup that forbids play. */
function silent(machine: AgentMachine): AgentMachine {
  return { ...machine, state: "offline", meters: { ...machine.meters, lockup: "outOfService" } };
}

/**
 * Sends the platform every journalled event of one machine, in order, each until the platform accepts it. Resolves when none is left or the link is
 * closed; rejects when the platform did not accept the oldest, which is then sent again.
 */
async function sendEvents(
  deps: { machineId: string; journal: Journal; stopped: () => boolean },
  peer: AgentPeer,
): Promise<void> {
  const { machineId, journal } = deps;
  const memory = journal.machine(machineId);
  for (let event = memory.waiting[0]; event !== undefined; event = memory.waiting[0]) {
    if (peer.closed || deps.stopped()) return;
    const { told } = event;
    const answer = "phase" in told ? await peer.request("game", told) : await peer.request("event", told);
    if (answer.is === "unknown" && answer.cause === "closed") return;
    if (answer.is === "unknown") throw new Error(`${NOT_TAKEN} ${event.seq} (${answer.cause})`);
    if (answer.is === "refused") throw new Error(`${NOT_TAKEN} ${event.seq}: ${answer.refusal.reason}`);
    await journal.append({ t: "taken", m: machineId, seq: event.seq });
  }
}

/** The answer to `hello` for a machine: the platform has every event up to `seq`, perhaps more than our journal remembers. */
async function takeFromHello(journal: Journal, machineId: string, seq: number): Promise<void> {
  if (seq > journal.machine(machineId).taken) await journal.append({ t: "taken", m: machineId, seq });
}

/** After this many failed calls in a row the driver is closed and opened again. */
const FAILURES_MAX = 3;
const REOPEN_MS = 500;
const REOPEN_MS_MAX = 15_000;

type KeepOpenOptions<T> = {
  readonly clock: Clock;
  /** Opens, and gives every resource to the scope. A rejection ends the scope; then `open` is called again with back-off. */
  readonly open: (scope: Scope) => Promise<T>;
  readonly opened: (value: T) => void;
  /** Called before the resources are closed. */
  readonly closing: (value: T) => void;
  readonly problem: (sentence: string, error?: unknown) => void;
};

/** Keeps something open until the end: opens it, and closes and opens it again when its calls fail. */
interface KeptOpen<T> {
  value(): T | undefined;
  /** One of its calls failed. */
  failed(error: unknown): void;
  /** One of its calls was answered. */
  answered(): void;
  /** Ends the wait before the next attempt: the cause of the failure is gone. */
  hurry(): void;
  end(): Promise<void>;
}

function keepOpen<T>(options: KeepOpenOptions<T>): KeptOpen<T> {
  const { clock, problem } = options;
  let now: { value: T; scope: Scope } | undefined;
  let failures = 0;
  let wanted = true;

  /** Serialised by its loop: closes what fails, opens what is wanted. */
  async function converge(): Promise<void> {
    if (failures >= FAILURES_MAX) await closeNow();
    if (wanted && now === undefined) await openNow();
  }

  async function closeNow(): Promise<void> {
    const last = now;
    now = undefined;
    if (last === undefined) return;
    options.closing(last.value);
    await last.scope.end();
  }

  async function openNow(): Promise<void> {
    const scope = createScope((error) => problem("A part of the machine did not close well.", error));
    failures = 0;
    try {
      now = { scope, value: await options.open(scope) };
    } catch (error) {
      await scope.end();
      throw error;
    }
    options.opened(now.value);
  }

  const loop: Loop = startLoop({
    clock,
    run: converge,
    retryMs: REOPEN_MS,
    retryMsMax: REOPEN_MS_MAX,
    failed: (error) => problem("The machine could not be opened; it is tried again.", error),
  });

  return {
    value: () => now?.value,
    failed: (error) => {
      failures += 1;
      if (failures < FAILURES_MAX || now === undefined) return;
      if (failures === FAILURES_MAX) problem("The machine does not answer; its driver is opened again.", error);
      loop.ring();
    },
    answered: () => {
      failures = 0;
    },
    hurry: () => loop.hurry(),
    end: async () => {
      wanted = false;
      await loop.stop();
      await closeNow();
    },
  };
}
