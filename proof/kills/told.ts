import type { Database } from "@longarm/database/connection";
import { sql } from "kysely";
import type { Bot } from "./bot.ts";

type Row = { readonly told_id: string; readonly state: string; readonly amount: number };

/** What players were told of their money, against the books: nobody may be told what is not so. */
export async function toldFaults({ kysely }: Database<unknown>, bots: readonly Bot[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { player, told } of bots) {
    const { rows } = await sql<Row>`
      select told_id, state, amount from machine_transfer where player_id = ${player.id} and told_id is not null`.execute(
      kysely,
    );
    const booked = new Map(rows.map((row) => [row.told_id, row]));
    for (const [id, word] of told) {
      const row = booked.get(id);
      const so = word.is === "done" ? row?.state === "done" && row.amount === word.amount : row?.state !== "done";
      if (!so)
        faults.push(`of ${id} the player was told ${JSON.stringify(word)}, the books say ${JSON.stringify(row)}`);
    }
  }
  return faults;
}
