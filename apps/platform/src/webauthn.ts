import type { PasskeyAssertion, PasskeyRegistration } from "@longarm/contract/passkeys";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import type { Random } from "./random.ts";

/** Where passkeys are good: a host name, and the origins of its pages, the own one first. */
export type RelyingParty = { readonly id: string; readonly origins: readonly [string, ...string[]] };

const CHALLENGE_BYTES = 32;
/** EdDSA, ES256 and RS256: every authenticator knows one of them. */
const ALGORITHMS = [-8, -7, -257];

/** What a passkey signs, unless it is to sign something else. */
export const newChallenge = (random: Random): Uint8Array<ArrayBuffer> => new Uint8Array(random.bytes(CHALLENGE_BYTES));

type Question = { readonly challenge: Uint8Array<ArrayBuffer>; readonly timeoutMs: number };

/** What the browser asks a passkey; `own`: one of these alone. */
export async function assertionOptions(
  rp: RelyingParty,
  { challenge, timeoutMs, own }: Question & { readonly own?: readonly string[] | undefined },
) {
  const options = await generateAuthenticationOptions({
    rpID: rp.id,
    challenge,
    userVerification: "required",
    timeout: timeoutMs,
    ...(own !== undefined && { allowCredentials: own.map((id) => ({ id })) }),
  });
  return { challenge: options.challenge, options: { ...options } as Record<string, unknown> };
}

/** What the browser asks for a new passkey of this person; `own` are those that there are. */
export async function registrationOptions(
  rp: RelyingParty,
  person: { readonly id: string; readonly username: string; readonly name: string },
  { challenge, timeoutMs, own }: Question & { readonly own: readonly string[] },
) {
  const options = await generateRegistrationOptions({
    rpName: "Longarm",
    rpID: rp.id,
    userID: new Uint8Array(Buffer.from(person.id)),
    userName: person.username,
    userDisplayName: person.name,
    challenge,
    timeout: timeoutMs,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: own.map((id) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return { challenge: options.challenge, options: { ...options } as Record<string, unknown> };
}

/** A passkey as it is stored. */
export type StoredKey = { readonly credential_id: string; readonly public_key: Buffer; readonly counter: number };

/**
 * Checks what a passkey answered to this challenge, with the person verified; answers its counter of signatures. Undefined: wrong, also when the
 * counter does not grow, which shows a copy of the authenticator.
 */
export async function checkAssertion(
  rp: RelyingParty,
  challenge: string,
  answer: PasskeyAssertion,
  key: StoredKey,
): Promise<number | undefined> {
  const checked = await quiet(
    verifyAuthenticationResponse({
      response: answer as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      requireUserVerification: true,
      credential: { id: key.credential_id, publicKey: new Uint8Array(key.public_key), counter: key.counter },
    }),
  );
  return checked?.verified === true ? checked.authenticationInfo.newCounter : undefined;
}

/** Checks a new passkey, made with the person verified. Undefined: it is not good. */
export async function checkRegistration(
  rp: RelyingParty,
  challenge: string,
  answer: PasskeyRegistration,
): Promise<StoredKey | undefined> {
  const checked = await quiet(
    verifyRegistrationResponse({
      response: answer as RegistrationResponseJSON,
      supportedAlgorithmIDs: ALGORITHMS,
      expectedChallenge: challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      requireUserVerification: true,
    }),
  );
  if (checked?.verified !== true) return undefined;
  const { id, publicKey, counter } = checked.registrationInfo.credential;
  return { credential_id: id, public_key: Buffer.from(publicKey), counter };
}

/** The library throws what a stranger's bytes deserve: that is a "no". */
async function quiet<T>(checked: Promise<T>): Promise<T | undefined> {
  try {
    return await checked;
  } catch {
    return undefined;
  }
}
