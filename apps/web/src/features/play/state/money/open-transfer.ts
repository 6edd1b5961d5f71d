/** Which way money moves: to the machine, or back to the wallet. */
export type Direction = "cashIn" | "cashOut";

/** A money command of ours that is not decided yet. */
export type OpenTransfer = {
  /** Made here, and the same for every repeat: the platform moves money for it at most once. */
  readonly id: string;
  readonly machineId: string;
  readonly playSessionId: string;
  readonly direction: Direction;
  /** Minor units; null: everything (cash-out only). */
  readonly amount: number | null;
  /** When it was first asked, ms since 1970. */
  readonly askedAt: number;
};
