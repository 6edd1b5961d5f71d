import type { EgmMoneyAnswer } from "@longarm/contract/agent-link";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openJournal } from "../journal/journal.ts";
import { createMachineQueue } from "../machine/machine-queue.ts";
import { createGrants } from "../seat/grants.ts";
import { fakeClock, settle } from "../testing/fake-clock.ts";
import type { TransferFault } from "../testing/fake-machine.ts";
import { fakeMachine } from "../testing/fake-machine.ts";
import { memoryFiles } from "../testing/memory-files.ts";
import type { Direction } from "./desk.ts";
import { MoneyDesk } from "./desk.ts";
import type { MoneyStep } from "./money-steps.ts";
import { MONEY_STEPS } from "./money-steps.ts";
import { UnderWay } from "./under-way.ts";

type Move = {
  id: number;
  amount: number;
  direction: Direction;
  fault: TransferFault;
  /** The process dies at this step, when the command gets there. */
  dieAt: MoneyStep | undefined;
  /** Share of unsynced bytes that survives that. */
  share: number;
  diskFull: boolean;
  /** The platform asks what became of it before it goes on. */
  readBack: boolean;
};

const move: fc.Arbitrary<Move> = fc.record({
  id: fc.nat(5),
  amount: fc.constantFrom(100, 100, 100, 250),
  direction: fc.constantFrom<Direction>("cashIn", "cashIn", "cashOut"),
  fault: fc.constantFrom<TransferFault>(undefined, undefined, "unheard", "unanswered"),
  dieAt: fc.option(fc.constantFrom(...MONEY_STEPS), { nil: undefined }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  diskFull: fc.boolean(),
  readBack: fc.boolean(),
});

/** An agent that can be killed at a step and started again beside the same machine. */
async function world() {
  const machine = fakeMachine();
  machine.credit = 10_000;
  machine.appliesRepeats = true;
  const clock = fakeClock();
  let files = memoryFiles();
  let dieAt: MoneyStep | undefined;

  async function build() {
    const journal = await openJournal({ files, folder: "/j" });
    const grants = createGrants({ machineId: "nar-01", journal, clock });
    const steps = (name: MoneyStep): Promise<void> | undefined => {
      if (name !== dieAt) return undefined;
      files.dead = true;
      return new Promise(() => undefined);
    };
    const egm = machine.connect();
    const desk = new MoneyDesk({
      machineId: "nar-01",
      egm,
      journal,
      grants,
      queue: createMachineQueue(),
      underWay: new UnderWay(),
      clock,
      steps,
    });
    return { desk, kill: () => egm.close() };
  }

  let agent = await build();
  return {
    machine,
    agent: () => agent,
    setDisk: (full: boolean) => {
      files.capacity = full ? 0 : Number.POSITIVE_INFINITY;
    },
    dieAt: (step: MoneyStep | undefined) => {
      dieAt = step;
    },
    dead: () => files.dead,
    restart: async (share: number) => {
      await agent.kill();
      files = files.afterPowerCut(share);
      dieAt = undefined;
      agent = await build();
    },
  };
}

type World = Awaited<ReturnType<typeof world>>;

/** The answer, or undefined when the process died first. */
async function order(on: World, { id, amount, direction }: Move): Promise<EgmMoneyAnswer | undefined> {
  let answer: EgmMoneyAnswer | undefined;
  const command = { machineId: "nar-01", epoch: 1, transferId: `tr_0000000${id}`, amount };
  const work = on.agent().desk.order(direction, command);
  void work.then((handled) => {
    if (handled.is === "done") answer = handled.data;
  });
  for (let turn = 0; turn < 20 && answer === undefined && !on.dead(); turn += 1) await settle();
  return on.dead() ? undefined : answer;
}

test("property: an id moves money at most once, and no answer is ever taken back", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), async (moves) => {
      const on = await world();
      const decided = new Map<number, string>();
      const decide = (id: number, outcome: string): void => {
        expect(decided.get(id) ?? outcome).toBe(outcome);
        decided.set(id, outcome);
      };
      for (const step of moves) {
        on.setDisk(step.diskFull);
        on.machine.fault = step.fault;
        on.dieAt(step.dieAt);
        const answer = await order(on, step);
        on.machine.fault = undefined;
        if (answer?.outcome === "done") decide(step.id, `done ${answer.amount}`);
        if (on.dead()) await on.restart(step.share);
        on.setDisk(false);
        if (!step.readBack) continue;
        const back = await on.agent().desk.readBack(`tr_0000000${step.id}`);
        if (back.is === "done" && back.data.record === "done") decide(step.id, `done ${back.data.amount}`);
        if (back.is === "done" && /refused|neverSeen/.test(back.data.record)) decide(step.id, "nothing");
        expect(back).not.toMatchObject({ data: { record: "pending" } });
      }
      for (const times of on.machine.moved.values()) expect(times).toBe(1);
      for (const [id, outcome] of decided) {
        expect(on.machine.moved.has(`tr_0000000${id}`)).toBe(outcome !== "nothing");
      }
    }),
    { numRuns: 150, seed: 20261121 },
  );
});
