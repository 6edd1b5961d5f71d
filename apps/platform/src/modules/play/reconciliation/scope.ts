import type { RawBuilder } from "kysely";
import { sql } from "kysely";

/**
 * What is proved: all there is, a period (`from` is in it, `to` is not; either may be open), or one play session. Times are the
 * database's.
 */
export type Scope =
  | { readonly is: "all" }
  | { readonly is: "period"; readonly from: Date | null; readonly to: Date | null }
  | { readonly is: "session"; readonly id: string };

/** `column` lies in the period. */
export function inPeriod(scope: Scope, column: string): RawBuilder<boolean> {
  if (scope.is !== "period") return sql`true`;
  const at = sql.raw(column);
  const from = scope.from === null ? sql`true` : sql`${at} >= ${scope.from}`;
  const to = scope.to === null ? sql`true` : sql`${at} < ${scope.to}`;
  return sql`(${from} and ${to})`;
}

/** The row is of the session that is proved; `column` names its play session. */
export function ofSession(scope: Scope, column: string): RawBuilder<boolean> {
  return scope.is === "session" ? sql`${sql.raw(column)} = ${scope.id}` : sql`true`;
}

/**
 * The ledger's id of the game of a row `g`, as modules/play/wallet/transfer-id.ts makes it. Nearly all are readable, and the function that hashes the
 * others costs a hundred times as much.
 */
export const gameTransferId = sql<string>`case when length(g.machine_id) + length(g.game_number::text) <= 58
  then 'game:' || g.machine_id || ':' || g.game_number else ledger_id_of('game', g.machine_id, g.game_number::text) end`;

/**
 * Transfers of the ledger in the scope, as `t`, with both accounts as `f` and `o`. Those of one play session are found by their ids: games and
 * cash transfers carry them, and a search through what transfers say of themselves would read all of them.
 */
export function transfersIn(scope: Scope): RawBuilder<unknown> {
  const accounts = sql`join ledger.accounts f on f.id = t.from_account join ledger.accounts o on o.id = t.to_account`;
  if (scope.is !== "session") return sql`ledger.transfers t ${accounts}`;
  return sql`(select x.* from ledger.transfers x where x.id in (
      select id from machine_transfer where play_session_id = ${scope.id}
      union all select ${gameTransferId} from game g where g.play_session_id = ${scope.id}
      union all select ledger_id_of('handPay', machine_id, hand_pay_id) from hand_pay where play_session_id = ${scope.id}
      union all select transfer_id from seat_hold where play_session_id = ${scope.id} and transfer_id is not null
      union all select transfer_id from discrepancy where play_session_id = ${scope.id} and transfer_id is not null)) t ${accounts}`;
}
