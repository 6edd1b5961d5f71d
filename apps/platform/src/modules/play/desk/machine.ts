import type { GameRow, MachineDetail, MachineEventRow, Pulse } from "@longarm/contract/staff-floor";
import { machineAccount } from "@longarm/ledger/rules/address";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type * as z from "zod/mini";
import { usernameOf } from "../../players/accounts/index.ts";
import { holdToday } from "../../records/reports/index.ts";
import type { LifeTables } from "../life/index.ts";
import type { PlayTables } from "../tables.ts";
import { deskFloor, playerRef } from "./floor.ts";

type Detail = Omit<z.input<typeof MachineDetail>, "machine" | "tasks">;

/** What staff sees of one machine beside its row of the floor; undefined: there is none. `seesPlayer`: also what its player won and lost. */
export async function deskMachine(db: Kysely<unknown>, id: string, seesPlayer: boolean): Promise<Detail | undefined> {
  const row = await db
    .withTables<LifeTables>()
    .selectFrom("machine as m")
    .innerJoin("agent as a", "a.id", "m.agent_id")
    .innerJoin("seat as s", "s.machine_id", "m.id")
    .leftJoin("play_session as p", "p.id", "s.play_session_id")
    .leftJoin("machine_life as l", "l.machine_id", "m.id")
    .select("l.theoretical_return")
    .select(["m.facts", "m.meters", "m.meters_at", "a.id as agentId", "a.name as agentName"])
    .select(["p.id as session", "p.started_at", "p.cashed_in", "p.cashed_out", "p.games", "p.net", "p.player_id"])
    .select([
      usernameOf<string | null>("p.player_id").as("username"),
      holdToday("m.id").as("hold"),
      sql<boolean>`exists (select from agent_link l where l.machine_id = m.id and l.lease_until > clock_timestamp())`.as(
        "linked",
      ),
      sql<number>`coalesce((select balance_minor from ledger.accounts where address = ${machineAccount(id)}), 0)`.as(
        "ledgerCredit",
      ),
      sql<number>`(select count(*)::int from discrepancy d where d.machine_id = m.id and d.explained_at is null)`.as(
        "openDiscrepancies",
      ),
    ])
    .where("m.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { facts, meters } = row;
  const player = playerRef(row.player_id, row.username);
  return {
    facts: {
      brand: facts.brand,
      denomination: facts.denomination,
      videoType: facts.videoType,
      sourceDelayMs: facts.sourceDelayMs ?? null,
      agent: { id: row.agentId, name: row.agentName, linked: row.linked },
      bands: facts.bandSelects.map((band) => ({ id: band.id, name: band.name })),
      theoreticalReturn: row.hold === null ? row.theoretical_return : 10_000 - row.hold,
    },
    meters: {
      at: row.meters_at.toISOString(),
      credit: meters.credit,
      bet: meters.bet ?? null,
      win: meters.win ?? null,
      gamesPlayed: meters.gamesPlayed,
      inGame: meters.inGame,
      handPay: meters.handPay ?? null,
    },
    ledgerCredit: row.ledgerCredit,
    session:
      row.session === null || row.started_at === null || player === null
        ? null
        : {
            id: row.session,
            player,
            since: row.started_at.toISOString(),
            sums: seesPlayer
              ? {
                  cashedIn: row.cashed_in ?? 0,
                  cashedOut: row.cashed_out ?? 0,
                  games: row.games ?? 0,
                  net: row.net ?? 0,
                }
              : null,
          },
    moneyInFlight: await moneyInFlight(db, id),
    openDiscrepancies: row.openDiscrepancies,
  };
}

async function moneyInFlight(db: Kysely<unknown>, machineId: string): Promise<Detail["moneyInFlight"]> {
  const { rows } = await sql<{
    id: string;
    direction: "cashIn" | "cashOut";
    state: "asking" | "unknown";
    amount: number | null;
    created_at: Date;
  }>`select id, direction, state, asked as amount, created_at from machine_transfer
    where machine_id = ${machineId} and state in ('asking', 'unknown') order by created_at`.execute(db);
  return rows.map(({ id, direction, state, amount, created_at }) => ({
    id,
    direction,
    state,
    amount,
    since: created_at.toISOString(),
  }));
}

export type MachinePage = { readonly machineId: string; readonly after: string | undefined; readonly limit: number };

const NUMBER = /^\d{1,15}$/;
/** A place in a list as the page sends it back; undefined: it is none. */
export const placeOf = (after: string | undefined): number | undefined =>
  after !== undefined && NUMBER.test(after) ? Number(after) : undefined;

/** What a machine and its agent reported, newest first. Staff's acts at it are in the audit log. */
export async function deskMachineEvents(db: Kysely<unknown>, { machineId, after, limit }: MachinePage) {
  const before = placeOf(after);
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("machine_event")
    .select(["seq", "kind", "happened_at", "body"])
    .where("machine_id", "=", machineId)
    .$if(before !== undefined, (query) => query.where("seq", "<", before ?? 0))
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
  return {
    rows: rows.map(eventRow),
    next: rows.length === limit ? String(rows.at(-1)?.seq ?? "") : null,
  };
}

/** What a machine reported beyond an event, oldest first, and the number of the newest one. */
export async function deskEventsSince(db: Kysely<unknown>, machineId: string, seq: number | null) {
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("machine_event")
    .select(["seq", "kind", "happened_at", "body"])
    .where("machine_id", "=", machineId)
    .$if(seq !== null, (query) => query.where("seq", ">", seq ?? 0))
    .orderBy("seq", "desc")
    .limit(seq === null ? 1 : EVENTS_AT_ONCE)
    .execute();
  return { rows: seq === null ? [] : rows.map(eventRow).reverse(), seq: rows[0]?.seq ?? seq ?? 0 };
}

const EVENTS_AT_ONCE = 50;

/** What a machine reported from then to then, by its agent's clock, oldest first. */
export async function deskEventsBetween(
  db: Kysely<unknown>,
  machineId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
) {
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("machine_event")
    .select(["kind", "happened_at", "body"])
    .where("machine_id", "=", machineId)
    .where("happened_at", ">=", from)
    .where("happened_at", "<", to)
    .orderBy("seq")
    .limit(BETWEEN_MAX)
    .execute();
  return rows.map(eventRow);
}
const BETWEEN_MAX = 200;

type EventRow = Pick<PlayTables["machine_event"], "kind" | "happened_at"> & { readonly body: Record<string, unknown> };

function eventRow({ kind, happened_at, body }: EventRow): z.input<typeof MachineEventRow> {
  const amount = typeof body["amount"] === "number" ? body["amount"] : null;
  return { at: new Date(happened_at).toISOString(), source: "machine", kind, amount, person: null, facts: body };
}

type GamesOf = {
  /** With the players. */
  readonly seesPlayer: boolean;
  /** Only games that were booked in this time; `to` is not in it. */
  readonly taken?: { readonly from: Date; readonly to: Date };
};

/** A machine's games, newest first. */
export async function deskMachineGames(
  db: Kysely<unknown>,
  { machineId, after, limit, seesPlayer, taken }: MachinePage & GamesOf,
) {
  const before = placeOf(after);
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("game as g")
    .leftJoin("play_session as p", "p.id", "g.play_session_id")
    .selectAll("g")
    .select(["p.player_id", usernameOf<string | null>("p.player_id").as("username")])
    .where("g.machine_id", "=", machineId)
    .$if(before !== undefined, (query) => query.where("g.game_number", "<", before ?? 0))
    .$if(taken !== undefined, (query) =>
      query.where(sql<boolean>`g.taken_at >= ${taken?.from} and g.taken_at < ${taken?.to}`),
    )
    .orderBy("g.game_number", "desc")
    .limit(limit)
    .execute();
  return {
    rows: rows.map(
      (row): z.input<typeof GameRow> => ({
        number: row.game_number,
        startedAt: new Date(row.started_at).toISOString(),
        endedAt: new Date(row.ended_at).toISOString(),
        player: seesPlayer ? playerRef(row.player_id, row.username) : null,
        stake: row.stake,
        win: row.win,
        handPaid: row.hand_paid,
        creditBefore: row.credit_before,
        creditAfter: row.credit_after,
      }),
    ),
    next: rows.length === limit ? String(rows.at(-1)?.game_number ?? "") : null,
  };
}

type Sums = Omit<Pulse["equation"], "provedAt" | "platformKeeps"> & { provedAt: Date | null };

/** The floor in figures. `dayBegan`: when the venue's business day began. Who is on shift is the staff's side's. */
export async function deskPulse(db: Kysely<unknown>, dayBegan: Date): Promise<Omit<Pulse, "onShift">> {
  const floor = await deskFloor(db);
  const { rows: minutes } = await sql<{ games: number }>`
    select count(g.machine_id)::int as games from generate_series(0, 59) n
    left join game g on g.taken_at > clock_timestamp() - make_interval(mins => 60 - n)
      and g.taken_at <= clock_timestamp() - make_interval(mins => 59 - n)
    group by n order by n`.execute(db);
  const { rows } = await sql<Sums>`
    select (select coalesce(sum(amount_minor), 0)::bigint from ledger.transfers where kind = 'cashIn' and created_at >= ${dayBegan}) as "ontoMachines",
      (select coalesce(sum(amount_minor), 0)::bigint from ledger.transfers where kind = 'cashOut' and created_at >= ${dayBegan}) as "homeToWallets",
      (select coalesce(sum(balance_minor), 0)::bigint from ledger.accounts where address like 'machine:%') as "onMachines",
      (select coalesce(sum(amount), 0)::bigint from hand_pay where confirmed_at is null) as owed,
      (select coalesce(sum(balance_minor), 0)::bigint from ledger.accounts where address = 'suspense') as "inSuspense",
      (select max(made_at) from reconciliation) as "provedAt",
      (select bool_and(agrees) from (select distinct on (machine_id) agrees from reconciliation
        where made_at > clock_timestamp() - interval '1 day' order by machine_id, made_at desc) newest) as holds`.execute(
    db,
  );
  const [sums] = rows;
  if (sums === undefined) throw new Error("a statement without a table answers one row");
  return {
    seated: floor.filter(({ player }) => player !== null).length,
    watching: floor.reduce((sum, { watchers }) => sum + watchers, 0),
    machines: floor.length,
    gamesPerMinute: minutes.map(({ games }) => games),
    equation: {
      ...sums,
      platformKeeps: sums.ontoMachines - sums.homeToWallets - sums.onMachines - sums.owed - sums.inSuspense,
      provedAt: sums.provedAt?.toISOString() ?? null,
    },
  };
}
