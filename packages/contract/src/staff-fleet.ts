import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { Minor, SignedMinor } from "./money.ts";
import type { StaffCall } from "./staff-call.ts";
import { ActDone, actAnswer, actBody, lineOf, listOf, PersonRef, Reason, ShortText, When } from "./staff-call.ts";

/** A key of an agent that holds; the key itself is shown once, when it is made. */
const AgentKey = z.object({
  id: OwnId,
  madeAt: When,
  /** Null: until an act ends it. */
  endsAt: z.nullable(When),
  /** When a link was last opened with it; null: never. */
  lastUsedAt: z.nullable(When),
  /** Why it was made, or why its end was set. */
  reason: z.string(),
});

export const AgentRow = z.object({
  id: OwnId,
  name: z.string(),
  /** Ids of the machines that it brought last. */
  machines: z.array(z.string()),
  /** Of these, those that have a link now. */
  links: z.int(),
  /** Every machine of it has a link. */
  linked: z.boolean(),
  node: z.nullable(z.string()),
  enrolledAt: When,
  revokedAt: z.nullable(When),
  /** When one of its machines last reported. */
  seenAt: z.nullable(When),
  /** When the link that lives now was opened. */
  linkedAt: z.nullable(When),
  /** As it last said when it opened a link. `clockOffMs`: how far its clock was ahead of the platform's, ms. */
  version: z.nullable(z.string()),
  clockOffMs: z.nullable(z.int()),
  /** Those that hold, the newest first. */
  keys: z.array(AgentKey),
});

/**
 * When the keys before a new one end: `now`, and every link opened with them; after so many hours; or `act`, when staff ends them. Until then the
 * agent may use either.
 */
export const OldKey = z.discriminatedUnion("is", [
  z.strictObject({ is: z.literal("now") }),
  z.strictObject({ is: z.literal("hours"), hours: z.int().check(z.gte(1), z.lte(720)) }),
  z.strictObject({ is: z.literal("act") }),
]);

/** A machine's life. `expected`: enrolled, and no agent has brought it yet. `retired`: in no lobby and on no floor; its history stays. */
export const LIFE_STATES = ["expected", "inService", "retired"] as const;
const MachineName = lineOf(64).check(z.regex(/^\S(?:.*\S)?$/u));
/** Of its paytable sheet, percent times 100. */
const TheoreticalReturn = z.int().check(z.gte(1), z.lte(20_000));
export const MachineLife = z.object({
  id: OwnId,
  name: z.string(),
  state: z.enum(LIFE_STATES),
  group: z.nullable(z.string()),
  /** That brings it, or that it is bound to. */
  agent: z.nullable(z.object({ id: OwnId, name: z.string() })),
  /** Only that agent may bring it. */
  isBound: z.boolean(),
  theoreticalReturn: z.nullable(z.int()),
  enrolledAt: When,
  retiredAt: z.nullable(When),
  /** Who changed it last, as the audit log names one, and why. */
  changedBy: z.string(),
  reason: z.string(),
});
export type MachineLife = z.infer<typeof MachineLife>;

/** What a machine counted, minor units; `totals`: running meters by name, null where it does not report them. */
const Shown = z.object({ credit: Minor, gamesPlayed: z.int(), totals: z.nullable(z.record(z.string(), z.unknown())) });
/** A RAM clear: what was counted before and after it, and from when to when nothing was compared. */
const RamClear = z.object({
  id: z.int(),
  /** `waiting`: ordered, and the machine has not come back with new meters. */
  state: z.enum(["waiting", "done", "cancelled"]),
  orderedAt: When,
  people: z.array(PersonRef),
  reason: z.string(),
  before: Shown,
  after: z.nullable(Shown),
  gapFrom: When,
  gapTo: z.nullable(When),
});
/** When the machine's meters were last compared with the books. */
const LastReading = z.object({ number: z.int(), at: When, credit: SignedMinor, gamesPlayed: z.int() });
const configures = { method: "POST", for: "machine.configure" } as const;

/** Null in a dry run: nothing was made. */
const ShownKey = z.nullable(z.string());
const manages = { method: "POST", for: "agent.manage", stepUp: true } as const;

/** Agents with their keys, and the life of machines. */
export const fleetCalls = {
  agents: { method: "GET", path: "agents", answer: listOf(AgentRow), for: "agent.see" },
  enrolAgent: {
    ...manages,
    path: "agents/enrol",
    body: actBody({ name: ShortText, reason: Reason }),
    answer: actAnswer(z.object({ agent: OwnId, key: ShownKey })),
  },
  rotateAgent: {
    ...manages,
    path: "agents/{id}/rotate",
    body: actBody({ old: OldKey, reason: Reason }),
    answer: actAnswer(z.object({ key: ShownKey })),
  },
  /** Ends one of two keys now, with the links that were opened with it. */
  endAgentKey: {
    ...manages,
    path: "agents/{id}/keys/{key}/end",
    body: actBody({ reason: Reason }),
    answer: ActDone,
  },
  /** Ends all keys and links of an agent; its rotation lets it in again. */
  revokeAgent: {
    ...manages,
    path: "agents/{id}/revoke",
    body: actBody({ reason: Reason }),
    answer: ActDone,
  },
  machines: { method: "GET", path: "machines", answer: listOf(MachineLife), for: "floor.see" },
  machineLife: {
    method: "GET",
    path: "machines/{id}/life",
    answer: z.object({ life: MachineLife, ramClears: z.array(RamClear), lastReading: z.nullable(LastReading) }),
    for: "floor.see",
  },
  /** Before its agent brings it. An id is never given to another machine. */
  enrolMachine: {
    ...configures,
    path: "machines/enrol",
    body: actBody({
      machine: OwnId,
      agent: z.nullable(OwnId),
      name: z.nullable(MachineName),
      group: z.nullable(ShortText),
      theoreticalReturn: z.nullable(TheoreticalReturn),
      reason: Reason,
    }),
    answer: ActDone,
  },
  /** To another agent, group or name, or another figure of its paytable sheet; what is absent stays. To another agent only while nothing of it is open. */
  moveMachine: {
    ...configures,
    path: "machines/{id}/move",
    body: actBody({
      agent: z.optional(z.nullable(OwnId)),
      name: z.optional(z.nullable(MachineName)),
      group: z.optional(ShortText),
      theoreticalReturn: z.optional(z.nullable(TheoreticalReturn)),
      reason: Reason,
    }),
    answer: ActDone,
  },
  /**
   * Out of the lobby and off the floor; its history stays. Needs a second person where its meters cannot be read and compared now. One that never
   * came is forgotten.
   */
  retireMachine: {
    ...configures,
    stepUp: true,
    path: "machines/{id}/retire",
    body: actBody({ reason: Reason }),
    answer: ActDone,
  },
  returnMachine: { ...configures, path: "machines/{id}/return", body: actBody({ reason: Reason }), answer: ActDone },
  /** Always with a second person: what was counted since the last reading cannot be compared any more. The machine is closed until it comes back. */
  orderRamClear: {
    ...configures,
    stepUp: true,
    path: "machines/{id}/ram-clear",
    body: actBody({ reason: Reason }),
    answer: ActDone,
  },
  /** The RAM was not cleared. */
  cancelRamClear: {
    ...configures,
    path: "machines/{id}/ram-clear/cancel",
    body: actBody({ reason: Reason }),
    answer: ActDone,
  },
} as const satisfies Record<string, StaffCall>;
