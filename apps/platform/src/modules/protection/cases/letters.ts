import type { LimitAdvice } from "@longarm/contract/player-care";
import { LETTER_LETTERS_MAX } from "@longarm/contract/player-care";
import type { Language, OperatorText } from "@longarm/contract/settings";
import { LANGUAGES } from "@longarm/contract/settings";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { FoundSign } from "./cases.ts";
import { adviceOf } from "./cases.ts";
import type { CasesTables } from "./tables.ts";

/** A player gets one letter in so many days, whichever case it is of. */
export const LETTER_DAYS = 14;
/** The most letters that a player's page shows. */
const LETTERS_MAX = 20;

const tablesOf = (db: AnyDb): Kysely<CasesTables> => db.withTables<CasesTables>();

/** From when on a player may get the next letter; null: now. */
export async function letterFrom(db: AnyDb, playerId: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(sent_at) + make_interval(days => ${LETTER_DAYS}) as at from care_letter where player_id = ${playerId}
    having max(sent_at) + make_interval(days => ${LETTER_DAYS}) > clock_timestamp()`.execute(db);
  return rows[0]?.at ?? null;
}

export type NewLetter = {
  readonly caseId: string;
  readonly playerId: string;
  readonly by: string;
  /** The name that the player reads. */
  readonly sender: string;
  readonly text: string;
  readonly advice: LimitAdvice | null;
};

/** Sends a letter of a case, which is locked and open. @returns its id. */
export async function sendLetter(
  trx: AnyDb,
  random: Random,
  { caseId, playerId, by, sender, text, advice }: NewLetter,
): Promise<string> {
  const db = tablesOf(trx);
  const { id: stepId } = await db
    .insertInto("care_step")
    .values({ case_id: caseId, kind: "letter", staff_id: by, text, until: null })
    .returning("id")
    .executeTakeFirstOrThrow();
  const id = newId(random, "le");
  await db
    .insertInto("care_letter")
    .values({
      ...{ id, step_id: stepId, case_id: caseId, player_id: playerId, sender },
      ...{ advice_key: advice?.key ?? null, advice_value: advice?.value ?? null },
    })
    .execute();
  return id;
}

/** A letter as its player reads it. */
export type Letter = {
  readonly id: string;
  readonly sentAt: Date;
  readonly readAt: Date | null;
  readonly from: string;
  readonly text: string;
  readonly advice: LimitAdvice | null;
  /** What was seen until it was written. */
  readonly why: readonly FoundSign[];
};

/** A player's letters, the newest first. */
export async function lettersOf(db: AnyDb, playerId: string): Promise<Letter[]> {
  const { rows } = await sql<Omit<Letter, "advice"> & { key: string | null; value: number | null; why: WireSign[] }>`
    select l.id, l.sent_at as "sentAt", l.read_at as "readAt", l.sender as "from", s.text, l.advice_key as key, l.advice_value as value,
      coalesce((select jsonb_agg(jsonb_build_object('measure', g.measure, 'level', g.level, 'value', g.value, 'limit', g.threshold, 'at', g.found_at) order by g.id desc)
        from care_sign g where g.case_id = l.case_id and g.found_at <= l.sent_at), '[]') as why
    from care_letter l join care_step s on s.id = l.step_id
    where l.player_id = ${playerId} and s.text is not null order by l.sent_at desc, l.id limit ${LETTERS_MAX}`.execute(
    db,
  );
  return rows.map(({ key, value, why, ...letter }) => ({
    ...letter,
    advice: adviceOf(key, value),
    why: why.map((sign) => ({ ...sign, at: new Date(sign.at) })),
  }));
}
type WireSign = Omit<FoundSign, "at"> & { readonly at: string };

/** The player puts a letter away; again changes nothing. False: it is not one of this player's. */
export async function putLetterAway(db: AnyDb, playerId: string, id: string): Promise<boolean> {
  const own = tablesOf(db);
  const { numUpdatedRows } = await own
    .updateTable("care_letter")
    .set({ read_at: databaseNow() })
    .where("id", "=", id)
    .where("player_id", "=", playerId)
    .where("read_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  const before = await own
    .selectFrom("care_letter")
    .select("id")
    .where("id", "=", id)
    .where("player_id", "=", playerId)
    .executeTakeFirst();
  return before !== undefined;
}

/** Whether a letter waits for the player. */
export async function hasLetter(db: AnyDb, playerId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from care_letter l join care_step s on s.id = l.step_id
      where l.player_id = ${playerId} and l.read_at is null and s.text is not null) as has`.execute(db);
  return rows[0]?.has === true;
}

/** What a letter begins with where the operator has written nothing: staff completes it, and the player reads only what staff sends. */
const DRAFTS: Readonly<Record<Language, string>> = {
  en: "Hello. We have seen that you play more than before. If that feels right to you, there is nothing to do.\n\nIf it does not, you can set a limit, take a break, or talk to somebody outside. I am glad to talk to you, too.",
  tr: "Merhaba. Eskisinden daha çok oynadığınızı gördük. Size iyi geliyorsa yapacak bir şey yok.\n\nGelmiyorsa bir sınır koyabilir, mola verebilir ya da dışarıdan biriyle konuşabilirsiniz. Benimle de konuşabilirsiniz.",
  ar: "مرحبًا. لاحظنا أنك تلعب أكثر من قبل. إن كان ذلك مناسبًا لك فلا داعي لفعل شيء.\n\nوإن لم يكن، فيمكنك أن تضع حدًا أو تأخذ استراحة أو تتحدث إلى جهة خارجية. ويسعدني أن أتحدث إليك أيضًا.",
};

/** The draft in each language: the operator's own, the same for all or one for each, else ours. An operator's longer text is cut. */
export function letterDrafts(own: OperatorText): Record<Language, string> {
  const draft = (language: Language): string => {
    const text = typeof own === "string" ? own : (own[language] ?? "");
    return text.trim() === "" ? DRAFTS[language] : text.slice(0, LETTER_LETTERS_MAX);
  };
  return Object.fromEntries(LANGUAGES.map((language) => [language, draft(language)])) as Record<Language, string>;
}
