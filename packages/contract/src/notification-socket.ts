import * as z from "zod/mini";
import { Beat } from "./envelope.ts";
import { WireId } from "./ids.ts";
import { SESSION_STATUSES } from "./lobby-lists.ts";
import type { SocketContract } from "./methods.ts";
import { Minor, PositiveMinor } from "./money.ts";

/** A wallet: `balance` is what can be spent; `onMachine` the credits on a machine; `pending` what is being checked. Minor units. */
export const Balance = z.object({
  balance: Minor,
  onMachine: z.optional(Minor),
  pending: z.optional(Minor),
});
export type Balance = z.infer<typeof Balance>;

export const MachineChanged = z.object({ id: WireId, status: z.number() });

/** Beside the specification's fields; one that cannot be read counts as absent, because the dialog must come all the same. */
const orAbsent = <Field extends z.ZodMiniType>(field: Field) => z.catch(z.optional(field), undefined);

/**
 * The caller's open play session; `status` false closes the dialog. A reader takes any text or number as machine status, and everything else,
 * such as null or no field at all, as "unknown": the player must learn of an open machine whatever its platform calls its state.
 */
export const OpenSession = z.object({
  status: z.boolean(),
  id: WireId,
  name: z._default(z.string(), ""),
  machine_status: z.catch(z.union([z.enum(SESSION_STATUSES), z.string(), z.number()]), "unknown"),
  /** Until when the seat is kept (ISO 8601); absent: nothing ends by itself. */
  until: orAbsent(z.nullable(z.string())),
  /** When the play session began (ISO 8601). */
  started_at: orAbsent(z.nullable(z.string())),
  /** Games of the play session that were reported so far. */
  spin_count: orAbsent(z.nullable(z.int().check(z.gte(0)))),
});
export type OpenSession = z.infer<typeof OpenSession>;

/** A message of Team Chat. `id` distinguishes the messages of one chat; `who`: the id of its sender; `time`: ISO 8601. */
export const ChatMessage = z.object({ id: z.optional(WireId), who: WireId, message: z.string(), time: z.string() });
export type ChatMessage = z.infer<typeof ChatMessage>;

/** A new message in a chat of the player's with this contact, written by either of the two; without them: something may have been missed, read again. */
export const ChatTold = z.partial(z.object({ chatId: WireId, contactId: WireId, message: ChatMessage }));
export type ChatTold = z.infer<typeof ChatTold>;

/** What was paid to the player's wallet past the machine's credit: an attendant has confirmed it. `amount` in minor units. */
export const Paid = z.object({
  id: WireId,
  kind: z.enum(["handPay", "jackpot"]),
  amount: PositiveMinor,
  /** The machine's name. */
  machine: z._default(z.string(), ""),
});
export type Paid = z.infer<typeof Paid>;

/** So many players wait for this machine; `called`: it is kept for one of them. Numbers, never names. */
export const WaitingChanged = z.object({
  id: WireId,
  count: z.int().check(z.gte(0)),
  called: z.optional(z.boolean()),
});
export type WaitingChanged = z.infer<typeof WaitingChanged>;

/** The notification socket (contract.md section 3): `/notifications?token=`. */
export const notificationSocket = {
  client: {
    requests: { init: { input: z.object({ id: WireId }), output: z.object({}), deadlineMs: 10_000 } },
    notifications: {},
  },
  server: {
    requests: {},
    notifications: {
      beat: Beat,
      machine: MachineChanged,
      balance: Balance,
      session: OpenSession,
      chat: ChatTold,
      paid: Paid,
      /** The player's places: a `QueueAnswer`, which the page parses once it has loaded what shows it. */
      queue: z.unknown(),
      waiting: WaitingChanged,
    },
  },
  frameBytesMax: 65_536,
} as const satisfies SocketContract;
