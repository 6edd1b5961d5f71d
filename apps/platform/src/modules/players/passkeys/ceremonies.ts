import type { PasskeyAnswer } from "@longarm/contract/passkeys";
import type { PlayerPasskey } from "@longarm/contract/player-keys";
import type { Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { RelyingParty } from "../../../webauthn.ts";
import { assertionOptions, checkAssertion, newChallenge, registrationOptions } from "../../../webauthn.ts";
import type { Keys } from "../accounts/index.ts";
import type { CeremonyPurpose, PasskeyTables } from "./tables.ts";

/** A page offers the keys of the browser beside the name field, and renews the question before it ends. Source: WebAuthn 3, 5 to 10 minutes. */
const CEREMONY_MS = 300_000;

export type PasskeyParts = {
  readonly db: Kysely<PasskeyTables>;
  readonly random: Random;
  readonly site: () => RelyingParty;
  /** Issuers that sign players in, as `providerOf` names them. */
  readonly providers: readonly string[];
  /** Encrypt the secrets of authenticator apps. */
  readonly keys: Keys;
  readonly clock: Pick<Clock, "now">;
  /** What an app calls the account's place. */
  readonly casino: string;
};
export type PasskeyRow = Selectable<PasskeyTables["player_passkey"]>;

/** Whose sign-in it is. */
export type Signed = { readonly playerId: string; readonly jti: string };

/** Runs in the transaction of a change. */
export type Within = (trx: Kysely<PasskeyTables>) => Promise<void>;
/** Who acts is said first; `done` runs only when the change was made. */
export type Steps = { readonly first: Within; readonly done: Within };

/** Writes down that something waits for its answer; what waited for too long goes. */
export async function begin(
  { db, random }: PasskeyParts,
  { purpose, challenge, whose, ms = CEREMONY_MS }: NewCeremony,
): Promise<{ ceremony: string; expiresAt: string }> {
  await db.deleteFrom("player_ceremony").where("expires_at", "<", databaseNow()).execute();
  const row = await db
    .insertInto("player_ceremony")
    .values({
      id: newId(random, "ce"),
      purpose,
      player_id: whose?.playerId ?? null,
      jti: whose?.jti ?? null,
      challenge,
      expires_at: databaseIn(ms),
    })
    .returning(["id", "expires_at"])
    .executeTakeFirstOrThrow();
  return { ceremony: row.id, expiresAt: row.expires_at.toISOString() };
}

type NewCeremony = {
  readonly purpose: CeremonyPurpose;
  readonly challenge: string;
  readonly whose: Signed | undefined;
  readonly ms?: number;
};

/** What a ceremony of this purpose and sign-in waits with; it waits on. Undefined: there is none, or its time is over. */
export async function challengeOf(
  db: Kysely<PasskeyTables>,
  ceremony: string,
  purpose: CeremonyPurpose,
  { playerId, jti }: Signed,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("player_ceremony")
    .select("challenge")
    .where("id", "=", ceremony)
    .where("purpose", "=", purpose)
    .where("player_id", "=", playerId)
    .where("jti", "=", jti)
    .where("expires_at", ">", databaseNow())
    .executeTakeFirst();
  return row?.challenge;
}

/** Takes a ceremony: whatever comes of it, it is over. Undefined: there is none of this purpose and sign-in, or its time is over. */
export async function takeChallenge(
  db: Kysely<PasskeyTables>,
  ceremony: string,
  purpose: CeremonyPurpose,
  whose: Signed | undefined,
): Promise<string | undefined> {
  const row = await db
    .deleteFrom("player_ceremony")
    .where("id", "=", ceremony)
    .returning(["purpose", "player_id", "jti", "challenge"])
    .returning((eb) => eb("expires_at", ">", databaseNow()).as("waits"))
    .executeTakeFirst();
  const isTheirs = row?.player_id === (whose?.playerId ?? null) && row.jti === (whose?.jti ?? null);
  return row !== undefined && isTheirs && row.waits && row.purpose === purpose ? row.challenge : undefined;
}

/** Asks any passkey of the site, or one of this player for one act. */
export async function askPasskey(parts: PasskeyParts, purpose: CeremonyPurpose, whose?: Signed) {
  const own = whose && (await passkeysOf(parts.db, whose.playerId)).map((key) => key.credential_id);
  const { challenge, options } = await assertionOptions(parts.site(), {
    challenge: newChallenge(parts.random),
    timeoutMs: CEREMONY_MS,
    own,
  });
  return { ...(await begin(parts, { purpose, challenge, whose })), options };
}

/** Asks for a new passkey of this player. */
export async function askNewPasskey(
  parts: PasskeyParts,
  whose: Signed,
  player: { readonly username: string; readonly name: string },
) {
  const own = (await passkeysOf(parts.db, whose.playerId)).map((key) => key.credential_id);
  const { challenge, options } = await registrationOptions(
    parts.site(),
    { id: whose.playerId, username: player.username, name: player.name },
    { challenge: newChallenge(parts.random), timeoutMs: CEREMONY_MS, own },
  );
  return { ...(await begin(parts, { purpose: "add", challenge, whose })), options };
}

export async function passkeysOf(db: Kysely<PasskeyTables>, playerId: string): Promise<PasskeyRow[]> {
  const own = db.selectFrom("player_passkey").selectAll().where("player_id", "=", playerId);
  return await own.orderBy("added_at").orderBy("id").execute();
}

/** The passkey that a browser's answer names. */
export async function passkeyNamed(
  db: Kysely<PasskeyTables>,
  { id }: PasskeyAnswer["response"],
): Promise<PasskeyRow | undefined> {
  return await db.selectFrom("player_passkey").selectAll().where("credential_id", "=", id).executeTakeFirst();
}

/** Whether this passkey signed this challenge, with the person verified; notes its use. Two answers with one counter: one of them. */
export async function checkPasskey(
  { db, site }: PasskeyParts,
  challenge: string,
  answer: PasskeyAnswer["response"],
  key: PasskeyRow,
): Promise<boolean> {
  const counter = await checkAssertion(site(), challenge, answer, key);
  if (counter === undefined) return false;
  const used = await db
    .updateTable("player_passkey")
    .set({ counter, last_used_at: databaseNow() })
    .where("id", "=", key.id)
    .where("counter", "=", key.counter)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

/** A passkey as its player sees it. */
export const passkeyShown = (row: PasskeyRow): PlayerPasskey => ({
  id: row.id,
  name: row.name,
  addedAt: row.added_at.toISOString(),
  usedAt: row.last_used_at?.toISOString() ?? null,
});

/** The passkeys of a player, one change of what signs in at a time. */
export async function lockedKeys(trx: Kysely<PasskeyTables>, playerId: string): Promise<string[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`player_passkey ${playerId}`}, 0))`.execute(trx);
  return (await passkeysOf(trx, playerId)).map(({ id }) => id);
}
