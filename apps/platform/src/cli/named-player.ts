import type { Kysely } from "kysely";
import { balancesOf } from "../modules/play/wallet/index.ts";
import type { Player, PlayersTables } from "../modules/players/accounts/index.ts";
import { findPlayerByName } from "../modules/players/accounts/index.ts";
import { CommandRefused } from "./command.ts";

/** The player of a name, however it is spelled. @throws CommandRefused. */
export async function namedPlayer(db: Kysely<unknown>, username: string): Promise<Player> {
  const player = await findPlayerByName(db.withTables<PlayersTables>(), username);
  if (!player) throw new CommandRefused(`There is no player called "${username.slice(0, 64)}".`);
  return player;
}

/** The same with what the player has, and where. @throws CommandRefused. */
export async function namedWallet(db: Kysely<unknown>, username: string) {
  const player = await namedPlayer(db, username);
  const balance = (await balancesOf(db, [player.id])).get(player.id) ?? { balance: 0 };
  return { player, balance };
}
