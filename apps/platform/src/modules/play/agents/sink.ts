import type { Game, MachineEvent } from "@longarm/contract/agent-link";
import type { Handled } from "@longarm/link/answer";
import type { MetersNow } from "../tables.ts";

/** What the agents' links tell the rest of the platform. Every call is about a machine whose link is on this node. */
export interface AgentSink {
  /** Takes one event of the machine's journal, once; answered only when it is stored with all its effects. */
  takeGame(game: Game): Promise<Handled<Record<string, never>>>;
  takeEvent(event: MachineEvent): Promise<Handled<Record<string, never>>>;
  /** A link is up, after `hello` is answered. */
  linked(machineId: string): Promise<void>;
  unlinked(machineId: string): Promise<void>;
  /** Live meters; only the newest counts. */
  metersTold(machineId: string, meters: MetersNow): void;
  /** The machine can be played, cannot, or does not answer its agent. */
  stateTold(machineId: string, told: ToldState): Promise<void>;
}

/** An agent's word on its machine. */
export type ToldState = { readonly isOffline: boolean; readonly lockup: string | null };
