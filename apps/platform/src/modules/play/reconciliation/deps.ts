import type { Agents } from "../agents/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { Seats } from "../seat/index.ts";
import type { Wallet } from "../wallet/index.ts";

/** What the files of this module are made of. */
export type ReconcileParts = {
  readonly deps: PlayDeps;
  readonly seats: Seats;
  readonly agents: Pick<Agents, "request" | "machineIds">;
  readonly wallet: Wallet;
};
