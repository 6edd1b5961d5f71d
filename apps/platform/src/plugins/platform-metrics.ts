import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import type { Database } from "@longarm/database/connection";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Registry } from "prom-client";
import { Counter, Gauge } from "prom-client";
import type { Log } from "../log.ts";
import { listFloor } from "../modules/play/operations/index.ts";
import { PLAY_STATES } from "../modules/play/tables.ts";
import { AUDIT_TYPES } from "../modules/records/audit/index.ts";

/** Asked for at most this often, ms: several who look share one answer, and nobody can tire the database by looking. */
const AGAIN_MS = 500;

export type HouseMetricsDeps = {
  readonly registry: Registry;
  readonly db: Database<unknown>;
  readonly clock: { now(): number };
  readonly log: Log;
  /** From when on a call for an attendant that nobody has answered is late, ms (`CALL_LATE_MS`). */
  readonly callLateMs: number;
};

/**
 * The numbers of the whole house, read from its database when somebody looks: every node tells the same. While the database is away
 * `longarm_database_up` is 0 and the others keep what they said last.
 * @returns what brings them up to date; never throws.
 */
export function platformMetrics({ registry, db, clock, log, callLateMs }: HouseMetricsDeps): () => Promise<void> {
  const set = gaugesIn(registry);
  const countEntries = entryCounter(registry, db.kysely);
  let last = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      const [floor, numbers] = await Promise.all([listFloor(db.kysely), readNumbers(db.kysely, callLateMs)]);
      await countEntries();
      tellFloor(set, floor);
      for (const [name, value] of Object.entries(numbers)) set(name as GaugeName, {}, Number(value));
      set("longarm_database_up", {}, 1);
    } catch (error) {
      set("longarm_database_up", {}, 0);
      log.debug({ err: error }, "the numbers of the house could not be read");
    }
  }

  return async () => {
    if (running === undefined && clock.now() - last < AGAIN_MS) return;
    running ??= read().finally(() => {
      last = clock.now();
      running = undefined;
    });
    await running;
  };
}

const GAUGES = {
  longarm_database_up: "1 while the database answers.",
  longarm_seats: "Seats by state.",
  longarm_machines: "Machines by the status that players see.",
  longarm_machines_silent: "Machines that cannot be asked: their agent is away, or they do not answer it.",
  longarm_machines_locked: "Machines that say they cannot be played.",
  longarm_agents_enrolled: "Agents that may open a link.",
  longarm_agents_linked: "Agents whose link lives, on any node.",
  longarm_sign_ins_open: "Sign-ins that are open now.",
  longarm_transfers_asking: "Transfers with a machine whose answer is waited for.",
  longarm_transfers_unknown: "Transfers with a machine whose outcome nobody knows.",
  longarm_transfers_open_oldest_seconds: "Age of the oldest transfer that is not decided; 0: there is none.",
  longarm_holds_open: "Open holds of the ledger.",
  longarm_holds_open_minor: "Their sum, minor units.",
  longarm_suspense_minor: "Balance of the suspense account, minor units: money that a person has to explain.",
  longarm_ledger_sum_minor: "Sum of all accounts, minor units. Anything but 0 is a breach.",
  longarm_players_below_zero: "Accounts of players below zero. Anything but 0 is a breach.",
  longarm_discrepancies_open: "Differences between machine and ledger that nobody has explained.",
  longarm_reconciliations_failed: "Comparisons of the last day that did not agree.",
  longarm_hand_pays_pending: "Hand pays that machines owe.",
  longarm_calls_open: "Calls of players for an attendant that are not closed.",
  longarm_calls_late: "Calls for an attendant that nobody has answered for longer than CALL_LATE_MS.",
  longarm_audit_waiting: "Entries of the audit log that wait for their link in the chain.",
  longarm_audit_position: "Newest link of the audit log's chain.",
} as const;
type GaugeName = keyof typeof GAUGES;
type Set = (name: GaugeName, labels: Record<string, string>, value: number) => void;

const LABELS: Readonly<Partial<Record<GaugeName, string[]>>> = {
  longarm_seats: ["state"],
  longarm_machines: ["status"],
};

function gaugesIn(registry: Registry): Set {
  const gauges = Object.fromEntries(
    Object.entries(GAUGES).map(([name, help]) => [
      name,
      new Gauge({ name, help, labelNames: LABELS[name as GaugeName] ?? [], registers: [registry] }),
    ]),
  ) as Record<GaugeName, Gauge>;
  return (name, labels, value) => gauges[name].set(labels, value);
}

function tellFloor(set: Set, floor: Awaited<ReturnType<typeof listFloor>>): void {
  const countOf = (holds: (row: (typeof floor)[number]) => boolean): number => floor.filter(holds).length;
  for (const state of PLAY_STATES)
    set(
      "longarm_seats",
      { state },
      countOf((row) => row.state === state),
    );
  for (const status of Object.keys(MACHINE_STATUS))
    set(
      "longarm_machines",
      { status },
      countOf((row) => row.status === status),
    );
  set(
    "longarm_machines_silent",
    {},
    countOf(({ answers }) => !answers),
  );
  set(
    "longarm_machines_locked",
    {},
    countOf(({ lockup }) => lockup !== null),
  );
}

/** Each is answered from an index, or from a table of a few rows; but the two sums over accounts, which are one row a player. */
async function readNumbers(db: Kysely<unknown>, callLateMs: number): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*)::int from agent where revoked_at is null) as longarm_agents_enrolled,
    (select count(distinct agent_id)::int from agent_link where lease_until > clock_timestamp()) as longarm_agents_linked,
    (select count(*)::int from auth_session where ended_at is null and expires_at > now()) as longarm_sign_ins_open,
    (select count(*)::int from machine_transfer where state = 'asking') as longarm_transfers_asking,
    (select count(*)::int from machine_transfer where state = 'unknown') as longarm_transfers_unknown,
    (select coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 from machine_transfer
      where state in ('asking', 'unknown')) as longarm_transfers_open_oldest_seconds,
    (select count(*)::int from ledger.holds where status = 'open') as longarm_holds_open,
    (select coalesce(sum(held_minor), 0)::float8 from ledger.accounts where held_minor <> 0) as longarm_holds_open_minor,
    (select coalesce(sum(balance_minor), 0)::float8 from ledger.accounts where address = 'suspense') as longarm_suspense_minor,
    (select coalesce(sum(balance_minor), 0)::float8 from ledger.accounts) as longarm_ledger_sum_minor,
    (select count(*)::int from ledger.accounts where address like 'player:%' and balance_minor - held_minor < 0) as longarm_players_below_zero,
    (select count(*)::int from discrepancy where explained_at is null) as longarm_discrepancies_open,
    (select count(*)::int from reconciliation where not agrees and made_at > now() - interval '1 day') as longarm_reconciliations_failed,
    (select count(*)::int from hand_pay where confirmed_at is null) as longarm_hand_pays_pending,
    (select count(*)::int from attendant_call where closed_at is null) as longarm_calls_open,
    (select count(*)::int from attendant_call where closed_at is null and answered_at is null
      and called_at < clock_timestamp() - ${callLateMs} * interval '1 millisecond') as longarm_calls_late,
    (select count(*)::int from audit.waiting) as longarm_audit_waiting,
    (select coalesce(max(position), 0)::float8 from audit.links) as longarm_audit_position`.execute(db);
  return rows[0] ?? {};
}

/** So many links are counted at a look; a backlog is counted over the next ones. */
const COUNTED_AT_ONCE = 20_000;

/** Counts what is written to the audit log since this process began, by the chain: each entry once, however late it was committed. */
function entryCounter(registry: Registry, db: Kysely<unknown>): () => Promise<void> {
  const counter = new Counter({
    name: "longarm_audit_entries_total",
    help: "Entries of the audit log by type, of all nodes, since this one began: sign-ins by outcome, limits, outages, staff, money.",
    labelNames: ["type"],
    registers: [registry],
  });
  // A series that begins at one has grown by nothing, and no alert would see its first entry.
  for (const type of Object.keys(AUDIT_TYPES)) counter.inc({ type }, 0);
  let position: number | undefined;
  return async () => {
    const { rows: tail } = await sql<{
      tail: number;
    }>`select coalesce(max(position), 0) as tail from audit.links`.execute(db);
    const end = tail[0]?.tail ?? 0;
    const from = position ?? end;
    const to = Math.min(end, from + COUNTED_AT_ONCE);
    position ??= from;
    if (to === from) return;
    const { rows } = await sql<{ type: string; count: number }>`select e.type, count(*)::int as count
      from audit.links l join audit.entries e on e.id = l.entry_id
      where l.position > ${from} and l.position <= ${to} group by e.type`.execute(db);
    // Only now: what could not be read is counted by the next look.
    position = to;
    for (const { type, count } of rows) counter.inc({ type }, count);
  };
}
