import type { Hello } from "@longarm/contract/agent-link";
import type { FrameSocket } from "@longarm/link/socket";
import type { Journal } from "./journal/journal.ts";
import type { AgentPeer } from "./link/agent-peer.ts";
import { agentHandlers, agentListeners } from "./link/handlers.ts";
import type { PlatformLink } from "./link/link.ts";
import { startLink } from "./link/link.ts";
import type { Steps } from "./money/money-steps.ts";
import type { Clock } from "./ports/clock.ts";
import { createRateLimit } from "./rate-limit.ts";
import type { Records } from "./recording/records.ts";
import type { PressMetrics } from "./seat/press-guard.ts";
import type { MachinePlan } from "./supervisor/driver.ts";
import type { SupervisedMachine } from "./supervisor/machine.ts";
import { superviseMachine } from "./supervisor/machine.ts";
import type { MakeBroadcast } from "./supervisor/opened.ts";

/** How long the first hello waits for machines that are slow to open, ms; a machine that opens later renews the hello. */
const FIRST_HELLO_MS = 3_000;
/** How long a stopping agent waits for presses and money commands to end, ms. */
const GRACE_MS = 4_000;
/** Candidates sent in a second over one link, by all machines; dozens of players that join at once need fewer, because their answers carry most. */
const CANDIDATES_PER_SECOND = 400;

export type AgentLog = {
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
};

export type AgentDeps = {
  readonly agentId: string;
  readonly version: string;
  readonly machines: readonly MachinePlan[];
  readonly journal: Journal;
  readonly clock: Clock;
  /** 0 to below 1; spreads reconnects. */
  readonly random: () => number;
  /** Opens one socket to the platform. */
  readonly dial: () => Promise<FrameSocket>;
  readonly putStill: (machineId: string, webp: Uint8Array) => Promise<void>;
  readonly makeBroadcast: MakeBroadcast;
  /** Absent: play is not recorded. */
  readonly records?: Records | undefined;
  readonly steps: Steps;
  readonly metrics?: PressMetrics;
  readonly log: AgentLog;
};

/** `opening`: no hello was sent yet; `away`: the last attempt to reach the platform failed. */
export type AgentState = "opening" | "linked" | "away";

/** A running agent. */
export interface Agent {
  machine(machineId: string): SupervisedMachine | undefined;
  state(): AgentState;
  /** Whether the platform has accepted our hello on the present link. */
  linked(): boolean;
  /** Waits for commands to end, leaves the platform, closes every machine. The journal stays open; its owner closes it. */
  end(): Promise<void>;
}

/** Starts everything at once and keeps it running; whatever fails is tried again. */
export function buildAgent(deps: AgentDeps): Agent {
  const { clock, journal, log, records } = deps;
  let peer: AgentPeer | undefined;
  let link: PlatformLink | undefined;
  let state: AgentState = "opening";
  let ending = false;
  const problem = (machineId: string, sentence: string, error?: unknown): void =>
    log.warn({ machineId, ...(error === undefined ? {} : { why: String(error) }) }, sentence);
  const candidates = createRateLimit(clock, CANDIDATES_PER_SECOND, CANDIDATES_PER_SECOND);
  const shared = { ...deps, candidates, staff: new Set<string>(), problem };
  const machines = new Map(
    deps.machines.map((plan) => [plan.id, superviseMachine(plan, shared, () => firstAnswer(plan.id))]),
  );
  const helloMachines = (): Hello["machines"] => [...machines.values()].flatMap((machine) => machine.hello() ?? []);

  /** A machine answered for the first time: `hello` names it from now on. */
  function firstAnswer(machineId: string): void {
    log.info({ machineId }, "The machine is open.");
    if (link !== undefined) link.renew();
    else if (helloMachines().length === machines.size) connect();
  }

  function connect(): void {
    if (link !== undefined || ending) return;
    const handling = { clock, machine: (id: string) => machines.get(id), journal, putStill: deps.putStill, records };
    link = startLink({
      clock,
      random: deps.random,
      dial: deps.dial,
      hello: () => ({ agent: deps.agentId, version: deps.version, clock: clock.now(), machines: helloMachines() }),
      handlers: agentHandlers(handling),
      listeners: agentListeners(handling),
      up: (newPeer, taken) => {
        [peer, state] = [newPeer, "linked"];
        resume(machines.values(), newPeer, taken, problem);
        records?.linkUp(newPeer);
      },
      down: () => {
        peer = undefined;
      },
      say: (sentence, grave) => (grave ? log.error({}, sentence) : log.info({}, sentence)),
      failed: () => {
        state = "away";
      },
    });
  }

  /** A hello must name a machine, so the first one waits for at least one. */
  const stopWaiting = clock.every(FIRST_HELLO_MS, () => {
    if (helloMachines().length > 0) connect();
    if (link !== undefined) stopWaiting();
  });

  return {
    machine: (machineId) => machines.get(machineId),
    state: () => state,
    linked: () => peer !== undefined && !peer.closed,
    end: async () => {
      ending = true;
      stopWaiting();
      const open = [...machines.values()];
      await withGrace(
        clock,
        open.map((machine) => machine.opened()?.idle()),
      );
      await link?.stop();
      await Promise.all(open.map((machine) => machine.end()));
    },
  };
}

/** Every machine continues after the last event that the platform has. */
function resume(
  machines: Iterable<SupervisedMachine>,
  peer: AgentPeer,
  taken: Readonly<Record<string, number>>,
  problem: (machineId: string, sentence: string, error: unknown) => void,
): void {
  for (const machine of machines) {
    machine.linkUp(peer, taken[machine.id] ?? 0).catch((error: unknown) => {
      // When the journal has no room for it, the link starts over, and this step is repeated.
      problem(machine.id, "The journal could not keep how far the platform has read.", error);
      peer.close(1013, "the journal cannot be written");
    });
  }
}

/** Resolves when the work has ended and its answers are sent, or after the grace period. */
function withGrace(clock: Clock, work: readonly (Promise<void> | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(GRACE_MS, resolve);
    void Promise.allSettled(work).then(() => {
      stop();
      // An answer is sent right after its work ends, before any timer runs.
      clock.after(0, resolve);
    });
  });
}
