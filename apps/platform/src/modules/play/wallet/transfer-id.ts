import { createHash } from "node:crypto";

/**
 * The id under which ledger, agent and machine know a transfer of a player. The web's own id is not used as it is: a player could
 * take an id that another transfer will need. The same web id of the same player always gives the same.
 */
export function transferIdOf(playerId: string, webId: string): string {
  const hash = createHash("sha256").update(`${playerId}\n${webId}`).digest("base64url");
  return `tr_${hash.slice(0, 40)}`;
}

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
