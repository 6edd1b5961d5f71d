import { createHmac } from "node:crypto";
import type { IceServer } from "@longarm/contract/ice-server";

/** How long minted TURN credentials are good, ms. */
export const TURN_CREDENTIALS_MS = 600_000;

export type Turn = { readonly urls: readonly string[]; readonly secret: string | null };

/**
 * Mints TURN credentials for one viewer by the TURN REST scheme: the user name is an expiry in seconds and a name, the password its
 * HMAC-SHA1 under the secret shared with the TURN servers. No servers configured: an empty list, and those of the settings hold.
 */
export function mintIceServers({ urls, secret }: Turn, name: string, nowMs: number): IceServer[] {
  if (urls.length === 0 || secret === null) return [];
  const username = `${Math.floor((nowMs + TURN_CREDENTIALS_MS) / 1_000)}:${name}`;
  const credential = createHmac("sha1", secret).update(username).digest("base64");
  return [{ urls: [...urls], username, credential }];
}
