import type { PlayPartDeps } from "../../../play-base/play-deps.ts";
import type { Calls } from "../../staff/calls/index.ts";
import type { Agents } from "../agents/index.ts";
import type { Seats } from "../seat/index.ts";
import type { Wallet } from "../wallet/index.ts";

/** What the files of this module are made of. */
export type PlayParts = {
  readonly deps: PlayPartDeps;
  readonly seats: Seats;
  readonly agents: Agents;
  readonly wallet: Wallet;
  readonly calls: Calls;
};
