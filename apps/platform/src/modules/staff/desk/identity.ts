import type { Kysely } from "kysely";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import type { IdentityRecord, NewDecision } from "../../protection/identity/index.ts";
import {
  ageGroupOf,
  correctionOf,
  decideIdentity,
  eraseRecord,
  forgetCorrections,
  identityOf,
  isBirthDate,
  keepCorrection,
  keepRecord,
  lockIdentity,
  makesOlder,
  untouchedRecords,
} from "../../protection/identity/index.ts";
import type { MarketTables } from "../../protection/markets/index.ts";
import { MARKET_IDS, rulesOf, rulesOfMarket } from "../../protection/markets/index.ts";
import { Refused } from "../sign-in/index.ts";

/** A decision with what was seen; what is absent of the record stays as it is. */
type IdentityOrder = NewDecision & { readonly record: Partial<IdentityRecord> };

/** What a second person must sign: where the personal data wait, and the age groups, which are all that approval and audit log have of them. */
type OlderBirthDate = { readonly correction: string; readonly groupBefore: string; readonly groupAfter: string };

/**
 * Decides about a player's identity and keeps what was seen. `second`: what is done in its place where a birth date makes the player older than was
 * known, or follows one that was erased; absent: no second person is needed.
 * @throws Refused `act.refused`: verified without a birth date; `request.invalid`: a date that no living person or document has.
 */
export async function decideAtDesk<Otherwise>(
  trx: Kysely<unknown>,
  random: Random,
  { record, ...decision }: IdentityOrder,
  second?: (older: OlderBirthDate) => Promise<Otherwise>,
): Promise<{ done: true } | { otherwise: Otherwise }> {
  const { playerId, state, validUntil } = decision;
  const { birthDate } = record;
  await lockIdentity(trx, playerId);
  const known = await identityOf(trx, playerId);
  if (validUntil !== null && state !== "verified") throw new Refused("request.invalid", { where: "validUntil" });
  if (birthDate != null && !(await isBirthDate(trx, birthDate)))
    throw new Refused("request.invalid", { where: "birthDate" });
  if (state === "verified" && (birthDate ?? known.birthDate) === null)
    throw new Refused("act.refused", { sentence: "An identity is verified with a birth date." });
  if (second !== undefined && birthDate != null && (await makesOlder(trx, playerId, birthDate))) {
    const correction = newId(random, "ic");
    const { personalNumber = null, document = null } = record;
    await keepCorrection(trx, correction, playerId, { was: known.birthDate, birthDate, personalNumber, document });
    const [groupBefore, groupAfter] = [await ageGroupOf(trx, known.birthDate), await ageGroupOf(trx, birthDate)];
    return { otherwise: await second({ correction, groupBefore, groupAfter }) };
  }
  await keepRecord(trx, playerId, record);
  await decideIdentity(trx, decision);
  return { done: true };
}

/** Does what a second person has signed. @throws Refused `approval.changed`: the data were erased, or what was known is another by now. */
export async function decideSigned(trx: Kysely<unknown>, correction: string, decision: NewDecision): Promise<void> {
  const { playerId } = decision;
  await lockIdentity(trx, playerId);
  const waiting = await correctionOf(trx, playerId);
  const known = await identityOf(trx, playerId);
  if (waiting?.id !== correction || waiting.was !== known.birthDate) throw new Refused("approval.changed");
  const { birthDate, personalNumber, document } = waiting;
  await keepRecord(trx, playerId, {
    birthDate,
    ...(personalNumber !== null && { personalNumber }),
    ...(document !== null && { document }),
  });
  await forgetCorrections(trx, playerId);
  await decideIdentity(trx, decision);
}

/** Erases the personal data of a player. @throws Refused: none are kept. */
export async function eraseAtDesk(trx: Kysely<unknown>, playerId: string): Promise<void> {
  await lockIdentity(trx, playerId);
  if (!(await eraseRecord(trx, playerId))) throw new Refused("act.refused", { sentence: "No personal data are kept." });
}

/** Personal data that the market lets the venue keep no longer. */
export type DueRecord = {
  readonly playerId: string;
  readonly username: string;
  /** When the player was last here, or the data were last changed or decided about. */
  readonly since: Date;
  readonly keepYears: number;
};

/** What is due to be erased now, the oldest first; at most `most` are looked at. */
export async function dueRecords(db: Kysely<unknown>, most: number): Promise<DueRecord[]> {
  const due: DueRecord[] = [];
  for (const { playerId, at, now } of await untouchedRecords(db, KEEP_YEARS_LEAST, most)) {
    const player = await findPlayer(db.withTables<PlayersTables>(), playerId);
    const { identityKeepYears: keepYears } = await rulesOf(db.withTables<MarketTables>(), { playerId });
    const since = new Date(Math.max(at.getTime(), player?.last_logon?.getTime() ?? 0));
    const end = new Date(since);
    end.setUTCFullYear(end.getUTCFullYear() + keepYears);
    if (player !== undefined && end <= now) due.push({ playerId, username: player.username, since, keepYears });
  }
  return due;
}

/** No market lets go sooner. */
const KEEP_YEARS_LEAST = Math.min(...MARKET_IDS.map((id) => rulesOfMarket(id).identityKeepYears));
