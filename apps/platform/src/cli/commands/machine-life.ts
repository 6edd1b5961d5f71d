import { OwnId } from "@longarm/contract/ids";
import type { Transaction } from "kysely";
import * as z from "zod/mini";
import { listAgents } from "../../modules/play/agents/index.ts";
import type { Life, LifeAnswer, LifeTables } from "../../modules/play/life/index.ts";
import {
  cancelRamClear,
  enrolMachine,
  lifeOf,
  listLife,
  moveMachine,
  orderRamClear,
  retireMachine,
  returnMachine,
} from "../../modules/play/life/index.ts";
import type { PlayTables } from "../../modules/play/tables.ts";
import type { StaffCaller } from "../../modules/staff/sign-in/index.ts";
import type { ActingDeps, Command, CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { argument, DRY_RUN, MACHINE, option, plainText, requiredReason } from "../fields.ts";
import { count, printableLine, sayTable, timeText } from "../output.ts";
import { actorOf, asStaff, carryOut, noMachine } from "../staff.ts";

const REASON = requiredReason("why");
const shortText = (most: number) => (text: string, label: string) => {
  if (text.trim() === text && text !== "" && text.length <= most && printableLine(text) === text) return text;
  throw new UsageProblem(`${label} must be 1 to ${most} plain characters.`);
};
/** `96.5`: percent with at most two decimals. @returns percent times 100. */
const percent = (text: string, label: string): number => {
  const value = /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : 0;
  if (value >= 1 && value <= 20_000) return value;
  throw new UsageProblem(`${label} must be percent such as 96.5.`);
};
const ABOUT_OPTIONS = {
  agent: option("<name>", "the only agent that may bring it", plainText),
  name: option("<name>", "the venue's name for it", shortText(64)),
  group: option("<group>", "the hall or bank where it stands", shortText(100)),
  return: option("<percent>", "theoretical return of its paytable sheet, such as 96.5", percent),
};

const machinesLife = command({
  name: "machines life",
  about: "list every machine that was ever enrolled: expected, in service, retired",
  more: "  longarm machines life",
  async run({ db, say }) {
    const machines = await listLife(db);
    sayTable(say, machines, columnsOf);
    say(`${count(machines.length, "machine")}.`);
    return { machines };
  },
});

const STATES: Readonly<Record<Life["state"], string>> = {
  expected: "expected",
  inService: "in service",
  retired: "retired",
};

function columnsOf({ machineId, name, state, group, agent, isBound, retiredAt }: Life): string[] {
  const since = retiredAt === null ? "" : ` ${timeText(retiredAt)}`;
  return [
    machineId,
    name,
    STATES[state] + since,
    group ?? "",
    agent === null ? "" : `${isBound ? "only " : ""}${agent.name}`,
  ];
}

const machinesEnrol = actCommand({
  name: "machines enrol",
  needs: "machine.configure",
  about: "enrol a machine before its agent brings it",
  more: '  longarm machines enrol nar-13 --agent hall-2 --group "Hall 2" --return 96.5 --reason "new cabinet"',
  arguments: {
    machine: argument("its id, such as nar-13", (text) => {
      if (z.safeParse(OwnId, text).success) return text;
      throw new UsageProblem("A machine's id has 1 to 64 letters, digits or _ . : -");
    }),
  },
  options: { ...ABOUT_OPTIONS, reason: REASON, dryRun: DRY_RUN },
  async run(deps, { machine: machineId, agent, name, group, return: theoreticalReturn, reason, by, dryRun }) {
    const about = { name: name ?? null, group: group ?? null, theoreticalReturn: theoreticalReturn ?? null };
    const agentId = agent === undefined ? null : await agentNamed(deps, agent);
    await change(deps, { by, dryRun }, (trx) =>
      enrolMachine(trx, { machineId, agentId, ...about }, { by: actorOf(by), reason }),
    );
    return said(deps, dryRun, machineId, "is enrolled and comes into service when its agent brings it");
  },
});

const machinesMove = actCommand({
  name: "machines move",
  needs: "machine.configure",
  about: "give a machine another agent, name, group or paytable figure",
  more: [
    '  longarm machines move nar-01 --agent hall-2 --reason "moved to hall 2"',
    "",
    "To another agent it goes only while nothing of it is open. It leaves the old agent's link at once; take it out of that agent's machines too.",
  ].join("\n"),
  arguments: { machine: MACHINE },
  options: { ...ABOUT_OPTIONS, reason: REASON, dryRun: DRY_RUN },
  check: ({ agent, name, group, return: figure }) => {
    if (agent === undefined && name === undefined && group === undefined && figure === undefined)
      throw new UsageProblem("Give what changes: --agent, --name, --group or --return.");
  },
  async run(deps, { machine, agent, name, group, return: theoreticalReturn, reason, by, dryRun }) {
    await known(deps, machine);
    const agentId = agent === undefined ? undefined : await agentNamed(deps, agent);
    await change(deps, { by, dryRun }, (trx) =>
      moveMachine(trx, machine, { agentId, name, group, theoreticalReturn }, { by: actorOf(by), reason }),
    );
    if (!dryRun && agentId !== undefined) await carryOut(deps, { kind: "release", machineId: machine, body: {}, by });
    return said(deps, dryRun, machine, "is changed");
  },
});

const machinesRetire = actCommand({
  name: "machines retire",
  needs: "machine.configure",
  about: "take a machine out of the lobby and off the floor; its history stays",
  more: '  longarm machines retire nar-01 --reason "sold" --yes\n\nlongarm machines return brings it back.',
  arguments: { machine: MACHINE },
  options: { reason: REASON, dryRun: DRY_RUN },
  confirm: ({ machine }) => `${machine} leaves the lobby and the floor.`,
  async run(deps, { machine, reason, by, dryRun }) {
    await known(deps, machine);
    const { caller } = deps.acting;
    if (caller !== null) return await atDesk(deps, caller, "retireMachine", { machine, reason, dryRun });
    await change(deps, { by, dryRun }, (trx) => retireMachine(trx, machine, { by: actorOf(by), reason }));
    if (!dryRun) await carryOut(deps, { kind: "release", machineId: machine, body: {}, by });
    return said(deps, dryRun, machine, "is retired");
  },
});

const machinesReturn = actCommand({
  name: "machines return",
  needs: "machine.configure",
  about: "bring a retired machine back into service",
  more: '  longarm machines return nar-01 --reason "bought back"',
  arguments: { machine: MACHINE },
  options: { reason: REASON, dryRun: DRY_RUN },
  async run(deps, { machine, reason, by, dryRun }) {
    await known(deps, machine);
    await change(deps, { by, dryRun }, (trx) => returnMachine(trx, machine, { by: actorOf(by), reason }));
    return said(deps, dryRun, machine, "is in service again, once its agent brings it");
  },
});

const machinesRamClear = actCommand({
  name: "machines ram-clear",
  needs: "machine.configure",
  about: "order a RAM clear: the machine is closed until it comes back with new meters",
  more: [
    '  longarm machines ram-clear nar-01 --reason "new board" --yes',
    "",
    "What it counted before is kept. When it links again with lower meters, these are where the comparison begins anew. longarm",
    "machines ram-clear-cancel is for a RAM that was not cleared.",
  ].join("\n"),
  arguments: { machine: MACHINE },
  options: { reason: REASON, dryRun: DRY_RUN },
  confirm: ({ machine }) => `What ${machine} counts from now until its RAM is cleared is never compared.`,
  async run(deps, { machine, reason, by, dryRun }) {
    await known(deps, machine);
    const { caller } = deps.acting;
    if (caller !== null) return await atDesk(deps, caller, "orderRamClear", { machine, reason, dryRun });
    await change(deps, { by, dryRun }, (trx) => orderRamClear(trx, machine, { people: [by], reason }));
    if (!dryRun) await carryOut(deps, { kind: "carryOut", machineId: machine, body: {}, by });
    return said(deps, dryRun, machine, "waits for its RAM clear");
  },
});

const machinesRamClearCancel = actCommand({
  name: "machines ram-clear-cancel",
  needs: "machine.configure",
  about: "the RAM was not cleared: the machine continues with its meters",
  more: "  longarm machines ram-clear-cancel nar-01",
  arguments: { machine: MACHINE },
  options: { dryRun: DRY_RUN },
  async run(deps, { machine, by, dryRun }) {
    await known(deps, machine);
    await change(deps, { by, dryRun }, (trx) => cancelRamClear(trx, machine));
    if (!dryRun) await carryOut(deps, { kind: "carryOut", machineId: machine, body: {}, by });
    return said(deps, dryRun, machine, "continues as before");
  },
});

export const machineLife: readonly Command[] = [
  machinesLife,
  machinesEnrol,
  machinesMove,
  machinesRetire,
  machinesReturn,
  machinesRamClear,
  machinesRamClearCancel,
];

const DESK_WORDS = {
  retireMachine: { done: "is retired", would: "retire" },
  orderRamClear: { done: "waits for its RAM clear", would: "order a RAM clear of" },
} as const;

/** What the console may want a second person for. */
async function atDesk(
  deps: ActingDeps,
  caller: StaffCaller,
  name: keyof typeof DESK_WORDS,
  { machine, reason, dryRun }: { readonly machine: string; readonly reason: string; readonly dryRun: boolean },
): Promise<object> {
  const { done, would } = DESK_WORDS[name];
  const outcome = await actAtDesk(deps, caller, name, { params: { id: machine }, fields: { reason }, dryRun });
  return sayOutcome(deps, outcome, { done: () => `${machine} ${done}.`, would: `${would} ${machine}` });
}

async function known({ db }: CommandDeps, machine: string): Promise<void> {
  if (!z.safeParse(OwnId, machine).success || (await lifeOf(db, machine)) === undefined)
    throw new CommandRefused(noMachine(machine));
}

async function agentNamed({ db }: CommandDeps, name: string): Promise<string> {
  const agent = (await listAgents(db.withTables<PlayTables>())).find((one) => one.name === name);
  if (agent === undefined) throw new CommandRefused(printableLine(`There is no agent "${name.slice(0, 64)}".`));
  return agent.id;
}

/** Changes a machine's life as the console does; a dry run is rolled back. @throws CommandRefused. */
async function change(
  deps: CommandDeps,
  { by, dryRun }: { readonly by: string; readonly dryRun: boolean },
  work: (trx: Transaction<LifeTables>) => Promise<LifeAnswer>,
): Promise<void> {
  await asStaff(
    deps,
    by,
    async (transaction) => {
      const answer = await work(transaction.withTables<LifeTables>());
      if (answer.is === "refused") throw new CommandRefused(printableLine(answer.sentence));
    },
    dryRun,
  );
}

function said({ say }: CommandDeps, dryRun: boolean, machine: string, what: string): object {
  say(dryRun ? `${machine}: this would be done. Nothing was changed.` : `${machine} ${what}.`);
  return { machine, ...(dryRun && { dryRun }) };
}
