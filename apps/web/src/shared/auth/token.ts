import { TokenPayload } from "@longarm/contract/http";
import * as z from "zod/mini";
import { tolerantOf } from "../api/tolerant.ts";

const Claims = tolerantOf(TokenPayload, "id");

/** The claims of a signed token, or undefined when it is no token we can read: then the server decides (decision D-09). */
export function readToken(token: string): TokenPayload | undefined {
  const [, body, signature] = token.split(".");
  if (body === undefined || signature === undefined) return undefined;
  try {
    const read = z.safeParse(Claims, JSON.parse(decodeBase64Url(body)));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the token can stand in a header at all: visible ASCII, and no longer than servers take. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]{1,8000}$/.test(token);
}

/** Whether the token says itself that its time is over. `exp` is in seconds. */
export function isExpired(payload: TokenPayload | undefined, nowMs: number): boolean {
  return payload?.exp !== undefined && payload.exp * 1000 <= nowMs;
}

function decodeBase64Url(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}
