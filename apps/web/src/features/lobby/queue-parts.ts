import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import type { Live } from "@longarm/ui/live.ts";
import type { ReactNode } from "react";
import type { MachinesNow } from "./machine-lists.ts";

/** What the lobby draws of queues: loaded apart, where machines have queues. `lamp` and `word` are those of the machine's card. */
export type QueueParts = {
  /** My places, below the jackpots. */
  readonly strip: () => ReactNode;
  /** Above the floor of a brand: these machines. */
  readonly pooled: (brand: string, machines: Live<MachinesNow>) => ReactNode;
  /** The key of an occupied cabinet. */
  readonly cardKey: (machine: LobbyMachine, lamp: LampStatus, word: string) => ReactNode;
  /** On its glass. */
  readonly cardGlass: (machine: LobbyMachine) => ReactNode;
  /** Opens the sheet to wait for it. */
  readonly wait: (machine: LobbyMachine, lamp: LampStatus, word: string) => void;
};
