import type { Transaction } from "kysely";
import type { ControlTables, MachineMode } from "../../../modules/play/control/index.ts";
import { readWish, wishMode } from "../../../modules/play/control/index.ts";
import { listMachines } from "../../../modules/play/machines.ts";
import { asStaff, haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Given, Option, Place } from "../../command.ts";
import { CommandRefused, DRY_RUN, UsageProblem } from "../../command.ts";
import { count } from "../../output/table.ts";
import { readReason } from "../../reading/reason.ts";

const MACHINE: Place = { name: "machine", about: "its id, such as nar-01" };
const REASON: Option = { type: "string", value: "<text>", about: "why, kept with it; at most 200 characters" };
const ALL: Option = { type: "boolean", about: "every machine of the floor" };

type Kind = {
  readonly words: string;
  readonly about: string;
  readonly more: string;
  readonly mode: MachineMode;
  /** Modes it may come from; others are told why not. */
  readonly from: readonly MachineMode[];
  readonly canBeAll?: true;
  readonly asks?: string;
};

const KINDS: readonly Kind[] = [
  {
    words: "machines enable",
    about: "let a machine be played again",
    more: "  longarm machines enable nar-01\n\nEnds disable and drain. An emergency stop ends with: longarm machines resume",
    mode: "open",
    from: ["draining", "disabled"],
  },
  {
    words: "machines disable",
    about: "close a machine to new players and new games; cashing out works",
    more: [
      '  longarm machines disable nar-01 --reason "bill jam"',
      "",
      "A game that runs is finished. Whoever sits there may cash out and leave; longarm sessions end brings them to it.",
    ].join("\n"),
    mode: "disabled",
    from: ["open", "draining"],
  },
  {
    words: "machines drain",
    about: "empty a machine: its game is finished, its credits go to the wallet, no new player sits down",
    more: "  longarm machines drain nar-01\n\nThe machine itself is not switched off. longarm machines enable ends it.",
    mode: "draining",
    from: ["open", "disabled"],
    asks: "The play session there ends",
  },
  {
    words: "machines emergency-stop",
    about: "refuse every press at once, lock the machine and bring the credits home",
    more: [
      "  longarm machines emergency-stop --all --yes",
      '  longarm machines emergency-stop nar-01 --reason "smoke"',
      "",
      "The agent takes the player's grant away at once and disables the machine; a game that runs ends by itself. All credits",
      "go back to the wallet. It stays closed until: longarm machines resume",
    ].join("\n"),
    mode: "stopped",
    from: ["open", "draining", "disabled"],
    canBeAll: true,
    asks: "Every game stops at once and the play sessions end",
  },
  {
    words: "machines resume",
    about: "end an emergency stop",
    more: "  longarm machines resume --all",
    mode: "open",
    from: ["stopped"],
    canBeAll: true,
  },
];

/** What takes machines out of play and lets them be played again. */
export const machineModes: readonly Command[] = KINDS.map((kind) => ({
  words: kind.words,
  about: kind.about,
  more: kind.more,
  places: [kind.canBeAll ? { ...MACHINE, about: `${MACHINE.about}; or --all`, optional: true } : MACHINE],
  options: { ...(kind.canBeAll && { all: ALL }), reason: REASON, by: BY, "dry-run": DRY_RUN },
  ...(kind.asks !== undefined && {
    asks: (given: Given) => `${kind.asks} at ${given.has("all") ? "ALL machines" : given.get("machine")}.`,
  }),
  prepare: (given) => {
    const machineId = given.get("machine")?.toString();
    if (kind.canBeAll && (machineId === undefined) !== given.has("all"))
      throw new UsageProblem(`Name a machine, or all of them with --all: longarm ${kind.words} --help`);
    const asked = { machineId, reason: readReason(given), by: readBy(given), dryRun: given.has("dry-run") };
    return (deps) => change(deps, kind, asked);
  },
}));

type Asked = {
  readonly machineId: string | undefined;
  readonly reason: string;
  readonly by: string | undefined;
  readonly dryRun: boolean;
};
type Outcome = {
  readonly machine: string;
  readonly was: MachineMode;
  readonly mode: MachineMode;
  readonly carriedOut: boolean;
};

/** Machines that are written down and asked for at once. */
const AT_ONCE = 16;

async function change(deps: CommandDeps, kind: Kind, asked: Asked) {
  const ids = asked.machineId === undefined ? await allMachines(deps) : [asked.machineId];
  const run: Run = { deps, kind, asked, who: whoAsks(deps, asked.by), platform: { isAway: false } };
  const [machines, failures]: [Outcome[], unknown[]] = [[], []];
  const queue = [...ids];
  // What is to stop must not wait for its neighbour, and one that fails must not keep the others from it.
  const work = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      await changeOne(run, id).then(
        (outcome) => outcome && machines.push(outcome),
        (error: unknown) => failures.push(error),
      );
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (asked.machineId === undefined)
    deps.say(`${count(machines.length, "machine")} ${asked.dryRun ? "would change" : "changed"}, ${ids.length} there.`);
  if (asked.dryRun && failures.length === 0) deps.say("Nothing was changed.");
  const [first] = failures;
  if (failures.length > 1) throw new Error(`${failures.length} machines failed. The first: ${sentenceOf(first)}`);
  if (first !== undefined) throw first;
  return { machines, ...(asked.dryRun && { dryRun: true }) };
}

type Run = {
  readonly deps: CommandDeps;
  readonly kind: Kind;
  readonly asked: Asked;
  readonly who: string;
  /** Once nobody took a command the others are only written down: each would wait as long for nobody. */
  readonly platform: { isAway: boolean };
};

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Undefined: there was nothing to change. */
async function changeOne({ deps, kind, asked, who, platform }: Run, id: string): Promise<Outcome | undefined> {
  const { machineId, reason, dryRun } = asked;
  const { was, isNew } = await asStaff(deps, who, async (transaction) => {
    const trx = transaction.withTables<ControlTables>();
    const mode = await modeOf(trx, id);
    const mayChange = mayBecome(kind, mode, id, machineId === undefined);
    if (mayChange && !dryRun) await wishMode(trx, id, kind.mode, { by: who, reason });
    return { was: mode, isNew: mayChange };
  });
  if (!isNew) return undefined;
  const outcome = { machine: id, was, mode: kind.mode };
  if (dryRun) deps.say(`Would bring ${id} from ${was} to ${kind.mode}.`);
  else if (kind.mode === "open") deps.say(`${id} is open.`);
  if (dryRun || platform.isAway) return { ...outcome, carriedOut: false };
  const carriedOut = await haveCarriedOut(deps, { kind: "carryOut", machineId: id, body: {}, by: who });
  platform.isAway ||= !carriedOut;
  return { ...outcome, carriedOut };
}

async function allMachines({ db }: CommandDeps): Promise<string[]> {
  return (await listMachines(db)).map(({ id }) => id);
}

async function modeOf(trx: Transaction<ControlTables>, id: string): Promise<MachineMode> {
  const wish = await readWish(trx, id);
  if (wish === undefined) throw new CommandRefused(`There is no machine "${id.slice(0, 64)}" here.`);
  return wish.mode;
}

/** Whether there is something to change. Of all machines those that have it already are passed over. */
function mayBecome({ words, mode, from }: Kind, was: MachineMode, id: string, amongAll: boolean): boolean {
  if (from.includes(was)) return true;
  if (amongAll) return false;
  if (was === mode) throw new CommandRefused(`${id} is ${mode} already.`);
  throw new CommandRefused(
    was === "stopped"
      ? `${id} has an emergency stop, which only longarm machines resume ends.`
      : `${id} is ${was}: longarm ${words} does not go from there.`,
  );
}
