import type { Discrepancy, PlayerSessionRow, UnresolvedTransfer } from "@longarm/contract/staff-money";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type * as z from "zod/mini";
import { usernameOf } from "../../players/accounts/index.ts";
import type { ComparedLine } from "../books/index.ts";
import type { PlayTables } from "../tables.ts";
import { playerRef } from "./floor.ts";
import { placeOf } from "./machine.ts";

/** A payout that a machine does not make itself. The slip of a paid one is the staff's side's. */
export type DeskHandPay = {
  readonly machine: { readonly id: string; readonly name: string };
  readonly handPay: string;
  readonly kind: "win" | "jackpot" | "cancelledCredits";
  readonly amount: number;
  readonly player: { readonly id: string; readonly username: string } | null;
  readonly since: string;
  readonly paidAt: string | null;
};

export type HandPaysWanted = {
  readonly state: "owed" | "paid" | "all";
  readonly machineId?: string;
  readonly after?: string | undefined;
  readonly limit: number;
};

/** Hand pays: those that are owed oldest first, others newest first. */
export async function deskHandPays(db: Kysely<unknown>, wanted: HandPaysWanted): Promise<DeskHandPay[]> {
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("hand_pay as h")
    .innerJoin("machine as m", "m.id", "h.machine_id")
    .select(["h.machine_id", "m.facts", "h.hand_pay_id", "h.kind", "h.amount", "h.player_id", "h.pending_since"])
    .select(["h.confirmed_at", usernameOf<string | null>("h.player_id").as("username")])
    .$if(wanted.state === "owed", (query) => query.where("h.confirmed_at", "is", null))
    .$if(wanted.state === "paid", (query) => query.where("h.confirmed_at", "is not", null))
    .$if(wanted.machineId !== undefined, (query) => query.where("h.machine_id", "=", wanted.machineId ?? ""))
    .$if(wanted.after !== undefined, (query) => query.where(isBeyond(wanted)))
    .orderBy("h.pending_since", wanted.state === "owed" ? "asc" : "desc")
    .orderBy("h.machine_id")
    .orderBy("h.hand_pay_id")
    .limit(wanted.limit)
    .execute();
  return rows.map((row) => ({
    machine: { id: row.machine_id, name: row.facts.name },
    handPay: row.hand_pay_id,
    kind: row.kind,
    amount: row.amount,
    player: playerRef(row.player_id, row.username),
    since: row.pending_since.toISOString(),
    paidAt: row.confirmed_at?.toISOString() ?? null,
  }));
}

/** A machine has this long to say that its hand pay was reset, ms: until then a paid one is no task. */
const RESET_MS = 30_000;

/** Those of the machines that a hand pay locks, or may still lock for a moment: it is owed, or was paid just now. */
export async function deskHandPayMachines(
  db: Kysely<unknown>,
  machineIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (machineIds.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`select distinct machine_id as id from hand_pay
    where machine_id = any(${machineIds}) and (confirmed_at is null or confirmed_at > clock_timestamp() - ${RESET_MS} * interval '1 millisecond')`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Beyond the time of the last row of the page before; rows of the very same instant come once more rather than never. */
const isBeyond = ({ state, after }: HandPaysWanted) =>
  state === "owed"
    ? sql<boolean>`h.pending_since > ${after}::timestamptz`
    : sql<boolean>`h.pending_since < ${after}::timestamptz`;

type Unresolved = z.input<typeof UnresolvedTransfer>;

/** Transfers without an outcome, oldest first, with what each witness says. */
export async function deskUnresolved(db: Kysely<unknown>, id?: string): Promise<Unresolved[]> {
  const { rows } = await sql<{
    id: string;
    machineId: string;
    machine: string;
    playerId: string;
    player: string | null;
    direction: "cashIn" | "cashOut";
    state: "asking" | "unknown";
    amount: number | null;
    since: Date;
    node: string;
    queries: number;
    lastReadAt: Date | null;
    lastAnswer: string | null;
    holdStatus: string | null;
    holdAmount: number | null;
    holdAt: Date | null;
  }>`select t.id, t.machine_id as "machineId", m.facts ->> 'name' as machine, t.player_id as "playerId", ${usernameOf("t.player_id")} as player,
      t.direction, t.state, t.asked as amount, t.created_at as since, coalesce(r.owner_node, t.node_id) as node, coalesce(r.asked_times, 0) as queries,
      r.last_asked_at as "lastReadAt", r.last_answer as "lastAnswer", h.status as "holdStatus", h.amount_minor as "holdAmount", h.created_at as "holdAt"
    from machine_transfer t join machine m on m.id = t.machine_id left join transfer_recovery r on r.transfer_id = t.id
      left join ledger.holds h on h.id = t.id
    where t.state in ('asking', 'unknown') and ${id ?? null}::text is null or (t.state in ('asking', 'unknown') and t.id = ${id ?? null})
    order by t.created_at, t.id limit 500`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    machine: { id: row.machineId, name: row.machine },
    player: { id: row.playerId, username: row.player ?? "" },
    direction: row.direction,
    state: row.state,
    amount: row.amount,
    since: row.since.toISOString(),
    node: row.node,
    queries: row.queries,
    lastAnswer: row.lastAnswer,
    machineRecord: recordOf(row.lastAnswer, row.lastReadAt),
    // The journal answers through the same question; beside the machine's record it says nothing of its own yet.
    agentJournal: { says: "nothing", at: null, amount: null, lines: [] },
    ledger: {
      says: row.holdStatus === null ? "nothing" : "unknown",
      at: row.holdAt?.toISOString() ?? null,
      amount: row.holdAmount,
      lines: row.holdStatus === null ? [] : [{ label: "hold", value: row.holdStatus, amount: row.holdAmount ?? 0 }],
    },
  }));
}

const RECORDS = ["done", "refused", "neverSeen"] as const;

/** What the machine's own record said when it was last read: `pending 0`, `done 5000`, or that no answer came. */
function recordOf(answer: string | null, at: Date | null): Unresolved["machineRecord"] {
  const [word = "", amount] = (answer ?? "").split(" ");
  const says = RECORDS.find((one) => one === word) ?? (word === "pending" ? "unknown" : "nothing");
  const known = says === "done" && amount !== undefined && Number.isSafeInteger(Number(amount));
  return { says, at: at?.toISOString() ?? null, amount: known ? Number(amount) : null, lines: [] };
}

type Shown = z.input<typeof Discrepancy>;
export type DiscrepanciesWanted = {
  readonly state: "open" | "explained" | "all";
  readonly number?: number;
  readonly after?: string | undefined;
  readonly limit: number;
};

/** Discrepancies, newest first. */
export async function deskDiscrepancies(db: Kysely<unknown>, wanted: DiscrepanciesWanted): Promise<Shown[]> {
  const before = placeOf(wanted.after);
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("discrepancy as d")
    .innerJoin("machine as m", "m.id", "d.machine_id")
    .leftJoin("play_session as s", "s.id", "d.play_session_id")
    .selectAll("d")
    .select(["m.facts", "s.player_id", usernameOf<string | null>("s.player_id").as("username")])
    .$if(wanted.state === "open", (query) => query.where("d.explained_at", "is", null))
    .$if(wanted.state === "explained", (query) => query.where("d.explained_at", "is not", null))
    .$if(wanted.number !== undefined, (query) => query.where("d.id", "=", wanted.number ?? 0))
    .$if(before !== undefined, (query) => query.where("d.id", "<", before ?? 0))
    .orderBy("d.id", "desc")
    .limit(wanted.limit)
    .execute();
  return rows.map((row) => ({
    number: row.id,
    kind: row.kind,
    machine: { id: row.machine_id, name: row.facts.name },
    session: row.play_session_id,
    player: playerRef(row.player_id, row.username),
    foundAt: row.found_at.toISOString(),
    ledgerAmount: row.ledger_amount,
    machineAmount: row.machine_amount,
    inSuspense: row.transfer_id === null || row.explained_at !== null ? 0 : row.ledger_amount,
    lines: linesOf(row.about),
    state: row.explained_at === null ? "open" : "explained",
    explanation: row.explanation,
    explainedAt: row.explained_at?.toISOString() ?? null,
    explainedBy: row.explained_by,
  }));
}

function linesOf(about: Record<string, unknown>): Shown["lines"] {
  const lines = Array.isArray(about["lines"]) ? (about["lines"] as ComparedLine[]) : [];
  return lines.map(({ name, expected, found }) => ({ label: name, ledger: expected, machine: found }));
}

/** A player's play sessions, newest first. */
export async function deskPlaySessions(
  db: Kysely<unknown>,
  { playerId, after, limit }: { readonly playerId: string; readonly after: string | undefined; readonly limit: number },
) {
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("play_session as p")
    .innerJoin("machine as m", "m.id", "p.machine_id")
    .selectAll("p")
    .select("m.facts")
    .where("p.player_id", "=", playerId)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(p.started_at, p.id) < (select started_at, id from play_session where id = ${after ?? ""} and player_id = ${playerId})`,
      ),
    )
    .orderBy("p.started_at", "desc")
    .orderBy("p.id", "desc")
    .limit(limit)
    .execute();
  return {
    rows: rows.map(
      (row): z.input<typeof PlayerSessionRow> => ({
        id: row.id,
        machine: { id: row.machine_id, name: row.facts.name },
        start: row.started_at.toISOString(),
        end: row.ended_at?.toISOString() ?? null,
        endReason: row.end_reason,
        games: row.games,
        cashedIn: row.cashed_in,
        cashedOut: row.cashed_out,
        net: row.net,
      }),
    ),
    next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null,
  };
}

type Marks = Readonly<Record<"handPays" | "unresolved" | "discrepancies" | "agents", string>>;

/** Marks that change with hand pays, open transfers, discrepancies and agents: a page reads again what has another mark. */
export async function deskMarks(db: Kysely<unknown>): Promise<Marks> {
  const { rows } = await sql<Marks>`
    select (select concat(count(*), max(pending_since), count(confirmed_at)) from hand_pay) as "handPays",
      (select coalesce(string_agg(t.id || t.state || coalesce(r.last_answer, ''), ',' order by t.id), '') from machine_transfer t
        left join transfer_recovery r on r.transfer_id = t.id where t.state in ('asking', 'unknown')) as unresolved,
      (select concat(count(*), count(explained_at)) from discrepancy) as discrepancies,
      (select coalesce(string_agg(concat(a.id, a.revoked_at, (select string_agg(concat(k.id, k.ends_at, k.last_used_at), ' ' order by k.id) from agent_key k
        where k.agent_id = a.id), (select count(*) from agent_link l
        where l.agent_id = a.id and l.lease_until > clock_timestamp())), ',' order by a.id), '') from agent a) as agents`.execute(
    db,
  );
  const [marks] = rows;
  if (marks === undefined) throw new Error("a statement without a table answers one row");
  return marks;
}

/** UTC days of the last five weeks whose reconciliation found something wrong. A day is reconciled once. */
export async function deskWrongDays(db: Kysely<unknown>): Promise<{ readonly day: string; readonly madeAt: Date }[]> {
  const { rows } = await sql<{
    day: string;
    madeAt: Date;
  }>`select to_char(day, 'YYYY-MM-DD') as day, made_at as "madeAt"
    from reconciliation where scope = 'day' and not agrees and made_at > clock_timestamp() - interval '35 days'
    order by day limit 100`.execute(db);
  return rows;
}
