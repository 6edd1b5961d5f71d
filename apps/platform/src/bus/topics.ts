import type { FinalReason } from "@longarm/contract/envelope";
import type { Candidate, PageEvent } from "@longarm/contract/game-socket";
import type { Meters } from "@longarm/contract/machine";
import type * as z from "zod/mini";

/**
 * What one node tells all others (and itself). A message is a hint that may be lost: whoever needs certainty reads the database,
 * and whoever caches something on the strength of a message reads it again after a while.
 */
export type Topics = {
  /** A machine's status number changed. The holder of its seat is never told 2. */
  "machine.changed": { readonly machineId: string; readonly status: number; readonly holderId?: string };
  /** A player's wallet reads otherwise now. */
  "balance.changed": { readonly playerId: string };
  /** A player's open play session appeared, changed or went. */
  "session.changed": { readonly playerId: string };
  /** A sign-in ended (one token, or all of a player, perhaps but for one). */
  "auth.ended": {
    readonly jti?: string;
    readonly playerId?: string;
    readonly exceptJti?: string | undefined;
    readonly reason: FinalReason;
  };
  /** The idle lock of a sign-in was set or taken away. */
  "auth.lockChanged": { readonly jti: string };
  /** A seat changed: game sockets of an older epoch close, countdowns follow. */
  "seat.changed": {
    readonly machineId: string;
    readonly epoch: number;
    /** Why an older game socket of this seat is closed; absent: it is not. */
    readonly closing?: FinalReason;
    /** The code of `ended` when the play session is over. */
    readonly ended?: string;
  };
  /** The machine's meters, as often as its agent tells them. */
  "machine.meters": { readonly machineId: string; readonly meters: z.output<typeof Meters> };
  /** What has just happened at the machine, in this play session. */
  "machine.event": { readonly machineId: string; readonly playSessionId: string } & PageEvent;
  /** The machine's agent came or went. */
  "agent.linked": { readonly machineId: string; readonly connected: boolean };
  /** A transfer that was unknown is decided. */
  "transfer.decided": {
    readonly machineId: string;
    readonly playerId: string;
    readonly id: string;
    readonly outcome: "done" | "refused";
    readonly amount: number;
  };
  /** An ICE candidate of the agent for one viewer. */
  "rtc.candidate": { readonly machineId: string; readonly viewerId: string } & Candidate;
  /** How many watch a machine. */
  "machine.viewers": { readonly machineId: string; readonly count: number };
  /** Somebody has a lobby open on some node. */
  "lobby.open": { readonly nodeId: string };
};

export type Topic = keyof Topics;
