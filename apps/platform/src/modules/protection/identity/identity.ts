import type { Problem } from "@longarm/contract/problems";
import type { ColumnType, Generated } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { IdentityGate, Rules } from "../markets/index.ts";

/** States of a proof of identity. `expired`: it was verified, and the document's last day is over. */
export const IDENTITY_STATES = ["none", "pending", "verified", "refused", "expired"] as const;
export type IdentityState = (typeof IDENTITY_STATES)[number];
/** What a person or a service may decide. */
export const IDENTITY_DECISIONS = ["pending", "verified", "refused"] as const;
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
    decided_at: ColumnType<Date, never, never>;
  };
  identity_record: {
    player_id: string;
    birth_date: string | null;
    personal_number: string | null;
    document: string | null;
    changed_at: Generated<Date>;
  };
};
type Db = AnyDb;

/** What is known of a player. Dates as `2001-05-31`. */
export type Identity = {
  readonly playerId: string;
  readonly state: IdentityState;
  readonly validUntil: string | null;
  /** Whole years by the database's clock; null: not known. */
  readonly age: number | null;
  readonly birthDate: string | null;
  readonly personalNumber: string | null;
  readonly document: string | null;
};

/** What is known of these players; who has proved nothing is in it with `none`. */
export async function identitiesOf(db: Db, playerIds: readonly string[]): Promise<ReadonlyMap<string, Identity>> {
  const { rows } = await sql<Identity>`
    select w.id as "playerId", d.valid_until::text as "validUntil", r.birth_date::text as "birthDate", r.personal_number as "personalNumber", r.document,
      extract(year from age(r.birth_date))::int as age,
      case when d.state is null then 'none' when d.state = 'verified' and d.valid_until < current_date then 'expired' else d.state end as state
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

export type NewDecision = {
  readonly playerId: string;
  readonly state: IdentityDecision;
  /** Last day of the document; only with `verified`. */
  readonly validUntil: string | null;
  readonly by: string;
  readonly reason: string;
};

/** Decides; the newest decision holds. */
export async function decideIdentity(db: Db, { playerId, state, validUntil, by, reason }: NewDecision): Promise<void> {
  await db
    .withTables<IdentityTables>()
    .insertInto("identity_decision")
    .values({ player_id: playerId, state, valid_until: validUntil, decided_by: by, reason })
    .execute();
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

/** Erases the personal data; decisions stay. False: there were none. */
export async function eraseRecord(db: Db, playerId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .withTables<IdentityTables>()
    .deleteFrom("identity_record")
    .where("player_id", "=", playerId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
