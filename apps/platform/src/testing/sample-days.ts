import type { Database } from "@longarm/database/connection";
import type { Ledger } from "@longarm/ledger/ledger";
import type { Transaction } from "kysely";
import { sql } from "kysely";
import { gameTransferId } from "../modules/play/wallet/index.ts";
import { createPlayers } from "../modules/players/accounts/index.ts";
import { openAudit } from "../modules/records/audit/index.ts";
import type { Random } from "../random.ts";

/*
 * Some days of history for the demonstration floor (record 0192), so that its reports have something to show. Written once, into an empty database,
 * before a platform runs on it; every proof holds afterwards. Nothing of the platform calls this: a production cannot have it.
 */

/** Days of history. */
const DAYS = 14;
/** Players of the history: no person knows their passwords. */
const PLAYERS = 4;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Who writes it, as audit log and rows name it. */
const BY = "npm start";

/** A machine of the floor that its agent has not brought yet. `brand`: as players know it. */
export type SampleMachine = { readonly id: string; readonly name: string; readonly brand: string };

type SampleGame = { readonly stake: number; readonly win: number; readonly endedAt: number };
export type SampleSession = {
  readonly id: string;
  /** Indices. */
  readonly machine: number;
  readonly player: number;
  /** Ms since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Minor units. */
  readonly cashIn: number;
  readonly games: readonly SampleGame[];
};

/** What a game pays back in stakes, with the probability that it pays at most so much: 92 % of the stakes in all. */
const PAYS: readonly (readonly [below: number, from: number, to: number])[] = [
  [0.6, 0, 0],
  [0.86, 1, 2],
  [0.97, 2, 4],
  [1, 5, 8],
];
/** Minor units. */
const STAKES = [100, 200, 200, 400, 600, 1_000] as const;

/** How many minutes pass at an hour of the day from one play session of a player to the next: evenings are full, the early morning is empty. */
function pauseMinutes(hour: number): number {
  if (hour >= 18 || hour < 2) return 45;
  return hour >= 12 ? 120 : 360;
}

/**
 * The play sessions of `DAYS` days before `now`, in the order in which they began. Each player has machines of its own and is at one of them at a time,
 * so no machine has two players at once. The same seed makes the same sessions. @param now ms since 1970.
 */
export function sampleSessions(machines: number, now: number, seed: number): SampleSession[] {
  const chance = seededChance(seed);
  const whole = (from: number, to: number): number => from + Math.floor(chance() * (to - from + 1));
  const sessions: Omit<SampleSession, "id">[] = [];
  const first = now - DAYS * DAY_MS;
  for (let player = 0; player < Math.min(PLAYERS, machines); player += 1) {
    const own = Array.from({ length: machines }, (_, machine) => machine).filter((one) => one % PLAYERS === player);
    for (let at = first + whole(0, 600) * MINUTE_MS; ; ) {
      const lasts = whole(15, 75) * MINUTE_MS;
      // The newest one is over before anybody can play.
      if (at + lasts >= now - 10 * MINUTE_MS) break;
      const games = sampleGames(at, lasts, { chance, whole });
      const stakes = games.reduce((sum, { stake }) => sum + stake, 0);
      const cashIn = Math.ceil(stakes / 1_000) * 1_000 + whole(0, 5) * 1_000;
      const machine = own[whole(0, own.length - 1)] ?? player;
      sessions.push({ machine, player, startedAt: at, endedAt: at + lasts, cashIn, games });
      const pause = pauseMinutes(new Date(at + lasts).getUTCHours());
      at += lasts + whole(Math.ceil(pause / 2), pause * 2) * MINUTE_MS;
    }
  }
  return sessions
    .toSorted((one, other) => one.startedAt - other.startedAt || one.machine - other.machine)
    .map((session, at) => ({ id: `sample-${String(at + 1).padStart(4, "0")}`, ...session }));
}

type Draws = { chance(): number; whole(from: number, to: number): number };

function sampleGames(from: number, lasts: number, { chance, whole }: Draws): SampleGame[] {
  const stake = STAKES[whole(0, STAKES.length - 1)] ?? 100;
  const count = whole(2, 5);
  return Array.from({ length: count }, (_, at) => {
    const drawn = chance();
    const [, least = 0, most = 0] = PAYS.find(([below]) => drawn < below) ?? [];
    const endedAt = from + Math.round(((at + 1) * lasts) / (count + 1));
    return { stake, win: stake * whole(least, most), endedAt };
  });
}

/** Numbers from 0 to below 1 that a seed repeats (mulberry32). */
function seededChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type SampleDays = {
  readonly db: Pick<Database<unknown>, "kysely">;
  readonly ledger: Ledger;
  readonly random: Random;
  /** The agent that will bring the machines. */
  readonly agentId: string;
  readonly machines: readonly SampleMachine[];
  /** Ms since 1970. */
  readonly now: number;
  readonly seed: number;
};

/**
 * Writes the history into a database without machines and play sessions. Games, play sessions and what was moved with machines have their times;
 * transfers of the ledger have the time at which they are written, which the ledger sets by itself. @returns how many play sessions were written;
 * 0: this database has a history of its own.
 */
export async function writeSampleDays(sample: SampleDays): Promise<number> {
  const { db, machines, now, seed } = sample;
  const { rows } = await sql<{ fresh: boolean }>`
    select not exists (select from machine) and not exists (select from play_session) as fresh`.execute(db.kysely);
  if (rows[0]?.fresh !== true || machines.length === 0) return 0;
  const sessions = sampleSessions(machines.length, now, seed);
  const players = await addPlayers(sample, sessions);
  await db.kysely.transaction().execute((trx) => beginSample(trx, sample, sessions));
  const played = machines.map(() => 0);
  // A day at a time: what one transaction locks is bounded.
  const days = Map.groupBy(sessions, ({ startedAt }) => Math.floor(startedAt / DAY_MS));
  for (const part of days.values())
    await db.kysely.transaction().execute((trx) => writePart(trx, { machines, players, played }, part));
  return sessions.length;
}

/** Players with a password that no person knows, marked as those of a demonstration, and with the money that they play. */
async function addPlayers({ db, ledger, random }: SampleDays, sessions: readonly SampleSession[]): Promise<string[]> {
  // Hashes of random secrets need no cost.
  const passwordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
  const players = await createPlayers({ db, ledger, random, passwordCost });
  const ids: string[] = [];
  for (let player = 0; player < PLAYERS; player += 1) {
    const own = sessions.filter((session) => session.player === player);
    if (own.length === 0) break;
    const added = await players.add({
      ...{ username: `sample-${player + 1}`, password: random.bytes(24).toString("base64url"), demo: true },
      ...{ name: "Sample", lastname: `Player ${player + 1}`, depositMinor: depositFor(own) },
    });
    if (added.is !== "added") throw new Error(`the player sample-${player + 1} was not added`);
    ids.push(added.id);
  }
  return ids;
}

/** What a wallet needs at first, so that it never falls below zero, and some more. */
function depositFor(sessions: readonly SampleSession[]): number {
  let balance = 0;
  let least = 0;
  for (const session of sessions) {
    least = Math.min(least, balance - session.cashIn);
    balance += netOf(session);
  }
  return Math.ceil(-least / 10_000) * 10_000 + 10_000;
}

const netOf = ({ games }: SampleSession): number => games.reduce((sum, { stake, win }) => sum + win - stake, 0);

async function beginSample(
  trx: Transaction<unknown>,
  { agentId, machines, now }: SampleDays,
  sessions: readonly SampleSession[],
): Promise<void> {
  await openAudit(trx, BY).actAs(BY);
  const until = Math.max(now - DAY_MS, ...sessions.map(({ endedAt }) => endedAt));
  await sql`insert into sample_days (from_at, until_at) values (${new Date(now - DAYS * DAY_MS)}, ${new Date(until)})`.execute(
    trx,
  );
  await openAudit(trx, BY).write({
    type: "staff.did",
    actor: "platform",
    subject: "reports",
    facts: { did: "wrote sample days", days: DAYS, sessions: sessions.length },
  });
  // What its agent will say of it replaces this within a moment; it has no seat, so no player can sit down.
  for (const { id, name, brand } of machines) {
    const facts = {
      ...{ name, brand, videoType: "screen", denomination: 1, simulated: true, bandSelects: [], buttons: [] },
      ...{ webcam: false, limits: { minCycleMs: 0, minTransfer: 1, maxTransfer: 1, autoplay: false } },
    };
    const meters = { credit: 0, gamesPlayed: 0, activeBand: null, inGame: false };
    await sql`insert into machine (id, agent_id, facts, meters, meters_at)
      values (${id}, ${agentId}, ${JSON.stringify(facts)}, ${JSON.stringify(meters)}, clock_timestamp())`.execute(trx);
  }
}

type Written = {
  readonly machines: readonly SampleMachine[];
  /** Ids. */
  readonly players: readonly string[];
  /** Games of each machine that are written. */
  readonly played: number[];
};

/** A transfer of the ledger, in the order in which they happen. */
type Move = { what: string; id: string; source: string; target: string; amount: number; about: object };

async function writePart(trx: Transaction<unknown>, to: Written, part: readonly SampleSession[]): Promise<void> {
  const rows = part.map((session) => rowsOf(to, session));
  await insertRows(
    trx,
    "play_session",
    rows.map(({ session }) => session),
  );
  await insertRows(
    trx,
    "machine_transfer",
    rows.flatMap(({ transfers }) => transfers),
  );
  await insertRows(
    trx,
    "game",
    rows.flatMap(({ games }) => games),
  );
  // Their own trigger counts transfers when they are decided, and these were never open.
  await sql`select add_to_machine_books(machine_id, 0, 0, 0, 0, coalesce(sum(amount) filter (where direction = 'cashIn'), 0)::bigint,
      coalesce(sum(amount) filter (where direction = 'cashOut'), 0)::bigint)
    from machine_transfer where play_session_id = any(${part.map(({ id }) => id)}::text[]) group by machine_id`.execute(
    trx,
  );
  const moves = rows.flatMap((row) => row.moves).map((move, n) => ({ n, ...move }));
  const { rows: answers } = await sql<{ id: string; problem: string | null }>`
    select move.id, (case what when 'hold' then ledger.hold(id, 'cashIn', source, target, amount, about)
      when 'post' then ledger.post(id, amount, id, '{}') else ledger.transfer(id, what, source, target, amount, about) end).problem as problem
    from (select * from jsonb_to_recordset(${JSON.stringify(moves)}::jsonb)
      as new (n integer, what text, id text, source text, target text, amount bigint, about jsonb) order by n) move`.execute(
    trx,
  );
  const refused = answers.find(({ problem }) => problem !== null);
  if (refused !== undefined) throw new Error(`the ledger refuses ${refused.id} of the sample days: ${refused.problem}`);
  // The machine itself begins to count at 0: its own games follow those of the sample.
  for (const [at, { id }] of to.machines.entries())
    await sql`update machine set taken_game = ${to.played[at]}, games_base = ${to.played[at]}, meters = jsonb_set(meters, '{gamesPlayed}', to_jsonb(${to.played[at]}::bigint))
      where id = ${id}`.execute(trx);
}

async function insertRows(trx: Transaction<unknown>, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return;
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${names})
    select ${names} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`.execute(
    trx,
  );
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** The rows of one play session, and what it moves in the ledger. */
function rowsOf({ machines, players, played }: Written, one: SampleSession) {
  const { id: machine_id = "" } = machines[one.machine] ?? {};
  const player_id = players[one.player] ?? "";
  const [wallet, machine] = [`player:${player_id}`, `machine:${machine_id}`];
  const net = netOf(one);
  const wagered = one.games.reduce((sum, { stake }) => sum + stake, 0);
  const cashOut = one.cashIn + net;
  const [started_at, ended_at] = [timeOf(one.startedAt), timeOf(one.endedAt)];
  const about = { playSessionId: one.id, machineId: machine_id, actor: wallet, sample: true };
  const [inId, outId] = [`${one.id}-in`, `${one.id}-out`];
  const transferOf = (direction: "cashIn" | "cashOut", id: string, amount: number, at: string) => ({
    ...{ id, direction, amount, machine_id, play_session_id: one.id, player_id, epoch: 0, node_id: BY, state: "done" },
    ...{ asked: direction === "cashIn" ? amount : null, expected: 0, created_at: at, decided_at: at },
  });
  let credit = one.cashIn;
  const games = one.games.map(({ stake, win, endedAt }) => {
    const before = credit;
    credit += win - stake;
    played[one.machine] = (played[one.machine] ?? 0) + 1;
    return {
      ...{ machine_id, game_number: played[one.machine] ?? 0, play_session_id: one.id, stake, win, hand_paid: 0 },
      ...{ credit_before: before, credit_after: credit, free_spins: 0, bonus: false },
      ...{ started_at: timeOf(endedAt - 3_000), ended_at: timeOf(endedAt), taken_at: timeOf(endedAt) },
    };
  });
  return {
    session: {
      ...{ id: one.id, machine_id, player_id, started_at, ended_at, end_reason: "left" },
      ...{ net, wagered, cashed_in: one.cashIn, cashed_out: cashOut, games: games.length, free_spins: 0 },
    },
    transfers: [
      transferOf("cashIn", inId, one.cashIn, started_at),
      ...(cashOut === 0 ? [] : [transferOf("cashOut", outId, cashOut, ended_at)]),
    ],
    games,
    moves: [
      { what: "hold", id: inId, source: wallet, target: machine, amount: one.cashIn, about },
      { what: "post", id: inId, source: wallet, target: machine, amount: one.cashIn, about },
      ...games.flatMap(({ game_number: gameNumber, stake, win }): Move[] => {
        const moved = win - stake;
        if (moved === 0) return [];
        const [source, target] = moved > 0 ? ["house", machine] : [machine, "house"];
        const of = { machineId: machine_id, gameNumber, playSessionId: one.id, sample: true };
        const id = gameTransferId(machine_id, gameNumber);
        return [{ what: "game", id, source, target, amount: Math.abs(moved), about: of }];
      }),
      ...(cashOut === 0
        ? []
        : [{ what: "cashOut", id: outId, source: machine, target: wallet, amount: cashOut, about }]),
    ] satisfies Move[],
  };
}
