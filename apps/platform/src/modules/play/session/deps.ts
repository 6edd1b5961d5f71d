import type { Agents } from "../agents/index.ts";
import type { Calls } from "../calls.ts";
import type { PlayDeps } from "../deps.ts";
import type { Seats } from "../seat/index.ts";
import type { Wallet } from "../wallet/index.ts";

/** What the files of this module are made of. */
export type PlayParts = {
  readonly deps: PlayDeps;
  readonly seats: Seats;
  readonly agents: Agents;
  readonly wallet: Wallet;
  readonly calls: Calls;
};
