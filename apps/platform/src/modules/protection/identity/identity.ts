import type { IdentityGate, IdentityState } from "@longarm/contract/player-identity";
import { identityCalls as calls, IDENTITY_DECISIONS, IDENTITY_GATES } from "@longarm/contract/player-identity";
import type { Problem } from "@longarm/contract/problems";
import type { FastifyInstance } from "fastify";
import type { ColumnType, Generated, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb, PlatformDeps } from "../../../deps.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { MarketTables, Rules } from "../markets/index.ts";
import { AGE_MIN_MOST, rulesOf } from "../markets/index.ts";
import type { Mark } from "./person.ts";
import { accountsOf, forgetMarks, partPlayer } from "./person.ts";

export { IDENTITY_DECISIONS };
/** What a person or a service may decide. `expired`: the proof is over before the document's last day. */
export type IdentityDecision = (typeof IDENTITY_DECISIONS)[number];

/** `migrations/protection`. */
export type IdentityTables = {
  identity_decision: {
    id: Generated<number>;
    player_id: string;
    state: IdentityDecision;
    valid_until: string | null;
    decided_by: string;
    reason: string;
    others: "held" | OtherAccounts | null;
    decided_at: ColumnType<Date, never, never>;
  };
  identity_record: {
    player_id: string;
    birth_date: string | null;
    personal_number: string | null;
    document: string | null;
    changed_at: Generated<Date>;
  };
  identity_correction: {
    id: string;
    player_id: string;
    was: string | null;
    birth_date: string | null;
    personal_number: string | null;
    document: string | null;
    marks: ColumnType<Mark[], string, never>;
    others: OtherAccounts | null;
    requested_at: ColumnType<Date, never, never>;
  };
};
type Db = AnyDb;

/** What a person says of other accounts with the same number or document: one person's, or somebody else's. */
export type OtherAccounts = "same" | "different";

/** What is known of a player. Dates as `2001-05-31`. */
export type Identity = {
  readonly playerId: string;
  readonly state: IdentityState;
  readonly validUntil: string | null;
  /** Whole years by the date at the venue; null: not known. */
  readonly age: number | null;
  readonly birthDate: string | null;
  readonly personalNumber: string | null;
  readonly document: string | null;
};

/** The date at the venue (`migrations/reports`), by the database's clock: players grow older, and documents end, at the venue's midnight. */
const VENUE_DAY = sql<string>`venue_day(clock_timestamp())`;

/** What is known of these players; who has proved nothing is in it with `none`. */
export async function identitiesOf(db: Db, playerIds: readonly string[]): Promise<ReadonlyMap<string, Identity>> {
  const { rows } = await sql<Identity>`
    select w.id as "playerId", d.valid_until::text as "validUntil", r.birth_date::text as "birthDate", r.personal_number as "personalNumber", r.document,
      extract(year from age(${VENUE_DAY}, r.birth_date))::int as age,
      case when d.state is null then 'none' when d.state = 'verified' and d.valid_until < ${VENUE_DAY} then 'expired' else d.state end as state
    from unnest(${[...playerIds]}::text[]) as w (id) left join identity_record r on r.player_id = w.id
      left join lateral (select state, valid_until from identity_decision d where d.player_id = w.id order by d.id desc limit 1) d on true`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.playerId, row]));
}

export async function identityOf(db: Db, playerId: string): Promise<Identity> {
  const found = (await identitiesOf(db, [playerId])).get(playerId);
  if (found === undefined) throw new Error("a query for one player gave no row");
  return found;
}

/** Whether the state opens a gate. A player who was refused, or whose document has expired, still gets the own money. */
const OPENS: Readonly<Record<IdentityState, readonly IdentityGate[]>> = {
  none: [],
  pending: [],
  verified: ["play", "deposit", "withdrawal"],
  refused: ["withdrawal"],
  expired: ["withdrawal"],
};
const PROBLEMS = {
  none: "identity.required",
  pending: "identity.pending",
  refused: "identity.refused",
  expired: "identity.required",
} as const;

/** For queries of other rooms: whether the player of the column `id` may be younger than a market allows. `identityProblem` decides. */
export const mayBeTooYoung = (id: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from identity_record r where r.player_id = ${sql.ref(id)}
    and r.birth_date > ${VENUE_DAY} - make_interval(years => ${AGE_MIN_MOST}::int))`;

/** Why a player may not pass a gate by the rules; null: may. Problems: identity.required, identity.pending, identity.refused, player.too_young. */
export function identityProblem(
  { state, age }: Pick<Identity, "state" | "age">,
  gate: IdentityGate,
  { identityBefore, ageMin }: Pick<Rules, "identityBefore" | "ageMin">,
): Problem | null {
  // A player who is known to be too young neither plays nor pays in, in any market.
  if (gate !== "withdrawal" && age !== null && age < ageMin)
    return { name: "player.too_young", params: { age: ageMin } };
  if (!identityBefore.includes(gate) || OPENS[state].includes(gate)) return null;
  return state === "verified" ? null : { name: PROBLEMS[state] };
}

/** What the rules want a player to have proved, the youngest age, and what is closed now for want of either. */
export async function closedGates(
  db: Db,
  playerId: string,
): Promise<{ ageMin: number; before: IdentityGate[]; closed: IdentityGate[] }> {
  const rules = await rulesOf(db.withTables<MarketTables>(), { playerId });
  const identity = await identityOf(db, playerId);
  return {
    ageMin: rules.ageMin,
    before: [...rules.identityBefore],
    closed: IDENTITY_GATES.filter((gate) => identityProblem(identity, gate, rules) !== null),
  };
}

export type NewDecision = {
  readonly playerId: string;
  readonly state: IdentityDecision;
  /** Last day of the document; only with `verified`. */
  readonly validUntil: string | null;
  readonly by: string;
  readonly reason: string;
  readonly others?: OtherAccounts | undefined;
};

/** A decision that was made. `held`: it became `pending`, and waits for what a person says of other accounts. */
export type MadeDecision = Omit<NewDecision, "playerId" | "others"> & { readonly at: Date; readonly held: boolean };

/** The newest decisions about a player, at most `most`. */
export async function decisionsOf(db: Db, playerId: string, most: number): Promise<MadeDecision[]> {
  const { rows } = await sql<MadeDecision>`
    select state, valid_until::text as "validUntil", decided_by as "by", reason, decided_at as "at", others is not distinct from 'held' as held
    from identity_decision
    where player_id = ${playerId} order by id desc limit ${most}`.execute(db);
  return rows;
}

/**
 * Decides; the newest decision holds. No player is verified while another account has the same number or document and no person has said what that is: the
 * decision becomes `pending`. @returns what it became.
 */
export async function decideIdentity(
  db: Db,
  { playerId, state, validUntil, by, reason, others }: NewDecision,
): Promise<IdentityDecision> {
  if (others === "different") await partPlayer(db, playerId);
  const isHeld = state === "verified" && others === undefined && (await accountsOf(db, [playerId])).has(playerId);
  const becomes = isHeld ? "pending" : state;
  await db
    .withTables<IdentityTables>()
    .insertInto("identity_decision")
    .values({
      ...{ player_id: playerId, state: becomes, valid_until: isHeld ? null : validUntil, decided_by: by, reason },
      others: isHeld ? "held" : (others ?? null),
    })
    .execute();
  return becomes;
}

export type IdentityRecord = Pick<Identity, "birthDate" | "personalNumber" | "document">;

/** Keeps personal data of a player; what is undefined stays as it was. */
export async function keepRecord(db: Db, playerId: string, record: Partial<IdentityRecord>): Promise<void> {
  const { birthDate, personalNumber, document } = record;
  const given = {
    ...(birthDate !== undefined && { birth_date: birthDate }),
    ...(personalNumber !== undefined && { personal_number: personalNumber }),
    ...(document !== undefined && { document }),
  };
  if (Object.keys(given).length === 0) return;
  await db
    .withTables<IdentityTables>()
    .insertInto("identity_record")
    .values({ player_id: playerId, birth_date: null, personal_number: null, document: null, ...given })
    .onConflict((conflict) =>
      conflict.column("player_id").doUpdateSet({ ...given, changed_at: sql`clock_timestamp()` }),
    )
    .execute();
}

/** One person after the other decides about this player, to the end of the transaction. */
export async function lockIdentity(trx: Db, playerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`identity ${playerId}`}, 0))`.execute(trx);
}

/** Whether somebody who lives can have been born on this day, by the date at the venue. */
export async function isBirthDate(db: Db, birthDate: string): Promise<boolean> {
  const { rows } = await sql<{ right: boolean }>`
    select ${birthDate}::date > '1890-01-01' and ${birthDate}::date <= ${VENUE_DAY} as right`.execute(db);
  return rows[0]?.right ?? false;
}

/** Whether a birth date would make a player older than is known, or take the place of one that was erased. */
export async function makesOlder(db: Db, playerId: string, birthDate: string): Promise<boolean> {
  const { rows } = await sql<{ older: boolean }>`
    select coalesce((select ${birthDate}::date < r.birth_date from identity_record r where r.player_id = ${playerId}),
      exists (select from identity_erasure e where e.player_id = ${playerId})) as older`.execute(db);
  return rows[0]?.older ?? false;
}

/** The age group of a date, as the audit log has it: `18 to 20`. Null: no date. */
export async function ageGroupOf(db: Db, birthDate: string | null): Promise<string> {
  const { rows } = await sql<{ name: string }>`select identity_age_group(${birthDate}::date) as name`.execute(db);
  return rows[0]?.name ?? "unknown";
}

/** Personal data that wait for a second person. */
export type Correction = IdentityRecord & {
  readonly was: string | null;
  readonly marks: readonly Mark[];
  readonly others: OtherAccounts | null;
};

/** Keeps what a second person must sign, and forgets what waited before: of this player, and of everybody after a day. */
export async function keepCorrection(
  db: Db,
  id: string,
  playerId: string,
  { was, birthDate, personalNumber, document, marks, others }: Correction,
): Promise<void> {
  const tables = db.withTables<IdentityTables>();
  await sql`delete from identity_correction
    where player_id = ${playerId} or requested_at < clock_timestamp() - interval '1 day'`.execute(db);
  await tables
    .insertInto("identity_correction")
    .values({
      ...{ id, player_id: playerId, was, birth_date: birthDate, personal_number: personalNumber, document },
      ...{ marks: JSON.stringify(marks), others },
    })
    .execute();
}

/** The newest correction of a player that waits, or that waited in vain and was not forgotten yet. */
export async function correctionOf(db: Db, playerId: string): Promise<(Correction & { id: string }) | undefined> {
  const { rows } = await sql<Correction & { id: string }>`
    select id, was::text as was, birth_date::text as "birthDate", personal_number as "personalNumber", document, marks, others
    from identity_correction where player_id = ${playerId} order by requested_at desc limit 1`.execute(db);
  return rows[0];
}

/** Forgets what waited: it was signed. */
export async function forgetCorrections(db: Db, playerId: string): Promise<void> {
  await db.withTables<IdentityTables>().deleteFrom("identity_correction").where("player_id", "=", playerId).execute();
}

/** Erases the personal data; decisions stay, that data were erased, and while the player is kept from play the marks. False: there were none. */
export async function eraseRecord(db: Db, playerId: string): Promise<boolean> {
  await forgetCorrections(db, playerId);
  const { numDeletedRows } = await db
    .withTables<IdentityTables>()
    .deleteFrom("identity_record")
    .where("player_id", "=", playerId)
    .executeTakeFirstOrThrow();
  await forgetMarks(db);
  return numDeletedRows > 0n;
}

/** Players whose personal data were neither changed nor decided about for so many years, by the database's clock; the oldest first. */
export async function untouchedRecords(db: Db, years: number, limit: number): Promise<Untouched[]> {
  const { rows } = await sql<Untouched>`
    select r.player_id as "playerId", t.at, clock_timestamp() as now from identity_record r, lateral (
      select greatest(r.changed_at, (select max(d.decided_at) from identity_decision d where d.player_id = r.player_id)) as at) t
    where t.at < clock_timestamp() - make_interval(years => ${years}::int) order by t.at limit ${limit}`.execute(db);
  return rows;
}

/** When the data of a player were last touched, and the database's time. */
type Untouched = { readonly playerId: string; readonly at: Date; readonly now: Date };

/** GET /v1/player/identity: what is known of the caller, what the market wants, and what is closed for want of it. */
export function createIdentity(
  { db: { kysely: db } }: Pick<PlatformDeps, "db">,
  app: FastifyInstance,
  guard: Guard,
): void {
  app.get(`/v1/${calls.identity.path}`, { onRequest: guard }, async (request, reply) => {
    const { playerId } = callerOf(request);
    const { state, validUntil, document, birthDate, age } = await identityOf(db, playerId);
    const [newest] = await decisionsOf(db, playerId, 1);
    const gates = await closedGates(db, playerId);
    return await reply.header("cache-control", "no-store").send({
      ...{ state, validUntil, document, birthDate },
      decidedAt: newest?.at.toISOString() ?? null,
      tooYoung: age !== null && age < gates.ageMin,
      ...gates,
    });
  });
}
