import type { DatabasePool } from "@longarm/database/connection";
import type { Ledger } from "@longarm/ledger/ledger";
import type { Bus } from "../../bus/index.ts";
import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import type { Log } from "../../log.ts";
import type { MoneyTrace } from "../../money-trace.ts";
import type { Nodes } from "../../nodes.ts";
import type { Random } from "../../random.ts";
import type { RemoteWallet } from "../remote-wallet/index.ts";
import type { Alarms } from "./alarms.ts";
import type { PlayDb } from "./tables.ts";
import type { TransferNumbers } from "./transfer-numbers.ts";

/** What agents, seats, wallet and play are made of: the platform's parts, with the database typed by `PlayTables`. */
export type PlayDeps = {
  readonly config: Pick<Config, "play" | "turn">;
  readonly db: PlayDb;
  /** The same database, for statements that the server keeps planned. */
  readonly pool: DatabasePool;
  readonly ledger: Ledger;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly steps: MoneyTrace;
  readonly alarms: Alarms;
  /** Absent: players' wallets are those of the ledger. */
  readonly remoteWallet?: RemoteWallet;
  /** Counts transfers; absent in tests. */
  readonly numbers?: TransferNumbers;
  /** Whether players can see at least one organisation that helps. */
  helpListed(): boolean;
  /** Questions the national registers about a player who may not play at a machine without their answer. */
  askRegisters(playerId: string, machineId: string): void;
  /** Which processes of this platform live. */
  readonly nodes: Nodes;
};
