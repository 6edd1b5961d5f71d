import type { MachineAbout } from "@longarm/contract/about-machine";
import type { AgentMachine } from "@longarm/contract/agent-link";
import type { Journal } from "../journal/journal.ts";
import { JournalProblem } from "../journal/journal.ts";
import type { AgentNotify } from "../link/agent-peer.ts";
import type { Serial } from "../machine/serial.ts";
import { createTurns } from "../machine/turns.ts";
import { wireAbout, wireMachine } from "../machine/wire.ts";
import type { MachineBroadcast } from "../media/broadcast.ts";
import type { MoneyDesk } from "../money/desk.ts";
import { createMoneyDesk } from "../money/desk.ts";
import type { Steps } from "../money/steps.ts";
import type { Clock } from "../ports/clock.ts";
import type { Egm } from "../ports/egm.ts";
import type { PressGate } from "../press/gate.ts";
import { createPressGate } from "../press/gate.ts";
import type { Viewers } from "../rtc/viewers.ts";
import { createViewers } from "../rtc/viewers.ts";
import type { Grants } from "../seat/grants.ts";
import type { Driver, MachinePlan } from "./driver.ts";
import { EVENTS_WAITING_MAX, pumpEvents } from "./event-pump.ts";
import { startLoop } from "./loop.ts";
import type { MetersWatch } from "./meters-watch.ts";
import { createMetersWatch } from "./meters-watch.ts";
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
  readonly numbering: Serial;
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
  const turns = createTurns();
  const money = createMoneyDesk({ machineId, egm, journal, grants, turns, clock, steps: deps.steps });
  // A machine that cannot say what became of a transfer yet still comes up; every further command asks again first.
  if (!(await money.recover()))
    problem("A transfer of before is still open; the machine cannot say yet what became of it.");
  const wagerObstacle = (): string | undefined => obstacle(journal, machineId);
  const gate = createPressGate({ egm, grants, turns, clock, wagerObstacle, pressed: deps.pressed });
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
    idle: turns.idle,
  };
}

function obstacle(journal: Journal, machineId: string): string | undefined {
  if (journal.problem() !== undefined) return "the agent cannot keep records now";
  const full = journal.machine(machineId).waiting.length >= EVENTS_WAITING_MAX;
  return full ? "too many events wait for the platform" : undefined;
}
