import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { COVERED } from "@longarm/link/integration-client";

/*
 * HTTP Message Signatures (RFC 9421) and Content-Digest (RFC 9530), as narrow as this API needs them: one signature, HMAC-SHA-256, a fixed set of covered
 * components. What is written otherwise than the standard's own serialisation is refused, so there is one text for one signature.
 */

const STRING = String.raw`"[\x20\x21\x23-\x5b\x5d-\x7e]{1,100}"`;
const INPUT = new RegExp(
  String.raw`^([a-z][a-z0-9_-]{0,15})=(\(("[@a-z-]{1,40}"(?: "[@a-z-]{1,40}"){0,9})\)((?:;[a-z]{1,10}=(?:\d{1,12}|${STRING})){1,8}))$`,
);
const PARAMETER = new RegExp(String.raw`;([a-z]+)=(\d+|${STRING})`, "g");
const SIGNATURE = /^([a-z][a-z0-9_-]{0,15})=:([A-Za-z0-9+/]{43}=):$/;
const NONCE = /^[A-Za-z0-9_-]{16,64}$/;
const KEY_ID = /^[A-Za-z0-9_-]{1,64}$/;
const KNOWN: ReadonlySet<string> = new Set(["created", "expires", "keyid", "nonce", "alg", "tag"]);

/** A signature as it came; nothing says yet that it is right. */
export type GivenSignature = {
  readonly keyId: string;
  readonly nonce: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly expires: number | null;
  readonly covered: readonly string[];
  /** `@signature-params` as it came. */
  readonly params: string;
  readonly signature: Buffer;
};

/** Reads both headers; else what is wrong with them, as a sentence. */
export function readSignature(headers: IncomingHttpHeaders): GivenSignature | string {
  const [input, given] = [headers["signature-input"], headers["signature"]];
  if (typeof input !== "string" || typeof given !== "string") return "Signature-Input and Signature are needed.";
  const [, label, params, components, parameters] = INPUT.exec(input) ?? [];
  if (params === undefined || components === undefined || parameters === undefined)
    return "Signature-Input is not one signature in the form of RFC 9421.";
  const [, named, signature] = SIGNATURE.exec(given) ?? [];
  if (signature === undefined || named !== label)
    return "Signature is not one HMAC-SHA-256 with the label of Signature-Input.";
  const found = [...parameters.matchAll(PARAMETER)].map(([, name = "", value = ""]) => [name, value] as const);
  const values = new Map(found);
  if (values.size !== found.length || found.some(([name]) => !KNOWN.has(name)))
    return "Parameters are created, expires, keyid, nonce, alg and tag, each once.";
  const text = (name: string) => /^"(.*)"$/.exec(values.get(name) ?? "")?.[1];
  const whole = (name: string) => (/^\d+$/.test(values.get(name) ?? "") ? Number(values.get(name)) : null);
  const [keyId = "", nonce = "", created] = [text("keyid"), text("nonce"), whole("created")];
  if (created === null || !KEY_ID.test(keyId) || !NONCE.test(nonce))
    return "created, keyid and a nonce of 16 to 64 letters, digits, _ and - are needed.";
  if (values.has("alg") && text("alg") !== "hmac-sha256") return "alg must be hmac-sha256.";
  if (values.has("expires") && whole("expires") === null) return "expires must be a whole number.";
  const covered = components.split(" ").map((one) => one.slice(1, -1));
  return {
    keyId,
    nonce,
    created,
    expires: whole("expires"),
    covered,
    params,
    signature: Buffer.from(signature, "base64"),
  };
}

/** Why these components do not do, as a sentence; null: they do. */
export function coverProblem(method: "GET" | "POST", covered: readonly string[]): string | null {
  const needed = COVERED[method];
  const isExact = covered.length === needed.length && needed.every((one) => covered.includes(one));
  return isExact ? null : `A ${method} must cover exactly: ${needed.join(", ")}.`;
}

export const isSame = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

/** Values of the components of a request. `url`: its target, as sent. */
export function componentsOf(
  method: string,
  url: string,
  headers: IncomingHttpHeaders,
): Readonly<Record<string, string>> {
  const at = url.indexOf("?");
  return {
    "@method": method,
    "@path": at < 0 ? url : url.slice(0, at),
    "@query": at < 0 ? "?" : url.slice(at),
    "content-digest": String(headers["content-digest"] ?? ""),
    "idempotency-key": String(headers["idempotency-key"] ?? ""),
  };
}
