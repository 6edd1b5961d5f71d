import type { PlatformDeps } from "./deps.ts";
import { createAgents } from "./modules/play/agents/index.ts";
import { Enforcer } from "./modules/play/control/index.ts";
import { createNodes } from "./modules/play/nodes/index.ts";
import { createReconciliation } from "./modules/play/reconciliation/index.ts";
import { createSeats } from "./modules/play/seat/index.ts";
import type { Play } from "./modules/play/session/index.ts";
import { createPlay } from "./modules/play/session/index.ts";
import { createWallet } from "./modules/play/wallet/index.ts";
import { createCalls } from "./modules/staff/calls/index.ts";
import { createOperations } from "./modules/staff/operations/index.ts";
import { Alarms } from "./play-base/alarms.ts";
import type { PlayPartDeps } from "./play-base/play-deps.ts";
import { transferNumbers } from "./play-base/transfer-numbers.ts";
import type { Base, PlayPart } from "./play-part.ts";
import type { PlayTables } from "./play-tables.ts";

/** What staff may do about play, beside the doors of the platform's base. */
export type StaffDoors = Pick<Play, "confirmHandPay" | "endSessionsOf">;

/** Puts agents, seats, wallet and play together and adds their sockets and routes. */
export async function makePlayPart(platform: PlatformDeps, base: Base): Promise<PlayPart & StaffDoors> {
  const deps: PlayPartDeps = {
    ...platform,
    db: platform.db.kysely.withTables<PlayTables>(),
    pool: platform.db.pool,
    alarms: new Alarms(platform),
    numbers: transferNumbers(base.metrics),
    nodes: createNodes(platform, platform.config.play.NODE_ID),
  };
  const seats = createSeats(deps);
  const agents = createAgents(deps, base, () => play.sink);
  const wallet = createWallet(deps, seats, agents);
  const calls = createCalls(deps);
  const play = createPlay({ deps, seats, agents, wallet, calls }, base);
  const control = new Enforcer({ deps, seats, agents, play });
  const reconciliation = createReconciliation({ deps, seats, agents, wallet });
  const operations = createOperations({ deps, agents, play, control, calls, auth: base.auth });
  await deps.nodes.hold();
  await play.recover();
  return {
    confirmHandPay: (command) => play.confirmHandPay(command),
    endSessionsOf: (playerId, reason) => play.endSessionsOf(playerId, reason),
    balanceOf: (playerId) => wallet.balanceOf(playerId),
    openSessionOf: (playerId) => play.openSessionOf(playerId),
    async machinesFor(playerId) {
      agents.lobbyOpened();
      return await play.machinesFor(playerId);
    },
    statuses: () => play.statuses(),
    still: async (machineId) => (await agents.still(machineId)) ?? null,
    async start() {
      play.start();
      operations.start();
      control.start();
      reconciliation.start();
    },
    async close() {
      await operations.close();
      await control.close();
      await reconciliation.close();
      await agents.close();
      await play.close();
      deps.nodes.close();
    },
  };
}
