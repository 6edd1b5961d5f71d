import type { Venue } from "@longarm/load/visitor/venue";

/** Somebody at a machine: its player, or one who watches. */
export type Guest = { readonly token: string; readonly machineId: string; readonly role: "player" | "spectator" };

/** What a process of guests is told. */
export type CrowdAsk =
  | { readonly is: "come"; readonly venue: Venue; readonly guests: readonly Guest[] }
  /** From now on every player presses as soon as the last game has ended, or nobody does. */
  | { readonly is: "play"; readonly on: boolean }
  /** What came since this was asked last. */
  | { readonly is: "count" }
  | { readonly is: "go" };

/** What came to the guests of a process. */
export type Came = {
  readonly guests: number;
  readonly pictures: number;
  readonly bytes: number;
  /** Machines whose reels turn now. */
  readonly turning: number;
};

/** What it tells. */
export type CrowdTells =
  | { readonly is: "here" }
  | { readonly is: "told" }
  | ({ readonly is: "came" } & Came)
  | { readonly is: "gone" }
  | { readonly is: "failed"; readonly sentence: string };
