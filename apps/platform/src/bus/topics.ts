import { FINAL_REASONS } from "@longarm/contract/envelope";
import { Candidate, PageEvent, Played } from "@longarm/contract/game-socket";
import { OwnId } from "@longarm/contract/ids";
import { Meters } from "@longarm/contract/machine";
import { Minor } from "@longarm/contract/money";
import { Paid } from "@longarm/contract/notification-socket";
import * as z from "zod/mini";

const id = z.string().check(z.minLength(1), z.maxLength(64));
const count = z.int().check(z.gte(0));

/**
 * What one node tells all others (and itself). A message is a hint that may be lost: whoever needs certainty reads the database,
 * and whoever caches something on the strength of a message reads it again after a while (`Bus.onGap`). What comes from another
 * process is parsed by these.
 */
export const topics = {
  /**
   * What protects the player at a machine changed: the rules that hold there, a reality check, a limit. The node with the agent's link renews the grant,
   * and pages read it again. Neither machine nor player: everywhere.
   */
  "protection.changed": z.object({ machineId: z.optional(OwnId), playerId: z.optional(id) }),
  /** A machine's status number changed. The holder of its seat is never told 2. */
  "machine.changed": z.object({ machineId: OwnId, status: z.int(), holderId: z.optional(id) }),
  /** A player's wallet reads otherwise now. */
  "balance.changed": z.object({ playerId: id }),
  /** An attendant has confirmed what a machine did not pay itself; it is in the player's wallet. */
  "player.paid": z.extend(Paid, { playerId: id }),
  /** A player's open play session appeared, changed or went. */
  "session.changed": z.object({ playerId: id }),
  /** A sign-in ended (one token, or all of a player, perhaps but for one). */
  "auth.ended": z.object({
    jti: z.optional(id),
    playerId: z.optional(id),
    exceptJti: z.optional(id),
    reason: z.enum(FINAL_REASONS),
  }),
  /** The idle lock of a sign-in was set or taken away. */
  "auth.lockChanged": z.object({ jti: id }),
  /** A seat changed: game sockets of an older epoch close, countdowns follow. */
  "seat.changed": z.object({
    machineId: OwnId,
    epoch: count,
    /** Why an older game socket of this seat is closed; absent: it is not. */
    closing: z.optional(z.enum(FINAL_REASONS)),
    /** The code of `ended` when the play session is over. */
    ended: z.optional(id),
    /** Why, where the page says more than the code does. */
    why: z.optional(id),
  }),
  /** The machine's meters, as often as its agent tells them. */
  "machine.meters": z.object({ machineId: OwnId, meters: Meters }),
  /** What has just happened at the machine, in this play session. */
  "machine.event": z.extend(PageEvent, { machineId: OwnId, playSessionId: OwnId }),
  /** What the games of this play session came to so far. */
  "session.played": z.extend(Played, { machineId: OwnId, playSessionId: OwnId }),
  /** The machine's agent came or went. */
  "agent.linked": z.object({ machineId: OwnId, connected: z.boolean() }),
  /** An agent's key was taken away or replaced: its open links end. */
  "agent.keyChanged": z.object({ agentId: id }),
  /** A machine is no longer its agent's: its link ends, the agent's other machines go on. */
  "machine.released": z.object({ machineId: OwnId }),
  /** A transfer that was unknown is decided. */
  "transfer.decided": z.object({
    machineId: OwnId,
    playerId: id,
    id,
    outcome: z.enum(["done", "refused"]),
    amount: Minor,
  }),
  /** An ICE candidate of the agent for one viewer. */
  "rtc.candidate": z.extend(Candidate, { machineId: OwnId, viewerId: OwnId }),
  /** How many viewers the machine's agent serves, and what has become of one of them. */
  "machine.viewers": z.object({
    machineId: OwnId,
    count,
    viewerId: OwnId,
    state: z.enum(["connecting", "connected", "closed"]),
  }),
  /** Somebody watches a machine, or no longer does. */
  "watchers.changed": z.object({ machineId: OwnId }),
  /** Somebody has a lobby open on some node. */
  "lobby.open": z.object({ nodeId: OwnId }),
  /** A machine's still was put to some node. */
  "still.taken": z.object({ machineId: OwnId }),
  /** The state of a clip has changed. */
  "clip.changed": z.object({ clipId: OwnId }),
  /** A player's call for an attendant was made, answered or closed. Pages that show it read it again. */
  "call.changed": z.object({ machineId: OwnId, playerId: id }),
  /** Queues changed: of these machines, and what these players see of their places. */
  "queue.changed": z.object({
    machineIds: z.array(OwnId).check(z.maxLength(100)),
    playerIds: z.array(id).check(z.maxLength(101)),
  }),
  /** A version of the venue's settings was saved. */
  "settings.changed": z.object({ number: count }),
  /** A message was written in a chat of these two. Its text never goes over the bus: whoever shows it reads it. */
  "chat.written": z.object({ chatId: OwnId, number: count, playerIds: z.array(id).check(z.length(2)) }),
} as const satisfies Record<string, z.ZodMiniType>;

export type Topic = keyof typeof topics;
export type Topics = { readonly [T in Topic]: Readonly<z.output<(typeof topics)[T]>> };
