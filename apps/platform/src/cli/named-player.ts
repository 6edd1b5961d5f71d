import { openLedger } from "@longarm/ledger/ledger";
import type { Kysely } from "kysely";
import type { Player, PlayersTables } from "../modules/players/index.ts";
import { findPlayerByName } from "../modules/players/index.ts";
import { balanceOf } from "../modules/wallet/index.ts";
import type { PlayTables } from "../play-tables.ts";
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
  return { player, balance: await balanceOf({ db: db.withTables<PlayTables>(), ledger: openLedger(db) }, player.id) };
}
