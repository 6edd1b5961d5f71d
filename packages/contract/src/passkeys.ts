import * as z from "zod/mini";
import { OwnId } from "./ids.ts";

const base64url = (most: number) => z.string().check(z.regex(/^[A-Za-z0-9_-]*$/), z.minLength(1), z.maxLength(most));
const Extensions = z.record(z.string().check(z.maxLength(64)), z.unknown());
const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal("public-key"),
  authenticatorAttachment: z.optional(z.nullable(z.string().check(z.maxLength(40)))),
  clientExtensionResults: Extensions,
};
const Transports = z.array(z.string().check(z.maxLength(20))).check(z.maxLength(10));

/** What `startRegistration` of `@simplewebauthn/browser` returns. */
export const PasskeyRegistration = z.strictObject({
  ...credential,
  response: z.strictObject({
    clientDataJSON: base64url(4_000),
    attestationObject: base64url(12_000),
    authenticatorData: z.optional(base64url(6_000)),
    transports: z.optional(Transports),
    publicKeyAlgorithm: z.optional(z.int()),
    publicKey: z.optional(base64url(4_000)),
  }),
});
export type PasskeyRegistration = z.output<typeof PasskeyRegistration>;

/** What `startAuthentication` of `@simplewebauthn/browser` returns. */
export const PasskeyAssertion = z.strictObject({
  ...credential,
  response: z.strictObject({
    clientDataJSON: base64url(4_000),
    authenticatorData: base64url(4_000),
    signature: base64url(2_000),
    userHandle: z.optional(z.nullable(base64url(200))),
  }),
});
export type PasskeyAssertion = z.output<typeof PasskeyAssertion>;

/** A WebAuthn ceremony that began: `options` goes to `@simplewebauthn/browser` as it is. It is good for one attempt. */
export const Ceremony = z.object({
  ceremony: OwnId,
  options: z.record(z.string(), z.unknown()),
  expiresAt: z.iso.datetime({ offset: true }).check(z.maxLength(40)),
});

/** A passkey's answer to a ceremony. */
export const PasskeyAnswer = z.strictObject({ ceremony: OwnId, response: PasskeyAssertion });
export type PasskeyAnswer = z.output<typeof PasskeyAnswer>;
