import type { PasskeyAssertion, PasskeyRegistration } from "@longarm/contract/staff-people";
import type { StaffProblemName } from "@longarm/contract/staff-problems";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import type { Selectable } from "kysely";
import type * as z from "zod/mini";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { CeremonyPurpose, StaffDb, StaffTables, StaffTransaction } from "../accounts/index.ts";
import { sha256 } from "../accounts/index.ts";

/** Where passkeys are good: the console's origin, and its host name. */
export type RelyingParty = { readonly id: string; readonly origin: string };

const CEREMONY_MS = 120_000;
const CHALLENGE_BYTES = 32;
/** EdDSA, ES256 and RS256: every authenticator knows one of them. */
const ALGORITHMS = [-8, -7, -257];

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
  const nonce = random.bytes(CHALLENGE_BYTES);
  const bytes = content === undefined ? nonce : Buffer.from(sha256(`${nonce.toString("hex")} ${content}`), "hex");
  return new Uint8Array(bytes);
}

/** Asks a passkey: any of the console's, or one of this person. */
export async function askPasskey(
  db: StaffDb,
  { random, rp }: { readonly random: Random; readonly rp: RelyingParty },
  given: { purpose: "signIn" | "unlock" | "stepUp"; staffId?: string; signInId?: string; content?: string },
) {
  const { purpose, staffId, signInId, content } = given;
  const own = staffId === undefined ? [] : await passkeysOf(db, staffId);
  const options = await generateAuthenticationOptions({
    rpID: rp.id,
    challenge: challengeFor(random, content),
    userVerification: "required",
    timeout: CEREMONY_MS,
    ...(staffId !== undefined && { allowCredentials: own.map(({ credential_id }) => ({ id: credential_id })) }),
  });
  const begun = await beginCeremony(db, random, {
    purpose,
    challenge: options.challenge,
    ...(staffId !== undefined && { staff_id: staffId }),
    ...(signInId !== undefined && { sign_in_id: signInId }),
    ...(content !== undefined && { content }),
  });
  return { ...begun, options: { ...options } as Record<string, unknown> };
}

/** Asks for a new passkey of this person. */
export async function askNewPasskey(
  db: StaffDb,
  { random, rp }: { readonly random: Random; readonly rp: RelyingParty },
  person: { readonly id: string; readonly username: string; readonly name: string },
  given: { purpose: "passkey" | "invitePasskey"; signInId?: string },
) {
  const own = await passkeysOf(db, person.id);
  const options = await generateRegistrationOptions({
    rpName: "Longarm",
    rpID: rp.id,
    userID: new Uint8Array(Buffer.from(person.id)),
    userName: person.username,
    userDisplayName: person.name,
    challenge: challengeFor(random, undefined),
    timeout: CEREMONY_MS,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: own.map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const begun = await beginCeremony(db, random, {
    purpose: given.purpose,
    staff_id: person.id,
    challenge: options.challenge,
    ...(given.signInId !== undefined && { sign_in_id: given.signInId }),
  });
  return { ...begun, options: { ...options } as Record<string, unknown> };
}

export async function passkeysOf(db: StaffDb, staffId: string) {
  return await db.selectFrom("staff_passkey").selectAll().where("staff_id", "=", staffId).orderBy("added_at").execute();
}

/**
 * Checks what a passkey answered to this challenge, with the person verified, and notes its use. Undefined: wrong, unknown, or another person's.
 * A counter that does not grow is a copy of the authenticator: wrong.
 */
export async function checkPasskey(
  db: StaffDb,
  rp: RelyingParty,
  challenge: string,
  answer: z.output<typeof PasskeyAssertion>,
  staffId?: string,
): Promise<{ readonly staffId: string } | undefined> {
  const known = await db
    .selectFrom("staff_passkey")
    .selectAll()
    .where("credential_id", "=", answer.id)
    .executeTakeFirst();
  if (known === undefined || (staffId !== undefined && known.staff_id !== staffId)) return undefined;
  const { verified, authenticationInfo } = await quiet(
    verifyAuthenticationResponse({
      response: answer as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
      credential: {
        id: known.credential_id,
        publicKey: new Uint8Array(known.public_key),
        counter: known.counter,
      },
    }),
  );
  if (!verified) return undefined;
  const used = await db
    .updateTable("staff_passkey")
    .set({ counter: authenticationInfo.newCounter, last_used_at: databaseNow() })
    .where("id", "=", known.id)
    .where("counter", "=", known.counter)
    .executeTakeFirstOrThrow();
  return used.numUpdatedRows > 0n ? { staffId: known.staff_id } : undefined;
}

/** Keeps a new passkey. A problem: what came is not good, or it is known already. */
export async function keepPasskey(
  trx: StaffTransaction,
  { random, rp }: { readonly random: Random; readonly rp: RelyingParty },
  given: { staffId: string; challenge: string; label: string; answer: z.output<typeof PasskeyRegistration> },
): Promise<{ readonly id: string } | { readonly problem: StaffProblemName }> {
  const { verified, registrationInfo } = await quiet(
    verifyRegistrationResponse({
      response: given.answer as RegistrationResponseJSON,
      supportedAlgorithmIDs: ALGORITHMS,
      expectedChallenge: given.challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
    }),
  );
  if (!verified || registrationInfo === undefined) return { problem: "ceremony.invalid" };
  const { credential } = registrationInfo;
  const id = newId(random, "pk");
  const kept = await trx
    .insertInto("staff_passkey")
    .values({
      id,
      staff_id: given.staffId,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      label: given.label,
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  return kept.numInsertedOrUpdatedRows === 1n ? { id } : { problem: "ceremony.invalid" };
}

/** The library throws what a stranger's bytes deserve: that is a "no". */
async function quiet<T extends { verified: boolean }>(
  checked: Promise<T>,
): Promise<T | { verified: false; authenticationInfo?: undefined; registrationInfo?: undefined }> {
  try {
    return await checked;
  } catch {
    return { verified: false };
  }
}
