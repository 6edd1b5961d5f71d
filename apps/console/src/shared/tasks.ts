import { LOCKUP_REASONS } from "@longarm/contract/machine";
import type { Notice, Task, TaskKind } from "@longarm/contract/staff-tasks";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { paths } from "./paths.ts";
import type { TextKey } from "./texts.ts";
import type { ConsoleIconName } from "./ui/icons.tsx";

/** The groups in their order, each with its lamp. */
export const GROUPS: readonly (readonly [Task["group"], LampStatus])[] = [
  ["now", "fault"],
  ["hour", "waiting"],
  ["shift", "off"],
];
const GROUP_NAMES = GROUPS.map(([name]) => name);

const onMachine = ({ machine }: Pick<Task, "machine">): string =>
  machine === null ? paths.floor : `${paths.floor}/${machine.id}`;

type Look = {
  readonly icon: ConsoleIconName;
  /** The button of the next step. */
  readonly step: TextKey;
  /** Where it is done. */
  readonly place: (task: Pick<Task, "subject" | "machine">) => string;
};

/** How each kind looks, and where its next step is done. */
const LOOKS = {
  handPay: { icon: "handPay", step: "tasks.step_pay", place: () => paths.money },
  unknownTransfer: { icon: "transfer", step: "tasks.step_evidence", place: () => paths.money },
  discrepancy: { icon: "differ", step: "tasks.step_explain", place: () => paths.money },
  machineLocked: { icon: "door", step: "tasks.step_machine", place: onMachine },
  machineSilent: { icon: "unplug", step: "tasks.step_machine", place: onMachine },
  agentAway: { icon: "unplug", step: "tasks.step_floor", place: () => paths.floor },
  call: { icon: "bell", step: "tasks.step_machine", place: onMachine },
  approval: {
    icon: "approvals",
    step: "tasks.step_decide",
    place: ({ subject }) => `${paths.approvals}/${subject.split(":")[1] ?? ""}`,
  },
  stopReason: { icon: "stop", step: "tasks.step_floor", place: () => paths.floor },
  stopRelease: { icon: "stop", step: "tasks.step_floor", place: () => paths.floor },
  reconciliation: { icon: "differ", step: "tasks.step_look", place: () => paths.money },
  audit: { icon: "audit", step: "tasks.step_look", place: () => paths.audit },
  ledger: { icon: "differ", step: "tasks.step_look", place: () => paths.audit },
  bus: { icon: "unplug", step: "tasks.step_look", place: () => paths.audit },
  clock: { icon: "clock", step: "tasks.step_look", place: () => paths.audit },
  remoteWallet: { icon: "unplug", step: "tasks.step_look", place: () => paths.money },
  paymentProvider: { icon: "unplug", step: "tasks.step_look", place: () => paths.money },
  paymentTrouble: { icon: "differ", step: "tasks.step_look", place: () => paths.cashier },
  delivery: { icon: "unplug", step: "tasks.step_look", place: () => paths.alerts },
  settings: { icon: "settings", step: "tasks.step_look", place: () => paths.settings },
  register: { icon: "unplug", step: "tasks.step_look", place: () => paths.settings },
  care: {
    icon: "shield",
    step: "tasks.step_look",
    place: ({ subject }) => `${paths.care}/${subject.split(":")[1] ?? ""}`,
  },
  dispute: {
    icon: "disputes",
    step: "tasks.step_decide",
    place: ({ subject }) => `${paths.disputes}/${subject.split(":")[1] ?? ""}`,
  },
  disputeLate: {
    icon: "disputes",
    step: "tasks.step_decide",
    place: ({ subject }) => `${paths.disputes}/${subject.split(":")[1] ?? ""}`,
  },
  samePerson: {
    icon: "players",
    step: "tasks.step_decide",
    place: ({ subject }) => `${paths.players}/${subject.split(":")[1] ?? ""}`,
  },
  shiftDifference: { icon: "cashier", step: "tasks.step_look", place: () => paths.money },
  seatStuck: { icon: "players", step: "tasks.step_machine", place: onMachine },
  unclaimedCredits: { icon: "handPay", step: "tasks.step_machine", place: onMachine },
  orphanedMoney: { icon: "differ", step: "tasks.step_look", place: () => paths.money },
  unrecorded: { icon: "audit", step: "tasks.step_look", place: onMachine },
  evidenceDiffers: { icon: "differ", step: "tasks.step_look", place: onMachine },
  eventsLost: { icon: "audit", step: "tasks.step_machine", place: onMachine },
  machineMoved: { icon: "unplug", step: "tasks.step_machine", place: onMachine },
  machineRestored: { icon: "audit", step: "tasks.step_machine", place: onMachine },
} as const satisfies Record<TaskKind, Look>;

export const lookOf = (kind: TaskKind): Look => LOOKS[kind];

/** Where the page about a kind is. */
export const runbookPath = (kind: TaskKind): string => `${paths.runbooks}/${kind}`;

/** The most urgent first: as the platform orders them. */
export function byUrgency(one: Task, other: Task): number {
  const groups = GROUP_NAMES.indexOf(one.group) - GROUP_NAMES.indexOf(other.group);
  return groups || Date.parse(one.target) - Date.parse(other.target) || (other.amount ?? 0) - (one.amount ?? 0);
}

type Spoken = Pick<Task | Notice, "kind" | "machine" | "facts">;

/** "Hand pay · Nar 03": the first line of a task. */
export function titleOf(t: (key: TextKey) => string, { kind, machine }: Pick<Spoken, "kind" | "machine">): string {
  const title = t(`tasks.kind_${kind}`);
  return machine === null ? title : `${title} · ${machine.name}`;
}

/** What more there is to say: the second line of a task. */
export function aboutOf(
  t: (key: TextKey, values?: Readonly<Record<string, string | number>>) => string,
  { kind, facts, player }: Spoken & { readonly player?: Task["player"] },
): string {
  const name = player?.username ?? String(facts["name"] ?? facts["by"] ?? "");
  const values = {
    name,
    count: Number(facts["count"] ?? facts["machines"] ?? facts["dead"] ?? 0),
    number: Number(facts["number"] ?? 0),
    day: String(facts["day"] ?? ""),
  };
  const lockup = LOCKUP_REASONS.find((reason) => reason === facts["lockup"]);
  if (kind === "machineLocked") return t(`tasks.lockup_${lockup ?? "outOfService"}`);
  const text = t(`tasks.about_${kind}`, values);
  return name === "" || text.includes(name) ? text : `${name} · ${text}`;
}
