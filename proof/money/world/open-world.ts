import { openLedger } from "@longarm/ledger/ledger";
import { Kysely, PostgresDialect } from "kysely";
import { enrolAgent } from "../../../apps/platform/src/modules/play/agents/index.ts";
import type { PlayTables } from "../../../apps/platform/src/modules/play/tables.ts";
import type { Life } from "./life.ts";
import type { WorldOptions } from "./world.ts";
import { World } from "./world.ts";

/** The last player of a world is poor, so that some cash-ins are more than the wallet holds. */
export const DEPOSIT = 20_000_000;
export const POOR_DEPOSIT = 9_000;
const OPEN_MS_MAX = 60_000;

export const depositOf = (world: World, at: number): number =>
  at === world.visitors.length - 1 ? POOR_DEPOSIT : DEPOSIT;

/** A world whose players have money and whose machines stand ready. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const world = new World(options);
  const { schedule, gate, chance } = world;
  const staff: Life = { dead: false, name: "staff" };
  const db = new Kysely<PlayTables>({ dialect: new PostgresDialect({ pool: gate.poolFor(staff) as never }) });
  const ledger = openLedger(db);

  async function prepare(): Promise<void> {
    for (const box of world.boxes) box.key = (await enrolAgent(db, chance, box.name)).key;
    for (let at = 0; at < world.cabinets.length; at += 1) world.addVisitor(`p_${options.tag}_${at}`);
    for (const [at, { playerId }] of world.visitors.entries()) {
      await gate.read("insert into player (id, username, username_key, password) values ($1, $1, $1, 'none')", [
        playerId,
      ]);
      const amountMinor = depositOf(world, at);
      await ledger.transfer({
        id: `in-${playerId}`,
        kind: "deposit",
        from: "cage",
        to: `player:${playerId}`,
        amountMinor,
      });
    }
    world.startPlatform();
    for (const box of world.boxes) await box.start();
  }

  const ready = (): boolean => world.node.ready && world.boxes.every(({ agent }) => agent?.linked() === true);
  prepare().catch(schedule.fail);
  await schedule.pass(OPEN_MS_MAX, ready);
  if (!ready()) throw new Error(`the world did not open: ${world.log.at(-1)}`);
  return world;
}
