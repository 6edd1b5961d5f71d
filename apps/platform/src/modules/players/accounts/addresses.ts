import type { Language } from "@longarm/contract/settings";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Player, PlayersTables } from "./player.ts";
import { findPlayer, findPlayerByName, isKeepable } from "./player.ts";

/** Where mail to a player arrives, and in which language it is written. */
export type ConfirmedAddress = { readonly address: string; readonly language: Language };

/** Two spellings of one mailbox: what providers do beyond that is theirs. */
const addressKey = (address: string): string => address.trim().normalize("NFKC").toLowerCase();

/** The address of a player that was confirmed. */
export async function addressOf(
  db: Kysely<PlayersTables>,
  playerId: string | undefined,
): Promise<ConfirmedAddress | undefined> {
  const own = db.selectFrom("player_address").select(["address", "language"]);
  return await own.where("player_id", "=", playerId ?? "").executeTakeFirst();
}

/** The player of a typed text: the name, or else the confirmed address. It costs the same for each text. */
export async function findPlayerByNameOrAddress(db: Kysely<PlayersTables>, typed: string): Promise<Player | undefined> {
  const byName = await findPlayerByName(db, typed);
  const key = isKeepable(typed) ? addressKey(typed) : "";
  const owner = await db
    .selectFrom("player_address")
    .select("player_id")
    .where("address_key", "=", key)
    .executeTakeFirst();
  const byAddress = await findPlayer(db, owner?.player_id ?? "");
  return byName ?? byAddress;
}

/**
 * Makes an address the player's own, within the caller's transaction. "taken": another player has shown that it is theirs, and nothing changes.
 * @returns the address that was confirmed before
 */
export async function confirmAddress(
  trx: Kysely<PlayersTables>,
  playerId: string,
  { address, language }: ConfirmedAddress,
): Promise<{ readonly before: ConfirmedAddress | undefined } | "taken"> {
  const key = addressKey(address);
  // Two who confirm one address at the same moment come one after the other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`player_address ${key}`}, 0))`.execute(trx);
  const owner = await trx
    .selectFrom("player_address")
    .select("player_id")
    .where("address_key", "=", key)
    .executeTakeFirst();
  if (owner !== undefined && owner.player_id !== playerId) return "taken";
  const before = await addressOf(trx, playerId);
  await trx
    .insertInto("player_address")
    .values({ player_id: playerId, address, address_key: key, language })
    .onConflict((conflict) =>
      conflict
        .column("player_id")
        .doUpdateSet({ address, address_key: key, language, confirmed_at: sql`clock_timestamp()` }),
    )
    .execute();
  await trx.updateTable("player").set({ email: address }).where("id", "=", playerId).execute();
  return { before: before !== undefined && addressKey(before.address) !== key ? before : undefined };
}
