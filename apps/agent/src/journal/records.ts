import type { GameEnded } from "@longarm/contract/agent-link";
import { Game, MachineEvent } from "@longarm/contract/agent-link";
import { PlayRules } from "@longarm/contract/player-protection";
import * as z from "zod/mini";

/** Raised when a record changes its meaning; an older agent then refuses the file instead of misreading it. */
export const JOURNAL_VERSION = 1;

const id = z.string();
const count = z.int().check(z.gte(0));

/** What the agent reports to the platform of a machine, as it goes over the link. */
export const MachineReport = z.union([Game, MachineEvent]);
export type MachineReport = z.infer<typeof MachineReport>;

const Outcome = z.object({
  outcome: z.enum(["done", "refused"]),
  /** What really moved, minor units. */
  amount: count,
  reason: z.optional(z.string()),
  /** With `refused`: the machine has lost its record, and its meter of that direction has moved by so much, minor units. */
  lost: z.optional(count),
});

/** Cumulative meters of transfers, minor units. */
const TransferMeters = z.object({ cashIn: count, cashOut: count });
export type TransferMeters = z.infer<typeof TransferMeters>;

const Seat = z.object({
  playSessionId: z.string(),
  leaseMs: count,
  /** When the grant or its last renewal arrived, ms by the agent's clock. */
  at: z.number(),
  /** What protects the player of this seat. Absent: none came with the grant, or an older agent wrote the line. */
  rules: z.optional(PlayRules),
});

/** Every kind of line in the journal. `m` is the machine's id. */
export const JournalRecord = z.discriminatedUnion("t", [
  z.object({ t: z.literal("journal"), version: z.int() }),
  /** The highest epoch seen; without `seat` it is granted to no play session. */
  z.object({ t: z.literal("seat"), m: id, epoch: count, seat: z.optional(Seat) }),
  /** Written before the command goes to the machine; `amount` null: everything. `before`: the meters then; absent: of an older agent. */
  z.object({
    t: z.literal("intent"),
    m: id,
    id,
    direction: z.enum(["cashIn", "cashOut"]),
    amount: z.nullable(count),
    epoch: count,
    at: z.number(),
    before: z.optional(TransferMeters),
  }),
  z.extend(Outcome, { t: z.literal("outcome"), m: id, id }),
  /** The agent has answered "never seen" of this id: it refuses the id for ever. */
  z.object({ t: z.literal("forgotten"), m: id, id }),
  /** An event for the platform; `egm` names it in the machine's own queue. */
  z.object({ t: z.literal("event"), m: id, seq: count, egm: z.string(), told: MachineReport }),
  /** The platform has stored all events up to `seq`. */
  z.object({ t: z.literal("taken"), m: id, seq: count }),
  /** Only in a rewritten journal: the last event numbers, and which machine events are journalled already. */
  z.object({ t: z.literal("place"), m: id, lastSeq: count, taken: count, seen: z.array(z.string()) }),
]);
export type JournalRecord = z.infer<typeof JournalRecord>;
export type TransferOutcome = z.infer<typeof Outcome>;
export type JournalSeat = z.infer<typeof Seat>;

/** The end of a game that an event of the journal reports; undefined: it reports something else. */
export function gameEndIn({ told: report }: { readonly told: MachineReport }): z.output<typeof GameEnded> | undefined {
  return "phase" in report && report.phase === "ended" ? report : undefined;
}
