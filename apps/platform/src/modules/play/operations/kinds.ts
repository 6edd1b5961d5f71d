import { OwnId } from "@longarm/contract/ids";
import { SIMULATED_EVENTS } from "@longarm/contract/machine";
import * as z from "zod/mini";

/** The node with the machine's agent link runs a command. `needsLink`: without a link no node runs it; otherwise any node does. */
type Kind = { readonly body: z.ZodMiniType; readonly needsLink: boolean };

/** Everything staff can ask of a running platform. */
export const KINDS = {
  /** Makes something happen at a machine that is no real one. */
  simulate: { body: z.object({ what: z.enum(SIMULATED_EVENTS) }), needsLink: true },
  /**
   * Resets the machine of a hand pay, this one or the oldest, and pays it where that was not done before. Without its agent the player is paid all
   * the same. `announce`: it was paid a moment ago, and the player is notified.
   */
  confirmHandPay: {
    body: z.object({ handPayId: z.optional(z.string().check(z.maxLength(64))), announce: z.optional(z.boolean()) }),
    needsLink: false,
  },
  /** Carries out what is wanted of the machine, as the database has it: closed, opened, kept for a player. */
  carryOut: { body: z.object({}), needsLink: false },
  /** Ends the play session of the machine, or only this one, and brings its credits home. */
  endSession: { body: z.object({ playSessionId: z.optional(OwnId) }), needsLink: false },
  /** Carries out what the database says of a player: banned, excluded, another balance; `signOut` also ends all sign-ins. */
  player: { body: z.object({ playerId: OwnId, signOut: z.optional(z.boolean()) }), needsLink: false },
  /** Reads the machine's own record of its unknown transfer, which is read again and again anyway. */
  askTransfer: { body: z.object({}), needsLink: false },
  /** A call for an attendant was answered or closed: its player's page shows it. */
  call: { body: z.object({ id: z.int().check(z.gte(1)) }), needsLink: false },
  /** Staff has moved or ended a place in the machine's queue: pages show it, and a free machine calls. */
  queue: { body: z.object({}), needsLink: false },
  /** An agent's key holds no more: its links end. */
  agentKey: { body: z.object({ agentId: OwnId }), needsLink: false },
  /** A machine was moved to another agent or retired: it leaves the link that carries it. */
  release: { body: z.object({}), needsLink: false },
  /** Reads the meters of a free machine and compares them with the books; refused where they cannot be read now. */
  compare: { body: z.object({}), needsLink: false },
} as const satisfies Record<string, Kind>;

export type OperationKind = keyof typeof KINDS;
export type OperationBody<K extends OperationKind> = z.output<(typeof KINDS)[K]["body"]>;

/**
 * The outcome of a command, with a sentence for the staff member. `refused`: nothing was done. `unknown`: it was begun, and it is not known
 * whether it was done. `notAccepted`: it was refused because no platform took it in time.
 */
export type OperationAnswer = {
  readonly is: "done" | "refused" | "unknown";
  readonly sentence: string;
  readonly notAccepted?: true;
  /** Of a hand pay: its machine is reset. */
  readonly reset?: boolean;
};

export const isKind = (kind: string): kind is OperationKind => Object.hasOwn(KINDS, kind);
