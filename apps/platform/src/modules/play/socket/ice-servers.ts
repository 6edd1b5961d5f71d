import { createHmac } from "node:crypto";
import type { IceServer } from "@longarm/contract/ice-server";

/** How long minted TURN credentials are good, ms. */
export const TURN_CREDENTIALS_MS = 600_000;

/** Of an account's name at the TURN servers. */
const NAME_CHARS = 24;

export type Turn = { readonly urls: readonly string[]; readonly secret: string | null };

/**
 * Mints TURN credentials by the TURN REST scheme: the user name is an expiry in seconds and a name, the password its HMAC-SHA1 under the
 * secret shared with the TURN servers. A server counts places by the name, so it stands for the account: over new sockets nobody gets
 * more of them. Whose account it is it does not tell. No servers configured: an empty list, and those of the settings hold.
 */
export function mintIceServers({ urls, secret }: Turn, playerId: string, nowMs: number): IceServer[] {
  if (urls.length === 0 || secret === null) return [];
  const name = createHmac("sha256", secret).update(`account ${playerId}`).digest("hex").slice(0, NAME_CHARS);
  const username = `${Math.floor((nowMs + TURN_CREDENTIALS_MS) / 1_000)}:${name}`;
  const credential = createHmac("sha1", secret).update(username).digest("base64");
  return [{ urls: [...urls], username, credential }];
}
