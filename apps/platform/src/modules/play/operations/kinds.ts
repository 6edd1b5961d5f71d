import { OwnId } from "@longarm/contract/ids";
import { SIMULATED_EVENTS } from "@longarm/contract/machine";
import * as z from "zod/mini";

/** The node holding the agent link runs a command. `withoutLink`: who runs it when there is no link. */
type Kind = { readonly body: z.ZodMiniType; readonly withoutLink: "nobody" | "anybody" };

/** Everything staff can ask of a running platform. */
export const KINDS = {
  /** Makes something happen at a machine that is no real one. */
  simulate: { body: z.object({ what: z.enum(SIMULATED_EVENTS) }), withoutLink: "nobody" },
  /** Pays the hand pay that a machine owes, and resets the machine. Without its agent the player is paid all the same. */
  confirmHandPay: { body: z.object({}), withoutLink: "anybody" },
  /** Carries out what is wanted of the machine, as the database has it: closed, opened, kept for a player. */
  carryOut: { body: z.object({}), withoutLink: "anybody" },
  /** Ends the play session of the machine, or only this one, and brings its credits home. */
  endSession: { body: z.object({ playSessionId: z.optional(OwnId) }), withoutLink: "anybody" },
  /** Carries out what the database says of a player: banned, excluded, another balance; `signOut` also ends all sign-ins. */
  player: { body: z.object({ playerId: OwnId, signOut: z.optional(z.boolean()) }), withoutLink: "anybody" },
  /** A call for an attendant was answered or closed: its player's page shows it. */
  call: { body: z.object({ id: z.int().check(z.gte(1)) }), withoutLink: "anybody" },
  /** An agent's key holds no more: its links end. */
  agentKey: { body: z.object({ agentId: OwnId }), withoutLink: "anybody" },
} as const satisfies Record<string, Kind>;

export type OperationKind = keyof typeof KINDS;
export type OperationBody<K extends OperationKind> = z.output<(typeof KINDS)[K]["body"]>;

/**
 * What became of a command, with a sentence for whoever asked. `refused`: nothing was done. `unknown`: it was begun, and whether it was done
 * nobody can tell. `nobody`: it was refused because no platform took it in time.
 */
export type OperationAnswer = {
  readonly is: "done" | "refused" | "unknown";
  readonly sentence: string;
  readonly nobody?: true;
};

export const isKind = (kind: string): kind is OperationKind => Object.hasOwn(KINDS, kind);
