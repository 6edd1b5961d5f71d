import type { Permission, RoleName } from "@longarm/contract/staff-rights";
import type { Task, TaskKind } from "@longarm/contract/staff-tasks";
import type { AlarmName } from "../../play/alarms.ts";

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Kinds whose target is a setting of the platform too: the alarm of the log and the task are one. */
export type SetTargets = Readonly<Record<"unknownTransfer" | "agentAway" | "call", number>>;

type KindSpec = {
  readonly group: Task["group"];
  /** When it should be done by, seconds; null: a setting of the platform (`SetTargets`). */
  readonly targetS: number | null;
  /** Whose it is at first. */
  readonly role: RoleName;
  /** Who sees it, and who may take its next step. */
  readonly sees: Permission;
  readonly acts: Permission;
  readonly ends: Task["ends"];
};

/** Every kind of task: how urgent it is, whose it is, and how it ends. */
export const KINDS = {
  handPay: {
    group: "now",
    targetS: 5 * MINUTE_S,
    role: "attendant",
    sees: "handPay.see",
    acts: "handPay.pay",
    ends: "cause",
  },
  unknownTransfer: {
    group: "now",
    targetS: null,
    role: "attendant",
    sees: "transfer.see",
    acts: "transfer.askAgain",
    ends: "cause",
  },
  machineLocked: {
    group: "now",
    targetS: 15 * MINUTE_S,
    role: "attendant",
    sees: "floor.see",
    acts: "machine.operate",
    ends: "cause",
  },
  machineSilent: {
    group: "now",
    targetS: 15 * MINUTE_S,
    role: "technician",
    sees: "floor.see",
    acts: "machine.operate",
    ends: "cause",
  },
  agentAway: {
    group: "now",
    targetS: null,
    role: "technician",
    sees: "agent.see",
    acts: "agent.see",
    ends: "cause",
  },
  call: { group: "now", targetS: null, role: "attendant", sees: "floor.see", acts: "task.take", ends: "cause" },
  seatStuck: {
    group: "now",
    targetS: 15 * MINUTE_S,
    role: "attendant",
    sees: "floor.see",
    acts: "machine.operate",
    ends: "cause",
  },
  unclaimedCredits: {
    group: "now",
    targetS: 15 * MINUTE_S,
    role: "attendant",
    sees: "floor.see",
    acts: "machine.operate",
    ends: "cause",
  },
  ledger: {
    group: "now",
    targetS: 15 * MINUTE_S,
    role: "administrator",
    sees: "audit.see",
    acts: "audit.see",
    ends: "cause",
  },
  audit: {
    group: "now",
    targetS: 15 * MINUTE_S,
    role: "administrator",
    sees: "audit.see",
    acts: "audit.see",
    ends: "person",
  },
  bus: {
    group: "now",
    targetS: 5 * MINUTE_S,
    role: "technician",
    sees: "agent.see",
    acts: "agent.see",
    ends: "cause",
  },
  approval: {
    group: "hour",
    targetS: 15 * MINUTE_S,
    role: "supervisor",
    sees: "floor.see",
    acts: "floor.see",
    ends: "cause",
  },
  discrepancy: {
    group: "hour",
    targetS: 2 * HOUR_S,
    role: "supervisor",
    sees: "discrepancy.see",
    acts: "discrepancy.explain",
    ends: "cause",
  },
  stopRelease: {
    group: "hour",
    targetS: HOUR_S,
    role: "supervisor",
    sees: "floor.see",
    acts: "stop.release",
    ends: "cause",
  },
  reconciliation: {
    group: "hour",
    targetS: 2 * HOUR_S,
    role: "supervisor",
    sees: "discrepancy.see",
    acts: "discrepancy.explain",
    ends: "person",
  },
  orphanedMoney: {
    group: "hour",
    targetS: HOUR_S,
    role: "supervisor",
    sees: "transfer.see",
    acts: "discrepancy.explain",
    ends: "person",
  },
  unrecorded: {
    group: "hour",
    targetS: HOUR_S,
    role: "technician",
    sees: "agent.see",
    acts: "agent.see",
    ends: "cause",
  },
  evidenceDiffers: {
    group: "hour",
    targetS: 2 * HOUR_S,
    role: "supervisor",
    sees: "discrepancy.see",
    acts: "discrepancy.explain",
    ends: "person",
  },
  machineMoved: {
    group: "hour",
    targetS: 30 * MINUTE_S,
    role: "technician",
    sees: "agent.see",
    acts: "agent.see",
    ends: "person",
  },
  machineRestored: {
    group: "hour",
    targetS: 2 * HOUR_S,
    role: "supervisor",
    sees: "discrepancy.see",
    acts: "discrepancy.explain",
    ends: "person",
  },
  eventsLost: {
    group: "hour",
    targetS: 2 * HOUR_S,
    role: "technician",
    sees: "agent.see",
    acts: "agent.see",
    ends: "person",
  },
  clock: {
    group: "hour",
    targetS: HOUR_S,
    role: "technician",
    sees: "agent.see",
    acts: "agent.see",
    ends: "cause",
  },
  delivery: {
    group: "hour",
    targetS: HOUR_S,
    role: "administrator",
    sees: "settings.see",
    acts: "settings.change",
    ends: "cause",
  },
  remoteWallet: {
    group: "hour",
    targetS: HOUR_S,
    role: "administrator",
    sees: "settings.see",
    acts: "settings.change",
    ends: "cause",
  },
  paymentProvider: {
    group: "hour",
    targetS: HOUR_S,
    role: "administrator",
    sees: "settings.see",
    acts: "settings.change",
    ends: "cause",
  },
  paymentTrouble: {
    group: "hour",
    targetS: HOUR_S,
    role: "supervisor",
    sees: "shift.see",
    acts: "player.lock",
    ends: "cause",
  },
  settings: {
    group: "hour",
    targetS: HOUR_S,
    role: "administrator",
    sees: "settings.see",
    acts: "settings.change",
    ends: "cause",
  },
  register: {
    group: "now",
    targetS: 15 * MINUTE_S,
    role: "administrator",
    sees: "settings.see",
    acts: "settings.see",
    ends: "cause",
  },
  care: {
    group: "hour",
    targetS: 30 * MINUTE_S,
    role: "supervisor",
    sees: "care.see",
    acts: "care.act",
    ends: "cause",
  },
  dispute: {
    group: "shift",
    targetS: 24 * HOUR_S,
    role: "supervisor",
    sees: "dispute.see",
    acts: "dispute.decide",
    ends: "cause",
  },
  disputeLate: {
    group: "now",
    targetS: 15 * MINUTE_S,
    role: "supervisor",
    sees: "dispute.see",
    acts: "dispute.decide",
    ends: "cause",
  },
  samePerson: {
    group: "hour",
    targetS: 30 * MINUTE_S,
    role: "supervisor",
    sees: "player.add",
    acts: "player.add",
    ends: "cause",
  },
  shiftDifference: {
    group: "hour",
    targetS: 2 * HOUR_S,
    role: "supervisor",
    sees: "shift.see",
    acts: "shift.see",
    ends: "person",
  },
  stopReason: {
    group: "shift",
    targetS: 8 * HOUR_S,
    role: "supervisor",
    sees: "floor.see",
    acts: "stop.set",
    ends: "cause",
  },
} as const satisfies Record<TaskKind, KindSpec>;

export const specOf = (kind: TaskKind): KindSpec => KINDS[kind];

/** What each alarm of the log becomes. A source with another name does not pass the tests. */
export const ALARM_TASKS = {
  transfer: "unknownTransfer",
  reconciliation: "reconciliation",
  discrepancy: "discrepancy",
  game: "discrepancy",
  handPay: "machineLocked",
  audit: "audit",
  clock: "clock",
  bus: "bus",
  delivery: "delivery",
  wallet: "remoteWallet",
  provider: "paymentProvider",
  settings: "settings",
  register: "register",
  seat: "seatStuck",
  credits: "unclaimedCredits",
  moved: "machineMoved",
  orphan: "orphanedMoney",
  restored: "machineRestored",
  events: "eventsLost",
  recording: "unrecorded",
  evidence: "evidenceDiffers",
} as const satisfies Record<AlarmName, TaskKind>;

/** The role above each; null: none. */
const ABOVE = {
  attendant: "supervisor",
  cashier: "supervisor",
  technician: "supervisor",
  supervisor: "administrator",
  auditor: "administrator",
  administrator: null,
} as const satisfies Record<RoleName, RoleName | null>;

/** What each role may do, as the database has it now. */
export type RolesNow = ReadonlyMap<string, ReadonlySet<string>>;

/** The next role above that may see it; null: there is none. An escalation never widens what somebody may see. */
export function roleAbove(roles: RolesNow, role: RoleName, sees: Permission): RoleName | null {
  for (let above: RoleName | null = ABOVE[role]; above !== null; above = ABOVE[above])
    if (roles.get(above)?.has(sees) === true) return above;
  return null;
}

/** An unassigned task goes to the role above after this share of its target. */
const ESCALATE_SHARE = 0.8;
/** Shortest time between two escalations that a venue can set, seconds. */
const ESCALATE_S_MIN = 5;

export type Times = { readonly targetS: number; readonly escalateS: number; readonly changed: boolean };

/** The times of each kind: the design's, but where the venue set others. */
export function timesOf(
  set: SetTargets,
  own: readonly { readonly kind: string; readonly target_s: number; readonly escalate_s: number }[],
): Readonly<Record<TaskKind, Times>> {
  const changed = new Map(own.map((row) => [row.kind, row]));
  const entries = Object.entries(KINDS).map(([kind, { targetS }]): [string, Times] => {
    const row = changed.get(kind);
    if (row !== undefined) return [kind, { targetS: row.target_s, escalateS: row.escalate_s, changed: true }];
    const target = targetS ?? Math.round((set[kind as keyof SetTargets] ?? 0) / 1_000);
    const escalateS = Math.max(ESCALATE_S_MIN, Math.round(target * ESCALATE_SHARE));
    return [kind, { targetS: target, escalateS, changed: false }];
  });
  return Object.fromEntries(entries) as Record<TaskKind, Times>;
}
