import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type { PlatformDeps } from "../../deps.ts";
import { createNodes } from "../../nodes.ts";
import type { SettingsFile } from "../../plugins/settings-file.ts";
import type { SocketRoutes } from "../../plugins/sockets.ts";
import type { Auth } from "../players/auth/index.ts";
import type { Registers } from "../protection/registers/index.ts";
import type { Ask } from "../remote-wallet/index.ts";
import { openRemoteWallet } from "../remote-wallet/index.ts";
import type { Agents } from "./agents/index.ts";
import { createAgents } from "./agents/index.ts";
import { Alarms } from "./alarms.ts";
import { createCalls } from "./calls.ts";
import { Enforcer } from "./control/index.ts";
import type { PlayDeps } from "./deps.ts";
import { createOperations } from "./operations/index.ts";
import type { Queues } from "./queue/index.ts";
import { createQueues } from "./queue/index.ts";
import { createReconciliation } from "./reconciliation/index.ts";
import { createSeats } from "./seat/index.ts";
import type { PlaySessions } from "./session/index.ts";
import { createPlaySessions } from "./session/index.ts";
import type { PlayTables } from "./tables.ts";
import { transferNumbers } from "./transfer-numbers.ts";
import { Wallet } from "./wallet/index.ts";

/** What the rest of the platform uses of play. */
export interface Play {
  readonly sessions: Pick<
    PlaySessions,
    "openSessionOf" | "machinesFor" | "statuses" | "confirmHandPay" | "endSessionsOf" | "watchers"
  >;
  readonly wallet: Pick<Wallet, "balanceOf" | "lookedAt">;
  readonly queues: Pick<Queues, "of" | "waitingAt" | "seen">;
  readonly agents: Pick<Agents, "still" | "lobbyOpened" | "request" | "candidate" | "agentOf" | "carries">;
  /** Begins recovery and timers; called once the server listens. */
  start(): void;
  /** Stops timers; called after the sockets are closed and before the database is. */
  close(): Promise<void>;
}

/** The server that play adds its routes and sockets to, and the sign-in that guards them. */
export type PlayServer = {
  readonly app: FastifyInstance;
  readonly auth: Auth;
  readonly sockets: SocketRoutes;
  readonly metrics: Registry;
  /** Whether players can see at least one organisation that helps (`helpList` of the settings). */
  readonly settings: Pick<SettingsFile, "helpListed" | "ofFile">;
  /** A player may not play before the national registers have answered: they are questioned again. */
  readonly registers: Pick<Registers, "wanted">;
};

/** `askOperator`: in the place of HTTP to the operator's wallet; proofs alone give one. */
export type MakePlay = (platform: PlatformDeps & { readonly askOperator?: Ask }, server: PlayServer) => Promise<Play>;

/** Puts the rooms of play together, lower rooms first, and recovers what a former life of this node left. */
export const makePlay: MakePlay = async (platform, server) => {
  const nodes = createNodes(platform, platform.config.play.NODE_ID);
  const remoteWallet = openRemoteWallet(platform, () => server.settings.ofFile().currency);
  const deps: PlayDeps = {
    ...platform,
    db: platform.db.kysely.withTables<PlayTables>(),
    pool: platform.db.pool,
    alarms: new Alarms(platform),
    numbers: transferNumbers(server.metrics),
    nodes,
    helpListed: server.settings.helpListed,
    askRegisters: server.registers.wanted,
    ...(remoteWallet && { remoteWallet }),
  };
  const seats = createSeats(deps);
  // Agents report to the play sessions, which are made after them; the first agent comes later still.
  const agents = createAgents(deps, server, () => sessions.sink);
  const wallet = new Wallet(deps, seats, agents);
  const calls = createCalls(deps);
  const sessions = createPlaySessions({ deps, seats, agents, wallet, calls }, server);
  const queues = createQueues({ deps, seats, agents }, server);
  const control = new Enforcer({ deps, seats, agents, sessions });
  const reconciliation = createReconciliation({ deps, seats, agents, wallet });
  const operations = createOperations({
    deps,
    agents,
    sessions,
    control,
    calls,
    queues,
    wallet,
    reconciliation,
    auth: server.auth,
  });

  const rooms = [operations, control, queues, reconciliation, ...(remoteWallet ? [remoteWallet] : [])];

  await nodes.hold();
  await sessions.recover();
  return {
    sessions,
    wallet,
    queues,
    agents,
    start() {
      for (const room of [sessions, ...rooms]) room.start();
    },
    async close() {
      for (const room of [...rooms, agents, sessions]) await room.close();
      nodes.close();
    },
  };
};
