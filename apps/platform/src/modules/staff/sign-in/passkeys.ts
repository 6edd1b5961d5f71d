import type { PasskeyAssertion, PasskeyRegistration } from "@longarm/contract/passkeys";
import type { StaffProblemName } from "@longarm/contract/staff-problems";
import type { Selectable } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { RelyingParty } from "../../../webauthn.ts";
import {
  assertionOptions,
  checkAssertion,
  checkRegistration,
  newChallenge,
  registrationOptions,
} from "../../../webauthn.ts";
import type { CeremonyPurpose, StaffDb, StaffTables, StaffTransaction } from "../accounts/index.ts";
import { sha256 } from "../accounts/index.ts";

const CEREMONY_MS = 120_000;

type NewCeremony = Partial<
  Pick<
    Selectable<StaffTables["staff_ceremony"]>,
    "staff_id" | "sign_in_id" | "challenge" | "content" | "password" | "totp"
  >
> & { readonly purpose: CeremonyPurpose };

/** Writes down that something waits for its answer; what waited for too long goes. */
export async function beginCeremony(
  db: StaffDb,
  random: Random,
  given: NewCeremony,
): Promise<{ ceremony: string; expiresAt: string }> {
  await db.deleteFrom("staff_ceremony").where("expires_at", "<", databaseNow()).execute();
  const row = await db
    .insertInto("staff_ceremony")
    .values({
      id: newId(random, "ce"),
      staff_id: null,
      sign_in_id: null,
      challenge: null,
      content: null,
      password: null,
      totp: null,
      ...given,
      expires_at: databaseIn(CEREMONY_MS),
    })
    .returning(["id", "expires_at"])
    .executeTakeFirstOrThrow();
  return { ceremony: row.id, expiresAt: row.expires_at.toISOString() };
}

/**
 * Takes a ceremony: whatever comes of it, it is over. Undefined: there is none of this purpose and for this sign-in, or its time is over.
 */
export async function takeCeremony(
  db: StaffDb,
  { id, purpose, signInId, staffId }: { id: string; purpose: CeremonyPurpose; signInId?: string; staffId?: string },
): Promise<Selectable<StaffTables["staff_ceremony"]> | undefined> {
  const row = await db
    .deleteFrom("staff_ceremony")
    .where("id", "=", id)
    .where("purpose", "=", purpose)
    .where("expires_at", ">", databaseNow())
    .returningAll()
    .executeTakeFirst();
  const isTheirs =
    (signInId === undefined || row?.sign_in_id === signInId) && (staffId === undefined || row?.staff_id === staffId);
  return isTheirs ? row : undefined;
}

/** A challenge that is good for this content alone: the passkey signs both. */
function challengeFor(random: Random, content: string | undefined): Uint8Array<ArrayBuffer> {
  const nonce = newChallenge(random);
  if (content === undefined) return nonce;
  return new Uint8Array(Buffer.from(sha256(`${Buffer.from(nonce).toString("hex")} ${content}`), "hex"));
}

/** Asks a passkey: any of the console's, or one of this person. */
export async function askPasskey(
  db: StaffDb,
  { random, rp }: { readonly random: Random; readonly rp: RelyingParty },
  given: { purpose: "signIn" | "unlock" | "stepUp"; staffId?: string; signInId?: string; content?: string },
) {
  const { purpose, staffId, signInId, content } = given;
  const own = staffId === undefined ? undefined : (await passkeysOf(db, staffId)).map((key) => key.credential_id);
  const { options, challenge } = await assertionOptions(rp, {
    challenge: challengeFor(random, content),
    timeoutMs: CEREMONY_MS,
    own,
  });
  const begun = await beginCeremony(db, random, {
    purpose,
    challenge,
    ...(staffId !== undefined && { staff_id: staffId }),
    ...(signInId !== undefined && { sign_in_id: signInId }),
    ...(content !== undefined && { content }),
  });
  return { ...begun, options };
}

/** Asks for a new passkey of this person. */
export async function askNewPasskey(
  db: StaffDb,
  { random, rp }: { readonly random: Random; readonly rp: RelyingParty },
  person: { readonly id: string; readonly username: string; readonly name: string },
  given: { purpose: "passkey" | "invitePasskey"; signInId?: string },
) {
  const own = await passkeysOf(db, person.id);
  const { options, challenge } = await registrationOptions(rp, person, {
    challenge: newChallenge(random),
    timeoutMs: CEREMONY_MS,
    own: own.map(({ credential_id }) => credential_id),
  });
  const begun = await beginCeremony(db, random, {
    purpose: given.purpose,
    staff_id: person.id,
    challenge,
    ...(given.signInId !== undefined && { sign_in_id: given.signInId }),
  });
  return { ...begun, options };
}

export async function passkeysOf(db: StaffDb, staffId: string) {
  return await db.selectFrom("staff_passkey").selectAll().where("staff_id", "=", staffId).orderBy("added_at").execute();
}

/** Checks what a passkey answered to this challenge, and notes its use. Undefined: wrong, unknown, or another person's. */
export async function checkPasskey(
  db: StaffDb,
  rp: RelyingParty,
  challenge: string,
  answer: PasskeyAssertion,
  staffId?: string,
): Promise<{ readonly staffId: string } | undefined> {
  const known = await db
    .selectFrom("staff_passkey")
    .selectAll()
    .where("credential_id", "=", answer.id)
    .executeTakeFirst();
  if (known === undefined || (staffId !== undefined && known.staff_id !== staffId)) return undefined;
  const counter = await checkAssertion(rp, challenge, answer, known);
  if (counter === undefined) return undefined;
  const used = await db
    .updateTable("staff_passkey")
    .set({ counter, last_used_at: databaseNow() })
    .where("id", "=", known.id)
    .where("counter", "=", known.counter)
    .executeTakeFirstOrThrow();
  return used.numUpdatedRows > 0n ? { staffId: known.staff_id } : undefined;
}

/** Keeps a new passkey. A problem: what came is not good, or it is known already. */
export async function keepPasskey(
  trx: StaffTransaction,
  { random, rp }: { readonly random: Random; readonly rp: RelyingParty },
  given: { staffId: string; challenge: string; label: string; answer: PasskeyRegistration },
): Promise<{ readonly id: string } | { readonly problem: StaffProblemName }> {
  const key = await checkRegistration(rp, given.challenge, given.answer);
  if (key === undefined) return { problem: "ceremony.invalid" };
  const id = newId(random, "pk");
  const kept = await trx
    .insertInto("staff_passkey")
    .values({
      id,
      staff_id: given.staffId,
      ...key,
      label: given.label,
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  return kept.numInsertedOrUpdatedRows === 1n ? { id } : { problem: "ceremony.invalid" };
}
