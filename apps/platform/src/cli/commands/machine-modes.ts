import type { Transaction } from "kysely";
import type { ControlTables, MachineMode } from "../../modules/play/control/index.ts";
import { readWish, wishMode } from "../../modules/play/control/index.ts";
import { listMachines } from "../../modules/play/machines.ts";
import type { Command, CommandDeps } from "../command.ts";
import { CommandRefused, command, UsageProblem } from "../command.ts";
import { BY, DRY_RUN, flag, MACHINE, optionalArgument, plainText, REASON } from "../fields.ts";
import { count } from "../output.ts";
import { asStaff, carryOut, noMachine } from "../staff.ts";

type Kind = {
  readonly name: string;
  readonly about: string;
  readonly more: string;
  readonly mode: MachineMode;
  /** The modes that it may change. */
  readonly from: readonly MachineMode[];
  readonly confirm?: string;
};

const KINDS: readonly Kind[] = [
  {
    name: "machines enable",
    about: "let a machine be played again",
    more: "  longarm machines enable nar-01\n\nEnds disable and drain. An emergency stop ends with: longarm machines resume",
    mode: "open",
    from: ["draining", "disabled"],
  },
  {
    name: "machines disable",
    about: "close a machine to new players and new games; cashing out works",
    more: [
      '  longarm machines disable nar-01 --reason "bill jam"',
      "",
      "A game that runs is finished. The player there may cash out and leave; longarm sessions end makes the player do so.",
    ].join("\n"),
    mode: "disabled",
    from: ["open", "draining"],
  },
  {
    name: "machines drain",
    about: "empty a machine: its game is finished, its credits go to the wallet, no new player sits down",
    more: "  longarm machines drain nar-01\n\nThe machine itself is not switched off. longarm machines enable ends it.",
    mode: "draining",
    from: ["open", "disabled"],
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
    mode: "stopped",
    from: ["open", "draining", "disabled"],
    confirm: "Every game stops at once and the play sessions end",
  },
  {
    name: "machines resume",
    about: "end an emergency stop",
    more: "  longarm machines resume --all",
    mode: "open",
    from: ["stopped"],
  },
];

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
    command({
      ...{ name: kind.name, about: kind.about, more: kind.more },
      arguments: { machine: MACHINE },
      options: { reason: REASON, by: BY, dryRun: DRY_RUN },
      ...question(kind.confirm),
      run: (deps, input) => changeModes(deps, kind, input),
    }),
  ),
  ...FLOOR_KINDS.map((kind) =>
    command({
      ...{ name: kind.name, about: kind.about, more: kind.more },
      arguments: { machine: optionalArgument(`${MACHINE.about}; or --all`, plainText) },
      options: { all: flag("every machine of the floor"), reason: REASON, by: BY, dryRun: DRY_RUN },
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

async function changeModes(deps: CommandDeps, kind: Kind, input: Input) {
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
  deps: CommandDeps,
  kind: Kind,
  { machine, reason, by, dryRun }: Input,
  id: string,
  platform: { isAway: boolean },
): Promise<Outcome | undefined> {
  const { was, isNew } = await asStaff(deps, by, async (transaction) => {
    const trx = transaction.withTables<ControlTables>();
    const mode = await modeOf(trx, id);
    const mayChange = mayBecome(kind, mode, id, machine === undefined);
    if (mayChange && !dryRun) await wishMode(trx, id, kind.mode, { by, reason });
    return { was: mode, isNew: mayChange };
  });
  if (!isNew) return undefined;
  const outcome = { machine: id, was, mode: kind.mode };
  if (dryRun) deps.say(`Would bring ${id} from ${was} to ${kind.mode}.`);
  else if (kind.mode === "open") deps.say(`${id} is open.`);
  if (dryRun || platform.isAway) return { ...outcome, carriedOut: false };
  const carriedOut = await carryOut(deps, { kind: "carryOut", machineId: id, body: {}, by });
  platform.isAway ||= !carriedOut;
  return { ...outcome, carriedOut };
}

async function allMachines({ db }: CommandDeps): Promise<string[]> {
  return (await listMachines(db)).map(({ id }) => id);
}

async function modeOf(trx: Transaction<ControlTables>, id: string): Promise<MachineMode> {
  const wish = await readWish(trx, id);
  if (wish === undefined) throw new CommandRefused(noMachine(id));
  return wish.mode;
}

/** Whether there is something to change. With all machines those that cannot change are skipped. */
function mayBecome({ name, mode, from }: Kind, was: MachineMode, id: string, amongAll: boolean): boolean {
  if (from.includes(was)) return true;
  if (amongAll) return false;
  if (was === mode) throw new CommandRefused(`${id} is ${mode} already.`);
  throw new CommandRefused(
    was === "stopped"
      ? `${id} has an emergency stop, which only longarm machines resume ends.`
      : `${id} is ${was}: longarm ${name} does not go from there.`,
  );
}
