import type { Bus } from "./bus/index.ts";
import { inProcessBus, natsBus } from "./bus/index.ts";
import type { PlatformDeps } from "./deps.ts";
import type { PlayersTables } from "./modules/players/accounts/index.ts";
import { openKeys } from "./modules/players/accounts/index.ts";

/** The bus that the configuration asks for. Several platforms may share a NATS server: name and key come from the database. */
export async function openBus({
  config,
  db,
  clock,
  random,
  log,
}: Pick<PlatformDeps, "config" | "db" | "clock" | "random" | "log">): Promise<Bus> {
  if (config.bus === null)
    return inProcessBus({ clock, onError: (error) => log.error({ err: error }, "a bus handler failed") });
  const keys = await openKeys(db.kysely.withTables<PlayersTables>(), random, "bus");
  const current = await keys.current();
  return natsBus({
    servers: config.bus,
    nodeId: config.play.NODE_ID,
    platformId: current.kid,
    key: current.secret,
    clock,
    random,
    log,
  });
}
