import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import type { SayMessage } from "@longarm/ui/messages.ts";
import type { WalletNow } from "../../shared/play-deps.ts";
import type { Outlooks } from "./outlooks.ts";
import type { Queues } from "./queues.ts";

/** What the views of places are given. */
export type QueueDeps = {
  readonly queues: Queues;
  readonly outlooks: Outlooks;
  readonly wallet: Live<WalletNow>;
  /** False once the platform is not reached. */
  readonly online: Live<boolean>;
  /** The page's own clock, which never goes back. */
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly say: SayMessage;
  /** Addresses of a machine's image, the best first. */
  readonly picturesOf: (machine: { readonly id: string; readonly brand: string }) => readonly string[];
};

/** A machine for which a player may wait. */
export type WaitedFor = Pick<
  LobbyMachine,
  "id" | "name" | "brand" | "waiting" | "watchable" | "status" | "denomination"
>;
