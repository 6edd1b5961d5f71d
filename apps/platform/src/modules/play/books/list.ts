import type { Kysely } from "kysely";
import { sql } from "kysely";
import { usernameOf } from "../../players/accounts/index.ts";
import type { DifferenceKind, PlayTables } from "../tables.ts";

export type DifferenceRow = {
  readonly id: number;
  readonly kind: DifferenceKind;
  readonly machineId: string;
  readonly playSessionId: string | null;
  readonly player: string | null;
  readonly foundAt: Date;
  readonly ledgerMinor: number;
  readonly machineMinor: number;
  /** What of it is in suspense now, minor units; below zero: suspense gave it. */
  readonly inSuspenseMinor: number;
  readonly about: Record<string, unknown>;
  /** Who has to explain it; null: it is explained. */
  readonly owner: "staff" | null;
  readonly explainedAt: Date | null;
  readonly explainedBy: string | null;
  readonly explanation: string | null;
};

/** Differences, newest first. `open`: only those that a person must explain. */
export async function listDifferences(
  db: Kysely<unknown>,
  { open, limit }: { readonly open: boolean; readonly limit: number },
): Promise<DifferenceRow[]> {
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("discrepancy as d")
    .leftJoin("play_session as s", "s.id", "d.play_session_id")
    .selectAll("d")
    .select(usernameOf<string | null>("s.player_id").as("username"))
    .$if(open, (query) => query.where("d.explained_at", "is", null))
    .orderBy("d.id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...{
      id: row.id,
      kind: row.kind,
      machineId: row.machine_id,
      playSessionId: row.play_session_id,
      player: row.username,
    },
    ...{ foundAt: row.found_at, ledgerMinor: row.ledger_amount, machineMinor: row.machine_amount, about: row.about },
    inSuspenseMinor: row.transfer_id === null || row.explained_at !== null ? 0 : row.ledger_amount,
    owner: row.explained_at === null ? "staff" : null,
    ...{ explainedAt: row.explained_at, explainedBy: row.explained_by, explanation: row.explanation },
  }));
}

/** A transfer whose outcome is open, and who looks after it. */
export type OpenTransferRow = {
  readonly id: string;
  readonly machineId: string;
  readonly player: string | null;
  readonly direction: "cashIn" | "cashOut";
  readonly state: "asking" | "unknown";
  /** Minor units; null: everything on the machine. */
  readonly asked: number | null;
  readonly ageS: number;
  /** The node that asks the machine's record. */
  readonly owner: string;
  readonly askedTimes: number;
  readonly lastAnswer: string | null;
};

/** Oldest first. */
export async function listOpenTransfers(db: Kysely<unknown>): Promise<OpenTransferRow[]> {
  const { rows } = await sql<OpenTransferRow>`
    select t.id, t.machine_id as "machineId", ${usernameOf("t.player_id")} as player, t.direction, t.state, t.asked,
      floor(extract(epoch from clock_timestamp() - t.created_at))::int as "ageS", coalesce(r.owner_node, t.node_id) as owner,
      coalesce(r.asked_times, 0) as "askedTimes", r.last_answer as "lastAnswer"
    from machine_transfer t left join transfer_recovery r on r.transfer_id = t.id
    where t.state in ('asking', 'unknown') order by t.created_at, t.id`.execute(db);
  return rows;
}
