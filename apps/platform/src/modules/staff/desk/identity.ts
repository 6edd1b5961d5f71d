import type { Kysely } from "kysely";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer, searchPlayers } from "../../players/accounts/index.ts";
import { eraseWords, wordsKept } from "../../protection/cases/index.ts";
import type {
  IdentityDecision,
  IdentityRecord,
  NewDecision,
  OtherAccounts,
  SeenNumbers,
} from "../../protection/identity/index.ts";
import {
  accountsOf,
  ageGroupOf,
  bornOnTheSameDay,
  correctionOf,
  decideIdentity,
  decisionsOf,
  eraseRecord,
  excludedOf,
  forgetCorrections,
  identityOf,
  isBirthDate,
  isHalf,
  keepCorrection,
  keepMarks,
  keepRecord,
  lockIdentity,
  makesOlder,
  marksOf,
  nameForm,
  untouchedRecords,
} from "../../protection/identity/index.ts";
import type { MarketTables } from "../../protection/markets/index.ts";
import { MARKET_IDS, rulesOf, rulesOfMarket } from "../../protection/markets/index.ts";
import { disputeWordsKept, eraseDisputeWords } from "../../records/disputes/index.ts";
import { Refused } from "../sign-in/index.ts";

/** A decision with what was seen; what is absent of the record stays as it is. */
type IdentityOrder = NewDecision & { readonly record: Partial<IdentityRecord>; readonly seen?: SeenNumbers };

/** What a second person must sign: where the personal data wait, the age groups, which are all that approval and audit log have of them, and whether other accounts are said to be somebody else's. */
type Corrected = {
  readonly correction: string;
  readonly groupBefore: string;
  readonly groupAfter: string;
  readonly others: OtherAccounts | null;
};

/**
 * Decides about a player's identity and keeps what was seen. `second`: what is done in its place where a birth date makes the player older than was
 * known, or follows one that was erased, or where another account with the same number or document is said to be somebody else's; absent: no second
 * person is needed.
 * @throws Refused `act.refused`: verified without a birth date; `request.invalid`: a date that no living person or document has, or half a number.
 */
export async function decideAtDesk<Otherwise>(
  trx: Kysely<unknown>,
  random: Random,
  { record, seen = {}, ...decision }: IdentityOrder,
  second?: (corrected: Corrected) => Promise<Otherwise>,
): Promise<{ done: IdentityDecision } | { otherwise: Otherwise }> {
  const { playerId, state, validUntil, others } = decision;
  const { birthDate } = record;
  await lockIdentity(trx, playerId);
  const known = await identityOf(trx, playerId);
  if (validUntil !== null && state !== "verified") throw new Refused("request.invalid", { where: "validUntil" });
  if (isHalf({ ...seen, personalNumber: record.personalNumber ?? undefined }))
    throw new Refused("request.invalid", { where: "country" });
  if (birthDate != null && !(await isBirthDate(trx, birthDate)))
    throw new Refused("request.invalid", { where: "birthDate" });
  if (state === "verified" && (birthDate ?? known.birthDate) === null)
    throw new Refused("act.refused", { sentence: "An identity is verified with a birth date." });
  const marks = await marksOf(trx, random, { ...seen, personalNumber: record.personalNumber ?? undefined });
  const isOlder = birthDate != null && (await makesOlder(trx, playerId, birthDate));
  if (second !== undefined && (isOlder || others === "different")) {
    const correction = newId(random, "ic");
    const { personalNumber = null, document = null } = record;
    const waits = { birthDate: birthDate ?? null, personalNumber, document, marks, others: others ?? null };
    await keepCorrection(trx, correction, playerId, { was: known.birthDate, ...waits });
    const groupBefore = await ageGroupOf(trx, known.birthDate);
    const groupAfter = birthDate == null ? groupBefore : await ageGroupOf(trx, birthDate);
    return { otherwise: await second({ correction, groupBefore, groupAfter, others: others ?? null }) };
  }
  await keepRecord(trx, playerId, record);
  await keepMarks(trx, playerId, marks);
  return { done: await decideIdentity(trx, decision) };
}

/** Does what a second person has signed. @throws Refused `approval.changed`: the data were erased, or what was known is another by now. */
export async function decideSigned(trx: Kysely<unknown>, correction: string, decision: NewDecision): Promise<void> {
  const { playerId } = decision;
  await lockIdentity(trx, playerId);
  const waiting = await correctionOf(trx, playerId);
  const known = await identityOf(trx, playerId);
  if (waiting?.id !== correction || waiting.was !== known.birthDate) throw new Refused("approval.changed");
  const { birthDate, personalNumber, document, marks, others } = waiting;
  await keepRecord(trx, playerId, {
    ...(birthDate !== null && { birthDate }),
    ...(personalNumber !== null && { personalNumber }),
    ...(document !== null && { document }),
  });
  await keepMarks(trx, playerId, marks);
  await forgetCorrections(trx, playerId);
  await decideIdentity(trx, { ...decision, others: others ?? undefined });
}

/** Another account of the same person, or one that only looks like it: the same name and birth date. */
type OtherAccount = {
  readonly player: { readonly id: string; readonly username: string };
  readonly is: "same" | "alike";
  readonly excluded: boolean;
};

/** The other accounts of a player's person by number and document, and those that a name and a birth date hint at. */
export async function otherAccounts(db: Kysely<unknown>, playerId: string): Promise<OtherAccount[]> {
  const same = new Set((await accountsOf(db, [playerId])).get(playerId) ?? []);
  const ids = [...new Set([...same, ...(await bornOnTheSameDay(db, playerId))])].filter((id) => id !== playerId);
  if (ids.length === 0) return [];
  const players = db.withTables<PlayersTables>();
  const nameOf = (one: { readonly name: string; readonly lastname: string } | undefined) =>
    nameForm(`${one?.name ?? ""} ${one?.lastname ?? ""}`);
  const own = nameOf(await findPlayer(players, playerId));
  const found = await searchPlayers(players, { ids, limit: ids.length });
  const shown = found.filter((one) => same.has(one.id) || (own !== "" && nameOf(one) === own));
  const excluded = await excludedOf(
    db,
    shown.map(({ id }) => id),
  );
  return shown.map(({ id, username }) => ({
    player: { id, username },
    is: same.has(id) ? "same" : "alike",
    excluded: excluded.has(id),
  }));
}

/**
 * Erases the personal data of a player, what staff wrote about or to the player in cases that the market wants no longer, and the words of questions
 * that were decided a year ago. @throws Refused: none are kept.
 */
export async function eraseAtDesk(trx: Kysely<unknown>, playerId: string): Promise<void> {
  await lockIdentity(trx, playerId);
  const { identityKeepYears } = await rulesOf(trx.withTables<MarketTables>(), { playerId });
  const erased = [
    await eraseWords(trx, playerId, identityKeepYears),
    await eraseDisputeWords(trx, playerId),
    await eraseRecord(trx, playerId),
  ];
  if (!erased.includes(true)) throw new Refused("act.refused", { sentence: "No personal data are kept." });
}

/** Personal data that the market lets the venue keep no longer. */
export type DueRecord = {
  readonly playerId: string;
  readonly username: string;
  /** When the player was last here, or the data were last changed or decided about. */
  readonly since: Date;
  readonly keepYears: number;
};

/** What is due to be erased now, the oldest first; at most `most` records, and as many players with cases and with questions, are looked at. */
export async function dueRecords(db: Kysely<unknown>, most: number): Promise<DueRecord[]> {
  const records = await untouchedRecords(db, KEEP_YEARS_LEAST, most);
  const cases = await wordsKept(db, KEEP_YEARS_LEAST, most);
  const words = [...cases, ...(await disputeWordsKept(db, KEEP_YEARS_LEAST, most))];
  const due: DueRecord[] = [];
  for (const { playerId, at, now } of [...new Map([...words, ...records].map((one) => [one.playerId, one])).values()]) {
    const player = await findPlayer(db.withTables<PlayersTables>(), playerId);
    const { identityKeepYears: keepYears } = await rulesOf(db.withTables<MarketTables>(), { playerId });
    const decided = (await decisionsOf(db, playerId, 1))[0]?.at.getTime() ?? 0;
    const closed = words.flatMap((one) => (one.playerId === playerId ? one.at.getTime() : []));
    const since = new Date(Math.max(at.getTime(), decided, ...closed, player?.last_logon?.getTime() ?? 0));
    const end = new Date(since);
    end.setUTCFullYear(end.getUTCFullYear() + keepYears);
    if (player !== undefined && end <= now) due.push({ playerId, username: player.username, since, keepYears });
  }
  return due.toSorted((one, other) => one.since.getTime() - other.since.getTime());
}

/** No market lets go sooner. */
const KEEP_YEARS_LEAST = Math.min(...MARKET_IDS.map((id) => rulesOfMarket(id).identityKeepYears));
