import type { SessionDetail } from "@longarm/contract/http";
import { SESSION_TRANSFERS_MAX } from "@longarm/contract/http";
import { sql } from "kysely";
import type * as z from "zod/mini";
import type { HistoryDb } from "./listing.ts";
import { machineNames, reading } from "./listing.ts";
import type { StoredSession } from "./sessions.ts";
import { sessions } from "./sessions.ts";
import type { HistoryTables } from "./tables.ts";
import { transactions } from "./transactions.ts";

type Sums = { cashed_in: number; cashed_out: number; wagered: number; won: number };

/** How long after the end of a play session staff may still confirm a hand pay of it for it to be listed with the session. */
const HAND_PAY_DAYS = 7;

/** One play session of a player; undefined: the player has none of this id. */
export async function readSession(
  db: HistoryDb,
  playerId: string,
  id: string,
): Promise<z.input<typeof SessionDetail> | undefined> {
  return await reading(db, async (trx) => {
    const [session] = (
      await sql<StoredSession & Sums>`select ${sessions.columns}, r.cashed_in, r.cashed_out,
          coalesce(g.wagered, 0)::bigint as wagered, coalesce(g.won, 0)::bigint as won
        from play_session r cross join lateral
          (select sum(stake) as wagered, sum(win) as won from game where play_session_id = r.id) g
        where r.id = ${id} and r.player_id = ${playerId}`.execute(trx)
    ).rows;
    if (session === undefined) return undefined;
    // A transfer has the id of the command, or of the hand pay, that moved it; time only keeps the read short.
    const { rows: transfers } = await sql<HistoryTables["wallet_entry"]>`select r.* from wallet_entry r
      where r.player_id = ${playerId} and r.at >= ${session.started_at}
        and r.at < coalesce(${session.ended_at}::timestamptz, now()) + make_interval(days => ${HAND_PAY_DAYS})
        and (exists (select from machine_transfer m where m.id = r.transfer_id and m.play_session_id = ${id})
          or r.transfer_id in (select ledger_id_of('handPay', h.machine_id, h.hand_pay_id) from hand_pay h
            where h.machine_id = ${session.machine_id} and h.play_session_id = ${id}))
      order by r.at, r.entry_number limit ${SESSION_TRANSFERS_MAX + 1}`.execute(trx);
    const nameOf = await machineNames(
      trx,
      [session, ...transfers].map(({ machine_id }) => machine_id),
    );
    return {
      session: sessions.rowOf(session, nameOf),
      wagered: session.wagered,
      won: session.won,
      cashed_in: session.cashed_in,
      cashed_out: session.cashed_out,
      transfers: transfers.slice(0, SESSION_TRANSFERS_MAX).map((stored) => transactions.rowOf(stored, nameOf)),
      ...(transfers.length > SESSION_TRANSFERS_MAX && { transfersAreMore: true }),
    };
  });
}
