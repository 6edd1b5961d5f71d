import type { CareLevel, CareMeasure, LimitAdvice } from "@longarm/contract/player-care";
import type { CareOutcome, CareStep } from "@longarm/contract/staff-care";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { CasesTables } from "./tables.ts";

/* Cases of players who may need care: one open case for each, what was seen, and what staff did (record 0207). */

const tablesOf = (db: AnyDb): Kysely<CasesTables> => db.withTables<CasesTables>();

/** A figure that was reached. */
export type Sign = {
  readonly measure: CareMeasure;
  readonly level: CareLevel;
  readonly value: number;
  /** From where it counted. */
  readonly limit: number;
};
export type FoundSign = Sign & { readonly at: Date };

export type CaseRow = {
  readonly id: string;
  readonly playerId: string;
  readonly level: CareLevel;
  readonly openedAt: Date;
  readonly owner: string | null;
  readonly closedAt: Date | null;
  readonly closedBy: string | null;
  readonly outcome: CareOutcome | null;
  readonly signs: readonly FoundSign[];
};

/** For queries of other rooms: whether the player of the column `id` has an open case. */
export function hasOpenCase(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from care_case c where c.player_id = ${sql.ref(id)} and c.closed_at is null)`;
}

type Wanted =
  | { readonly id: string }
  | { readonly playerId: string; readonly limit: number }
  | { readonly state: "open" | "closed"; readonly after?: string | undefined; readonly limit: number };

/** Cases with their signs, the newest first. `after`: the id of the last one of the page before. */
export async function listCases(db: AnyDb, wanted: Wanted): Promise<CaseRow[]> {
  let query = tablesOf(db)
    .selectFrom("care_case as c")
    .select(["c.id", "c.player_id as playerId", "c.level", "c.opened_at as openedAt", "c.owner"])
    .select(["c.closed_at as closedAt", "c.closed_by as closedBy", "c.outcome"])
    .orderBy("c.opened_at", "desc")
    .orderBy("c.id", "desc");
  if ("id" in wanted) query = query.where("c.id", "=", wanted.id);
  else {
    query = query.limit(wanted.limit);
    if ("playerId" in wanted) query = query.where("c.player_id", "=", wanted.playerId);
    else {
      query = query.where("c.closed_at", wanted.state === "open" ? "is" : "is not", null);
      if (wanted.after !== undefined)
        query = query.where(
          sql<boolean>`(c.opened_at, c.id) < (select l.opened_at, l.id from care_case l where l.id = ${wanted.after})`,
        );
    }
  }
  const cases = await query.execute();
  const signs = await signsOf(
    db,
    cases.map(({ id }) => id),
  );
  return cases.map((one) => ({ ...one, signs: signs.get(one.id) ?? [] }));
}

/** What was seen in these cases, the newest first. */
export async function signsOf(db: AnyDb, caseIds: readonly string[]): Promise<ReadonlyMap<string, FoundSign[]>> {
  if (caseIds.length === 0) return new Map();
  const rows = await tablesOf(db)
    .selectFrom("care_sign")
    .select(["case_id as caseId", "measure", "level", "value", "threshold as limit", "found_at as at"])
    .where("case_id", "in", [...caseIds])
    .orderBy("id", "desc")
    .execute();
  return Map.groupBy(rows, ({ caseId }) => caseId);
}

export type StepRow = {
  readonly at: Date;
  readonly kind: CareStep;
  readonly staffId: string | null;
  readonly text: string | null;
  readonly until: Date | null;
  readonly advice: LimitAdvice | null;
  readonly readAt: Date | null;
};

/** The most steps of a case that a page shows. */
const STEPS_MAX = 500;

/** What was done in a case, the newest first. */
export async function stepsOf(db: AnyDb, caseId: string): Promise<StepRow[]> {
  const rows = await tablesOf(db)
    .selectFrom("care_step as s")
    .leftJoin("care_letter as l", "l.step_id", "s.id")
    .select(["s.at", "s.kind", "s.staff_id as staffId", "s.text", "s.until"])
    .select(["l.advice_key as key", "l.advice_value as value", "l.read_at as readAt"])
    .where("s.case_id", "=", caseId)
    .orderBy("s.id", "desc")
    .limit(STEPS_MAX)
    .execute();
  return rows.map(({ key, value, ...step }) => ({ ...step, advice: adviceOf(key, value) }));
}

/** What a row says of a suggested limit. */
export const adviceOf = (key: string | null, value: number | null): LimitAdvice | null =>
  key === null || value === null ? null : { key: key as LimitAdvice["key"], value };

/** Signs whose figure was a reason of a case that ended so few days ago open no new one: the figure still counts what was talked about. */
const QUIET_DAYS = 7;

/**
 * Keeps what was seen of a player: opens a case, or extends the open one by what it does not have yet. What the last case ended with stays quiet for a
 * week, unless it has become strong. @returns the case, and whether it became strong now; undefined: nothing of it is new.
 */
export async function keepSigns(
  trx: AnyDb,
  random: Random,
  playerId: string,
  signs: readonly Sign[],
): Promise<{ readonly caseId: string; readonly isNew: boolean } | undefined> {
  if (signs.length === 0) return undefined;
  await lockCasesOf(trx, playerId);
  const { rows: known } = await sql<Pick<Sign, "measure" | "level">>`
    select s.measure, s.level from care_sign s join care_case c on c.id = s.case_id where c.player_id = ${playerId}
      and (c.closed_at is null or c.closed_at > clock_timestamp() - make_interval(days => ${QUIET_DAYS}))`.execute(trx);
  const has = (measure: CareMeasure, level: CareLevel) =>
    known.some((one) => one.measure === measure && one.level === level);
  const fresh = signs.filter(
    ({ measure, level }) => !has(measure, level) && !(level === "watch" && has(measure, "strong")),
  );
  if (fresh.length === 0) return undefined;
  const { caseId, isNew } = await openCase(trx, random, playerId, {
    by: null,
    level: strongestOf(fresh),
    reason: null,
  });
  await tablesOf(trx)
    .insertInto("care_sign")
    .values(
      fresh.map(({ measure, level, value, limit }) => ({ case_id: caseId, measure, level, value, threshold: limit })),
    )
    .execute();
  return { caseId, isNew };
}

const strongestOf = (signs: readonly Sign[]): CareLevel =>
  signs.some(({ level }) => level === "strong") ? "strong" : "watch";

/** Cases of one player change one after the other, to the end of the transaction. */
async function lockCasesOf(trx: AnyDb, playerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`care ${playerId}`}, 0))`.execute(trx);
}

type Opening = {
  /** Null: the platform. */
  readonly by: string | null;
  readonly level: CareLevel;
  readonly reason: string | null;
};

/** Opens a case of a player, or finds the open one, which becomes strong where this is. Call it under the lock of the player's cases. */
async function openCase(
  trx: AnyDb,
  random: Random,
  playerId: string,
  { by, level, reason }: Opening,
): Promise<{ readonly caseId: string; readonly isNew: boolean }> {
  const db = tablesOf(trx);
  const open = await db
    .selectFrom("care_case")
    .select(["id", "level"])
    .where("player_id", "=", playerId)
    .where("closed_at", "is", null)
    .executeTakeFirst();
  if (open !== undefined) {
    if (open.level === "watch" && level === "strong")
      await db.updateTable("care_case").set({ level }).where("id", "=", open.id).execute();
    return { caseId: open.id, isNew: false };
  }
  const id = newId(random, "cc");
  const none = { owner: null, closed_by: null, outcome: null, close_reason: null };
  await db
    .insertInto("care_case")
    .values({ id, player_id: playerId, level, opened_by: by, ...none })
    .execute();
  await db
    .insertInto("care_step")
    .values({ case_id: id, kind: "opened", staff_id: by, text: reason, until: null })
    .execute();
  return { caseId: id, isNew: true };
}

/** Opens a case by hand. Undefined: one is open already. */
export async function openCaseByHand(
  trx: AnyDb,
  random: Random,
  { playerId, by, reason }: { readonly playerId: string; readonly by: string; readonly reason: string },
): Promise<string | undefined> {
  await lockCasesOf(trx, playerId);
  const { caseId, isNew } = await openCase(trx, random, playerId, { by, level: "watch", reason });
  return isNew ? caseId : undefined;
}

/** A case, locked to the end of the transaction, after its player: signs come in this order too. Undefined: there is none. */
export async function lockCase(trx: AnyDb, id: string): Promise<Omit<CaseRow, "signs"> | undefined> {
  const db = tablesOf(trx);
  const known = await db.selectFrom("care_case").select("player_id").where("id", "=", id).executeTakeFirst();
  if (known === undefined) return undefined;
  await lockCasesOf(trx, known.player_id);
  return await db
    .selectFrom("care_case as c")
    .select(["c.id", "c.player_id as playerId", "c.level", "c.opened_at as openedAt", "c.owner"])
    .select(["c.closed_at as closedAt", "c.closed_by as closedBy", "c.outcome"])
    .where("c.id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

type NewStep = {
  readonly caseId: string;
  readonly kind: Exclude<CareStep, "opened" | "letter" | "closed">;
  readonly by: string;
  readonly text: string | null;
  readonly until?: Date;
};

/** Adds what a person did. The case is locked and open. `taken` makes the person its owner. */
export async function addStep(trx: AnyDb, { caseId, kind, by, text, until }: NewStep): Promise<void> {
  const db = tablesOf(trx);
  if (kind === "taken") await db.updateTable("care_case").set({ owner: by }).where("id", "=", caseId).execute();
  await db
    .insertInto("care_step")
    .values({ case_id: caseId, kind, staff_id: by, text, until: until ?? null })
    .execute();
}

/** Closes a case, which is locked and open, with what came of it. */
export async function closeCase(
  trx: AnyDb,
  { caseId, by, outcome, reason }: { caseId: string; by: string; outcome: CareOutcome; reason: string },
): Promise<void> {
  const db = tablesOf(trx);
  await db
    .insertInto("care_step")
    .values({ case_id: caseId, kind: "closed", staff_id: by, text: reason, until: null })
    .execute();
  await db
    .updateTable("care_case")
    .set({ closed_at: databaseNow(), closed_by: by, outcome, close_reason: reason })
    .where("id", "=", caseId)
    .execute();
}

/** Strong cases that no person has taken. */
export async function waitingCases(
  db: AnyDb,
  most: number,
): Promise<{ readonly id: string; readonly playerId: string; readonly since: Date }[]> {
  const { rows } = await sql<{ id: string; playerId: string; since: Date }>`
    select c.id, c.player_id as "playerId", coalesce((select min(s.found_at) from care_sign s where s.case_id = c.id and s.level = 'strong'), c.opened_at) as since
    from care_case c where c.closed_at is null and c.owner is null and c.level = 'strong' order by c.opened_at limit ${most}`.execute(
    db,
  );
  return rows;
}

/** Players with a case that was closed so many years ago and has words yet, and when the newest of them was closed; the oldest first. */
export async function wordsKept(db: AnyDb, years: number, most: number): Promise<WordsKept[]> {
  const { rows } = await sql<WordsKept>`
    select player_id as "playerId", max(closed_at) as at, clock_timestamp() as now from care_case
    where close_reason <> 'erased' and closed_at < clock_timestamp() - make_interval(years => ${years}::int)
    group by player_id order by 2 limit ${most}`.execute(db);
  return rows;
}
type WordsKept = { readonly playerId: string; readonly at: Date; readonly now: Date };

/** Erases what was written in cases of a player that were closed so many years ago: notes, letters, reasons. Signs, steps and outcomes stay. False: there was nothing. */
export async function eraseWords(trx: AnyDb, playerId: string, years: number): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`update care_case set close_reason = 'erased' where player_id = ${playerId}
    and close_reason <> 'erased' and closed_at < clock_timestamp() - make_interval(years => ${years}::int) returning id`.execute(
    trx,
  );
  const ids = rows.map(({ id }) => id);
  await sql`update care_step set text = null where case_id = any(${ids}::text[]) and text is not null`.execute(trx);
  return ids.length > 0;
}
