import { createHash } from "node:crypto";
import type { Random } from "../../../random.ts";

/*
 * A transfer has one id everywhere: ledger, agent link, journal, and the machine's own record of it. A machine's protocol takes 1 to 20 printable ASCII
 * characters (SAS, AFT), so our ids have 20: "t" and 114 (or 112) bits in base64url. Two different transfers never share one, because the
 * key of `machine_transfer` refuses the second (record 0133).
 */

/**
 * The id of a player's transfer. The web's own id is not used as it is: a player could take an id that another transfer will need. The same web id
 * of the same player always gives the same.
 */
export function transferIdOf(playerId: string, webId: string): string {
  return `t${hashOf(playerId, webId).slice(0, 19)}`;
}

/** The id that the same transfer has where it was written down before record 0133. A page that repeats a command must find that row. */
export function olderTransferIdOf(playerId: string, webId: string): string {
  return `tr_${hashOf(playerId, webId).slice(0, 40)}`;
}

/** The id of a transfer that the platform orders by itself. */
export function newTransferId(random: Random): string {
  return `t${random.bytes(14).toString("base64url")}`;
}

const hashOf = (playerId: string, webId: string): string =>
  createHash("sha256").update(`${playerId}\n${webId}`).digest("base64url");

/** The ledger's id of one complete game: the same game is booked once. */
export function gameTransferId(machineId: string, gameNumber: number): string {
  return fitting("game", machineId, String(gameNumber));
}

/** The ledger's id of one hand pay: paid once. */
export function handPayTransferId(machineId: string, handPayId: string): string {
  return fitting("handPay", machineId, handPayId);
}

const ID_CHARS_MAX = 64;

/** Readable where it fits and can be taken apart again, else hashed; never the same for different parts. */
function fitting(kind: string, machineId: string, last: string): string {
  const parts = [kind, machineId, last];
  const readable = parts.join(":");
  // A game's number has no colon of its own, so the machine's may stay.
  const isOneWay = !last.includes(":") && (kind === "game" || !machineId.includes(":"));
  if (isOneWay && readable.length <= ID_CHARS_MAX && /^[A-Za-z0-9_.:-]+$/.test(readable)) return readable;
  const hash = createHash("sha256")
    .update(parts.map((part) => `${[...part].length}:${part}`).join(""))
    .digest("base64url");
  return `${kind}.${hash}`;
}
