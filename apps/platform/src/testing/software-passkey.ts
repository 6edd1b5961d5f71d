import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** Lengths in CBOR; all that an authenticator's answer needs is shorter than 64 KiB. */
function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
const bytes = (value: Uint8Array): Buffer => Buffer.concat([head(2, value.length), value]);
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const integer = (value: number): Buffer => (value >= 0 ? head(0, value) : head(1, -1 - value));
const map = (...entries: [Buffer, Buffer][]): Buffer => Buffer.concat([head(5, entries.length), ...entries.flat()]);

const sha = (value: string | Uint8Array): Buffer => createHash("sha256").update(value).digest();

type Options = { readonly origin: string; readonly challenge: string };
type Flags = {
  /** The person was verified, by finger or PIN. */
  readonly verified?: boolean;
};

/** An authenticator in software (ES256, attestation `none`): what a browser would send for the options that it is given. */
export function softwarePasskey(rpId = "localhost") {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  let counter = 0;
  const credential = { id: id.toString("base64url"), rawId: id.toString("base64url"), type: "public-key" } as const;

  function authenticatorData(verified: boolean, attested: Buffer = Buffer.alloc(0)): Buffer {
    counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = 0x01 | (verified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    return Buffer.concat([sha(rpId), Buffer.from([flags]), count, attested]);
  }
  const clientData = (type: string, { origin, challenge }: Options): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  return {
    register(options: Options, { verified = true }: Flags = {}) {
      const key = map(
        [integer(1), integer(2)],
        [integer(3), integer(-7)],
        [integer(-1), integer(1)],
        [integer(-2), bytes(Buffer.from(x, "base64url"))],
        [integer(-3), bytes(Buffer.from(y, "base64url"))],
      );
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const attestation = map(
        [text("fmt"), text("none")],
        [text("attStmt"), map()],
        [text("authData"), bytes(authenticatorData(verified, attested))],
      );
      return {
        ...credential,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData("webauthn.create", options).toString("base64url"),
          attestationObject: attestation.toString("base64url"),
        },
      };
    },
    sign(options: Options, { verified = true }: Flags = {}) {
      const data = authenticatorData(verified);
      const client = clientData("webauthn.get", options);
      return {
        ...credential,
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: sign("sha256", Buffer.concat([data, sha(client)]), privateKey).toString("base64url"),
        },
      };
    },
    /** The id of its credential, as the platform stores it. */
    id: credential.id,
    /** Forgets the uses since: as a copy of the authenticator would. */
    rewind() {
      counter = 0;
    },
  };
}
export type SoftwarePasskey = ReturnType<typeof softwarePasskey>;
