import type { AgentMachine } from "@longarm/contract/agent-link";
import type { SimulatedEvent } from "@longarm/contract/machine";
import type { AgentPeer } from "../link/agent-peer.ts";
import { createSerial } from "../machine/serial.ts";
import type { Grants } from "../seat/grants.ts";
import { createGrants } from "../seat/grants.ts";
import type { MachinePlan } from "./driver.ts";
import { sendEvents, takeFromHello } from "./event-sender.ts";
import type { KeptOpen } from "./keep-open.ts";
import { keepOpen } from "./keep-open.ts";
import { startLoop } from "./loop.ts";
import type { MachineDeps, OpenedMachine } from "./opened.ts";
import { openMachine } from "./opened.ts";

/** One machine kept in its wanted state: open, watched, its events told, whatever fails in between. */
export interface SupervisedMachine {
  readonly id: string;
  readonly grants: Grants;
  /** Undefined while the driver is closed. */
  opened(): OpenedMachine | undefined;
  /** What `hello` tells; undefined until the machine has answered once. */
  hello(): AgentMachine | undefined;
  /** Makes a machine that can pretend do something, and says what will be seen; rejects with a sentence. */
  simulate(what: SimulatedEvent): Promise<string>;
  /** The platform has taken our hello on this link. */
  linkUp(peer: AgentPeer, takenSeq: number): Promise<void>;
  /** Waits until the machine's events are journalled and everything is closed. */
  end(): Promise<void>;
}

/** `firstAnswer` is called once, when the machine has answered for the first time. */
export function superviseMachine(plan: MachinePlan, deps: MachineDeps, firstAnswer: () => void): SupervisedMachine {
  const { clock, journal, notify } = deps;
  const { id } = plan;
  const problem = (sentence: string, error?: unknown): void => deps.problem(id, sentence, error);
  const grants = createGrants({ machineId: id, journal, clock });
  const numbering = createSerial();
  let known: AgentMachine | undefined;
  let peer: AgentPeer | undefined;
  let ending = false;

  const sender = startLoop({
    clock,
    run: async () => {
      if (peer !== undefined) await sendEvents({ machineId: id, journal, stopped: () => ending }, peer);
    },
    failed: (error) => problem("An event was not taken by the platform; it is told again.", error),
  });

  const shared = { ...deps, grants, numbering, journalled: () => sender.ring() };
  const kept: KeptOpen<OpenedMachine> = keepOpen({
    clock,
    problem,
    open: (scope) =>
      openMachine(plan, { ...shared, lost: (e) => kept.failed(e), answered: () => kept.answered() }, scope),
    opened: (machine) => {
      const first = known === undefined;
      known = machine.hello();
      if (first) firstAnswer();
      machine.tellAll();
    },
    closing: (machine) => {
      known = silent(machine.hello());
      if (ending) return;
      notify("machine", { id, state: known.state, lockup: "outOfService" });
      notify("meters", { machineId: id, meters: known.meters });
    },
  });

  return {
    id,
    grants,
    opened: () => kept.value(),
    hello: () => {
      const now = kept.value()?.hello() ?? known;
      return now === undefined ? undefined : { ...now, epoch: grants.epoch() };
    },
    simulate: async (what) => {
      if (plan.simulate === undefined) throw new Error(`The machine "${id}" is no simulated one.`);
      const said = await plan.simulate(what);
      kept.hurry();
      return said;
    },
    linkUp: async (newPeer, takenSeq) => {
      peer = newPeer;
      await numbering(() => takeFromHello(journal, id, takenSeq));
      kept.value()?.tellAll();
      sender.ring();
    },
    end: async () => {
      ending = true;
      await kept.end();
      await sender.stop();
    },
  };
}

/** What is said of a machine whose driver is closed: that it does not answer, and its last meters, by which nobody can play it. */
function silent(machine: AgentMachine): AgentMachine {
  return { ...machine, state: "offline", meters: { ...machine.meters, lockup: "outOfService" } };
}
