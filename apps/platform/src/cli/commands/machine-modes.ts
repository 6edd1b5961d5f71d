import type { Permission } from "@longarm/contract/staff-rights";
import type { Transaction } from "kysely";
import type { ControlTables, MachineMode, ModeChange } from "../../modules/play/control/index.ts";
import { changeMode as changeModeOf, MODE_CHANGES, modeKept } from "../../modules/play/control/index.ts";
import { listMachines } from "../../modules/play/machines.ts";
import type { StaffTables } from "../../modules/staff/accounts/index.ts";
import { closeEmptyStops, noteStop, openStops } from "../../modules/staff/desk/index.ts";
import type { StaffCaller } from "../../modules/staff/sign-in/index.ts";
import type { ActingDeps, Command } from "../command.ts";
import { actCommand, CommandRefused, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { DRY_RUN, flag, MACHINE, optionalArgument, plainText, REASON } from "../fields.ts";
import { count } from "../output.ts";
import { asStaff, carryOut, noMachine } from "../staff.ts";

type Kind = {
  readonly name: string;
  readonly about: string;
  readonly more: string;
  readonly change: ModeChange;
  readonly confirm?: string;
};

const KINDS: readonly Kind[] = [
  {
    name: "machines enable",
    about: "let a machine be played again",
    more: "  longarm machines enable nar-01\n\nEnds disable and drain. An emergency stop ends with: longarm machines resume",
    change: "enable",
  },
  {
    name: "machines disable",
    about: "close a machine to new players and new games; cashing out works",
    more: [
      '  longarm machines disable nar-01 --reason "bill jam"',
      "",
      "A game that runs is finished. The player there may cash out and leave; longarm sessions end makes the player do so.",
    ].join("\n"),
    change: "disable",
  },
  {
    name: "machines drain",
    about: "empty a machine: its game is finished, its credits go to the wallet, no new player sits down",
    more: "  longarm machines drain nar-01\n\nThe machine itself is not switched off. longarm machines enable ends it.",
    change: "drain",
    confirm: "The play session there ends",
  },
];

/** Kinds that can also change all machines at once. */
const FLOOR_KINDS: readonly Kind[] = [
  {
    name: "machines emergency-stop",
    about: "refuse every press at once, lock the machine and return its credits to the wallet",
    more: [
      "  longarm machines emergency-stop --all --yes",
      '  longarm machines emergency-stop nar-01 --reason "smoke"',
      "",
      "The agent ends the player's grant at once and disables the machine; a game that runs ends by itself. All credits",
      "go back to the wallet. It stays closed until: longarm machines resume",
    ].join("\n"),
    change: "emergency-stop",
    confirm: "Every game stops at once and the play sessions end",
  },
  {
    name: "machines resume",
    about: "end an emergency stop",
    more: "  longarm machines resume --all",
    change: "resume",
  },
];

const MODE_NEEDS = {
  enable: "machine.operate",
  disable: "machine.operate",
  drain: "machine.operate",
  "emergency-stop": "stop.set",
  resume: "stop.release",
} as const satisfies Record<ModeChange, Permission>;

type Input = {
  /** Absent: all machines. */
  readonly machine: string | undefined;
  readonly reason: string;
  readonly by: string;
  readonly dryRun: boolean;
};

const question = (confirm: string | undefined) =>
  confirm === undefined
    ? {}
    : { confirm: ({ machine }: Pick<Input, "machine">) => `${confirm} at ${machine ?? "ALL machines"}.` };

/** Commands that take machines out of play and let them be played again. */
export const machineModes: readonly Command[] = [
  ...KINDS.map((kind) =>
    actCommand({
      needs: MODE_NEEDS[kind.change],
      ...{ name: kind.name, about: kind.about, more: kind.more },
      arguments: { machine: MACHINE },
      options: { reason: REASON, dryRun: DRY_RUN },
      ...question(kind.confirm),
      run: (deps, input) => changeModes(deps, kind, input),
    }),
  ),
  ...FLOOR_KINDS.map((kind) =>
    actCommand({
      needs: MODE_NEEDS[kind.change],
      ...{ name: kind.name, about: kind.about, more: kind.more },
      arguments: { machine: optionalArgument(`${MACHINE.about}; or --all`, plainText) },
      options: { all: flag("every machine of the floor"), reason: REASON, dryRun: DRY_RUN },
      check({ machine, all }) {
        if ((machine === undefined) !== all)
          throw new UsageProblem(`Name a machine, or all of them with --all: longarm ${kind.name} --help`);
      },
      ...question(kind.confirm),
      run: (deps, input) => changeModes(deps, kind, input),
    }),
  ),
];

type Outcome = {
  readonly machine: string;
  readonly was: MachineMode;
  readonly mode: MachineMode;
  readonly carriedOut: boolean;
};

/** Machines that are changed at the same time. */
const CONCURRENCY = 16;

async function changeModes(deps: ActingDeps, kind: Kind, input: Input) {
  const { caller } = deps.acting;
  if (kind.change === "resume" && caller !== null) return await requestResume(deps, caller, input);
  const ids = input.machine === undefined ? await allMachines(deps) : [input.machine];
  const platform = { isAway: false };
  const machines: Outcome[] = [];
  const failures: unknown[] = [];
  const queue = [...ids];
  // A machine that is to stop must not wait for another one, and a failure must not keep the others from stopping.
  const work = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      await changeMode(deps, kind, input, id, platform).then(
        (outcome) => outcome && machines.push(outcome),
        (error: unknown) => failures.push(error),
      );
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (!input.dryRun && (kind.change === "emergency-stop" || kind.change === "resume"))
    await noteStops(deps, kind, input, machines);
  if (input.machine === undefined)
    deps.say(`${count(machines.length, "machine")} ${input.dryRun ? "would change" : "changed"}, ${ids.length} there.`);
  if (input.dryRun && failures.length === 0) deps.say("Nothing was changed.");
  const [first] = failures;
  if (failures.length > 1) throw new Error(`${failures.length} machines failed. The first: ${sentenceOf(first)}`);
  if (first !== undefined) throw first;
  return { machines, ...(input.dryRun && { dryRun: true }) };
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Undefined: there was nothing to change. Once one command found no running platform, the others are only saved: each would wait as long in
 * vain.
 */
async function changeMode(
  deps: ActingDeps,
  kind: Kind,
  { machine, reason, by, dryRun }: Input,
  id: string,
  platform: { isAway: boolean },
): Promise<Outcome | undefined> {
  const { was, isNew } = await asStaff(
    deps,
    by,
    (transaction) => change(transaction.withTables<ControlTables>(), kind, id, { by, reason }, machine === undefined),
    dryRun,
  );
  if (!isNew) return undefined;
  const { mode } = MODE_CHANGES[kind.change];
  const outcome = { machine: id, was, mode };
  if (dryRun) deps.say(`Would bring ${id} from ${was} to ${mode}.`);
  else if (mode === "open") deps.say(`${id} is open.`);
  if (dryRun || platform.isAway) return { ...outcome, carriedOut: false };
  const carriedOut = await carryOut(deps, { kind: "carryOut", machineId: id, body: {}, by });
  platform.isAway ||= !carriedOut;
  return { ...outcome, carriedOut };
}

/** A signed-in person asks for the release of each stop that holds, as the console does: a second person signs it. */
async function requestResume(deps: ActingDeps, caller: StaffCaller, { machine, reason, dryRun }: Input) {
  const stops = await openStops(deps.db.withTables<StaffTables>(), machine);
  if (stops.length === 0)
    throw new CommandRefused(
      machine === undefined ? "No emergency stop holds." : `No emergency stop holds ${machine}.`,
    );
  const released: object[] = [];
  for (const stop of stops) {
    const sent = { params: { id: stop }, fields: { reason }, dryRun };
    const outcome = await actAtDesk(deps, caller, "releaseStop", sent);
    released.push(
      sayOutcome(deps, outcome, { done: () => `The stop ${stop} is released.`, would: `release the stop ${stop}` }),
    );
  }
  return { stops: released };
}

async function allMachines({ db }: Pick<ActingDeps, "db">): Promise<string[]> {
  return (await listMachines(db)).map(({ id }) => id);
}

/** Changes it where that goes. With all machines those that cannot change are skipped. */
async function change(
  trx: Transaction<ControlTables>,
  { change: what, name }: Kind,
  id: string,
  by: { readonly by: string; readonly reason: string },
  amongAll: boolean,
): Promise<{ readonly was: MachineMode; readonly isNew: boolean }> {
  const changed = await changeModeOf(trx, id, what, by);
  if (changed.is === "unknown") throw new CommandRefused(noMachine(id));
  if (changed.is === "kept" && !amongAll)
    throw new CommandRefused(
      changed.was === "stopped" && what !== "emergency-stop"
        ? `${id} has an emergency stop, which only longarm machines resume ends.`
        : modeKept(id, what, changed.was).replace(`: ${what} does`, `: longarm ${name} does`),
    );
  return { was: changed.was, isNew: changed.is === "changed" };
}

/** Writes down a stop, or the end of one, so that the console shows who did it. */
async function noteStops(
  deps: ActingDeps,
  kind: Kind,
  { machine, reason, by }: Input,
  machines: readonly Outcome[],
): Promise<void> {
  const person = deps.acting.id;
  if (machines.length === 0) return;
  await asStaff(deps, by, async (transaction) => {
    const trx = transaction.withTables<StaffTables>();
    if (kind.change === "resume") return await closeEmptyStops(trx, person);
    const scope = machine === undefined ? ({ is: "venue" } as const) : ({ is: "machine", machine } as const);
    const stopped = machines.map(({ machine: id, was }) => ({ id, was }));
    await noteStop(trx, deps.random, { scope, by: person, machines: stopped, reason: reason === "" ? null : reason });
  });
}
