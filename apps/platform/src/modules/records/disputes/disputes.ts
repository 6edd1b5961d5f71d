import type { DisputeKind, DisputeVerdict } from "@longarm/contract/player-disputes";
import { DISPUTE_ADDITIONS_MAX, DISPUTE_WITHIN_DAYS, DISPUTES_OPEN_MAX } from "@longarm/contract/player-disputes";
import type { PlayedGame } from "@longarm/contract/player-record";
import type { DisputeStep } from "@longarm/contract/staff-disputes";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { HistoryTables } from "../history/index.ts";
import { lastGames } from "../history/index.ts";
import type { DisputeTables } from "./tables.ts";

/* Questions of players about a game: once for each game, what was said, and the verdict (record 0220). */

const tablesOf = (db: AnyDb): Kysely<DisputeTables> => db.withTables<DisputeTables>();

export type DisputeRow = {
  readonly id: string;
  readonly number: number;
  readonly playerId: string;
  readonly machineId: string;
  readonly gameNumber: number;
  readonly kind: DisputeKind;
  readonly openedAt: Date;
  readonly dueAt: Date;
  readonly owner: string | null;
  readonly decidedAt: Date | null;
  readonly verdict: DisputeVerdict | null;
  readonly amount: number | null;
  readonly transferId: string | null;
  /** Staff wrote something that the player has not read. */
  readonly isNew: boolean;
};

/** The id of a game as the player's record names it. */
export const gameIdOf = ({ machineId, gameNumber }: Pick<DisputeRow, "machineId" | "gameNumber">): string =>
  `${gameNumber}.${machineId}`;

/** Machine and number of such an id. */
export function gameOfId(id: string): { readonly machineId: string; readonly gameNumber: number } {
  const dot = id.indexOf(".");
  return { machineId: id.slice(dot + 1), gameNumber: Number(id.slice(0, dot)) };
}

type Wanted =
  | { readonly id: string }
  | { readonly playerId: string; readonly game: string }
  | { readonly playerId: string; readonly limit: number }
  | { readonly state: "open" | "decided"; readonly after?: string | undefined; readonly limit: number };

/** What the player has not read: of staff, and newer than the last reading. */
const unread = sql<boolean>`exists (select from dispute_step s where s.dispute_id = d.id and s.kind in ('question', 'decided')
  and s.at > coalesce(d.read_at, '-infinity'))`;

const rows = (db: AnyDb) =>
  tablesOf(db)
    .selectFrom("dispute as d")
    .select(["d.id", "d.number", "d.player_id as playerId", "d.machine_id as machineId", "d.game_number as gameNumber"])
    .select(["d.kind", "d.opened_at as openedAt", "d.due_at as dueAt", "d.owner", "d.decided_at as decidedAt"])
    .select(["d.verdict", "d.amount", "d.transfer_id as transferId", unread.as("isNew")]);

/** Questions: open ones with the first that is due first, others the newest first. `after`: the id of the last one of the page before. */
export async function listDisputes(db: AnyDb, wanted: Wanted): Promise<DisputeRow[]> {
  let query = rows(db);
  if ("id" in wanted) query = query.where("d.id", "=", wanted.id);
  else if ("game" in wanted) {
    const { machineId, gameNumber } = gameOfId(wanted.game);
    query = query.where("d.player_id", "=", wanted.playerId);
    query = query.where("d.machine_id", "=", machineId).where("d.game_number", "=", gameNumber);
  } else if ("playerId" in wanted)
    query = query.where("d.player_id", "=", wanted.playerId).orderBy("d.number", "desc").limit(wanted.limit);
  else {
    const { state, after, limit } = wanted;
    const isOpen = state === "open";
    query = query.where("d.decided_at", isOpen ? "is" : "is not", null).limit(limit);
    query = isOpen ? query.orderBy("d.due_at").orderBy("d.number") : query.orderBy("d.number", "desc");
    if (after !== undefined) {
      const last = sql`(select l.due_at, l.number from dispute l where l.id = ${after})`;
      const lastNumber = sql`(select l.number from dispute l where l.id = ${after})`;
      query = query.where(
        isOpen ? sql<boolean>`(d.due_at, d.number) > ${last}` : sql<boolean>`d.number < ${lastNumber}`,
      );
    }
  }
  return await query.execute();
}

export type StepRow = {
  readonly at: Date;
  readonly kind: DisputeStep;
  readonly staffId: string | null;
  readonly sender: string | null;
  readonly text: string | null;
  readonly sentence: string | null;
  /** Its words were erased. */
  readonly erased: boolean;
  /** Of a mark, ms by the agent's clock. */
  readonly momentMs: number | null;
};

/** What was said and done, the oldest first. Notes and marks of staff and verdicts that wait are for staff alone. */
export async function stepsOf(db: AnyDb, id: string, whom: "staff" | "player"): Promise<StepRow[]> {
  return await tablesOf(db)
    .selectFrom("dispute_step")
    .select(["at", "kind", "staff_id as staffId", "sender", "text", "sentence", "erased"])
    .select("moment_ms as momentMs")
    .where("dispute_id", "=", id)
    .$if(whom === "player", (query) => query.where("kind", "not in", ["note", "mark", "requested"]))
    .orderBy("id")
    .limit(STEPS_MAX)
    .execute();
}

/** The most steps of a question that are read. */
const STEPS_MAX = 200;
/** Of them so many may be notes, marks and changes of hand. */
const STAFF_STEPS_MAX = 100;

/** Whether a game may have a question: one of the last ten, or not too long ago, and not too many questions wait. */
export async function mayAsk(db: AnyDb, playerId: string, { id, end }: Pick<PlayedGame, "id" | "end">) {
  const { rows: counted } = await sql<{ open: number; recent: boolean }>`
    select (select count(*) from dispute where player_id = ${playerId} and decided_at is null) as open,
      ${end}::timestamptz > clock_timestamp() - make_interval(days => ${DISPUTE_WITHIN_DAYS}) as recent`.execute(db);
  const [{ open, recent } = { open: 0, recent: false }] = counted;
  if (open >= DISPUTES_OPEN_MAX) return false;
  return recent || (await lastGames(db.withTables<HistoryTables>(), playerId, undefined)).some((one) => one.id === id);
}

export type NewDispute = {
  readonly playerId: string;
  readonly game: string;
  readonly kind: DisputeKind;
  readonly words: string | null;
  readonly dueDays: number;
};

/** Keeps a question of a player about an own game. A game that has one keeps the first: nothing changes. */
export async function askDispute(trx: AnyDb, random: Random, { playerId, game, kind, words, dueDays }: NewDispute) {
  const db = tablesOf(trx);
  const { machineId, gameNumber } = gameOfId(game);
  const none = { owner: null, verdict: null, amount: null, transfer_id: null };
  const kept = await db
    .insertInto("dispute")
    .values({
      ...{ id: newId(random, "dq"), player_id: playerId, machine_id: machineId, game_number: gameNumber, kind },
      ...{ due_at: databaseIn(dueDays * DAY_MS), ...none },
    })
    .onConflict((conflict) => conflict.columns(["machine_id", "game_number"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (kept === undefined) return;
  await db
    .insertInto("dispute_step")
    .values(stepOf(kept.id, "opened", null, words))
    .execute();
}
const DAY_MS = 86_400_000;

/** A member of staff, by id and by the name that players read. */
export type DisputeActor = { readonly staffId: string; readonly name: string };

type MoreOfStep = { readonly sentence?: string; readonly momentMs?: number };

const stepOf = (
  id: string,
  kind: DisputeStep,
  by: DisputeActor | null,
  text: string | null,
  more: MoreOfStep = {},
) => ({
  ...{ dispute_id: id, kind, text, sentence: more.sentence ?? null, moment_ms: more.momentMs ?? null },
  ...{ staff_id: by?.staffId ?? null, sender: by?.name.slice(0, 100) ?? null },
});

/** A question, locked to the end of the transaction. Undefined: there is none. */
export async function lockDispute(
  trx: AnyDb,
  wanted: { readonly id: string } | { readonly playerId: string; readonly game: string },
): Promise<DisputeRow | undefined> {
  const [found] = await listDisputes(trx, wanted);
  if (found === undefined) return undefined;
  await tablesOf(trx).selectFrom("dispute").select("id").where("id", "=", found.id).forUpdate().execute();
  return (await listDisputes(trx, { id: found.id }))[0];
}

/** How often the player may add to a question yet. */
export const additionsLeft = (steps: readonly Pick<StepRow, "kind">[]): number =>
  Math.max(0, DISPUTE_ADDITIONS_MAX - steps.filter(({ kind }) => kind === "addition").length);

/** Adds words of the player to a question, which is locked and open. False: they have added as often as they may. */
export async function addWords(trx: AnyDb, id: string, text: string): Promise<boolean> {
  if (additionsLeft(await stepsOf(trx, id, "player")) === 0) return false;
  await tablesOf(trx)
    .insertInto("dispute_step")
    .values(stepOf(id, "addition", null, text))
    .execute();
  return true;
}

/** The player has read what staff wrote up to now. */
export async function readByPlayer(trx: AnyDb, id: string): Promise<void> {
  await tablesOf(trx).updateTable("dispute").set({ read_at: databaseNow() }).where("id", "=", id).execute();
}

/** Adds what a member of staff did to a question, which is locked and open. `taken` makes the person its owner. False: it has too many steps. */
export async function addStaffStep(
  trx: AnyDb,
  id: string,
  kind: "taken" | "note" | "mark" | "question" | "requested",
  by: DisputeActor,
  text: string | null,
  more?: MoreOfStep,
): Promise<boolean> {
  const db = tablesOf(trx);
  const steps = await stepsOf(trx, id, "staff");
  if (steps.filter(({ staffId }) => staffId !== null).length >= STAFF_STEPS_MAX) return false;
  if (kind === "taken") await db.updateTable("dispute").set({ owner: by.staffId }).where("id", "=", id).execute();
  await db
    .insertInto("dispute_step")
    .values(stepOf(id, kind, by, text, more))
    .execute();
  return true;
}

export type Verdict = {
  readonly verdict: DisputeVerdict;
  /** What the player reads first, and the letter below it. */
  readonly sentence: string;
  readonly letter: string;
  /** What was paid, minor units, and the ledger's id; null: no money moves. */
  readonly paid: { readonly amount: number; readonly transferId: string } | null;
};

/** Ends a question, which is locked and open. */
export async function decideDispute(
  trx: AnyDb,
  id: string,
  by: DisputeActor,
  { verdict, sentence, letter, paid }: Verdict,
): Promise<void> {
  const db = tablesOf(trx);
  await db
    .insertInto("dispute_step")
    .values(stepOf(id, "decided", by, letter, { sentence }))
    .execute();
  await db
    .updateTable("dispute")
    .set({ decided_at: databaseNow(), verdict, amount: paid?.amount ?? null, transfer_id: paid?.transferId ?? null })
    .where("id", "=", id)
    .execute();
}

/** Notes that a member of staff reads a question; looks within five minutes are one. A trigger writes the audit entry. */
export async function noteReading(db: AnyDb, id: string, staffId: string): Promise<void> {
  await sql`insert into dispute_reading (dispute_id, staff_id) select ${id}, ${staffId}
    where not exists (select from dispute_reading where dispute_id = ${id} and staff_id = ${staffId} and at > clock_timestamp() - interval '5 minutes')`.execute(
    db,
  );
}

/** The game of a question that has news for the player: staff asks back, or it is decided. Undefined: none has. */
export async function newsFor(db: AnyDb, playerId: string): Promise<string | undefined> {
  const { rows: found } = await sql<{ machineId: string; gameNumber: number }>`
    select d.machine_id as "machineId", d.game_number as "gameNumber" from dispute d
    where d.player_id = ${playerId} and ${unread} order by d.number desc limit 1`.execute(db);
  return found[0] && gameIdOf(found[0]);
}

/** Questions without a verdict that no person has, or whose answer is late, since then; the first that is due first. */
export async function waitingDisputes(
  db: AnyDb,
  most: number,
): Promise<(Pick<DisputeRow, "id" | "number" | "playerId" | "machineId"> & { readonly since: Date; late: boolean })[]> {
  const { rows: found } = await sql<
    Pick<DisputeRow, "id" | "number" | "playerId" | "machineId"> & { since: Date; late: boolean }
  >`
    select id, number, player_id as "playerId", machine_id as "machineId", case when due_at <= clock_timestamp() then due_at else opened_at end as since, due_at <= clock_timestamp() as late from dispute
    where decided_at is null and (owner is null or due_at <= clock_timestamp()) order by due_at limit ${most}`.execute(
    db,
  );
  return found;
}

/** Players with a question that was decided so many years ago and has words yet, and when the newest of them was decided; the oldest first. */
export async function disputeWordsKept(
  db: AnyDb,
  years: number,
  most: number,
): Promise<{ readonly playerId: string; readonly at: Date; readonly now: Date }[]> {
  const { rows: found } = await sql<{ playerId: string; at: Date; now: Date }>`
    select d.player_id as "playerId", max(s.at) as at, clock_timestamp() as now from dispute_step s join dispute d on d.id = s.dispute_id
    where s.kind = 'decided' and not s.erased and s.at < clock_timestamp() - make_interval(years => ${years}::int)
    group by d.player_id order by 2 limit ${most}`.execute(db);
  return found;
}

/** Erases what player and staff wrote in questions of a player that were decided a year ago. What was done, by whom and when, verdict and money stay. False: there was nothing. */
export async function eraseDisputeWords(trx: AnyDb, playerId: string): Promise<boolean> {
  const { rows: erased } =
    await sql`update dispute_step s set text = null, sentence = null, erased = true from dispute d
    where d.id = s.dispute_id and d.player_id = ${playerId} and dispute_is_over(d.id) and not s.erased
      and (s.text is not null or s.sentence is not null) returning s.id`.execute(trx);
  return erased.length > 0;
}

/** For queries of other rooms: whether the transfer with this id and amount is what the venue paid to the player of a question. */
export function paysDispute(transfer: RawBuilder<string>, amount: RawBuilder<number>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from dispute d where d.transfer_id = ${transfer} and d.amount = ${amount})`;
}
