import type { OtherTotals } from "@longarm/contract/machine";

/** Running sums of one machine, minor units; of its own meters, or of what was booked of it. */
export type RunningSums = {
  readonly wagered: number;
  readonly won: number;
  readonly machinePaid: number;
  readonly cashIn: number;
  readonly cashOut: number;
};
/** The machine's own running meters, as the wire has them. */
export type MachineSums = RunningSums & {
  readonly handPaid: number;
  readonly otherIn: number;
  readonly otherOut: number;
  /** What the two before are made of; absent, as each of it: the machine does not say. */
  readonly other?: OtherTotals | undefined;
};
/** `cancelled`: credits that the machine cancelled and staff paid by hand, which it counts in `otherOut`. */
export type BookedSums = RunningSums & { readonly games: number; readonly cancelled: number };
