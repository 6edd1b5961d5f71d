import type { IncomingMessage } from "node:http";
import { SUBPROTOCOL } from "@longarm/contract/envelope";
import type { UpgradeRefusal } from "./refuse-upgrade.ts";
import type { SocketRoute } from "./route.ts";

/** True when a page of this origin may open sockets; `host` is the Host header of the upgrade. */
export type OriginAllowed = (origin: string, host: string) => boolean;

/** What is wrong with a handshake, whatever the socket is for; undefined: nothing. */
export function checkHandshake(
  { headers }: IncomingMessage,
  caller: SocketRoute["caller"],
  originAllowed: OriginAllowed,
): UpgradeRefusal | undefined {
  const { origin } = headers;
  // Programs send no origin. An agent that sends one is a page in disguise.
  const fromPage = origin !== undefined;
  if (fromPage && (caller === "agent" || !originAllowed(origin, headers.host ?? "")))
    return [403, "This origin may not open a socket here: name it in ALLOWED_ORIGINS"];
  const offered = headers["sec-websocket-protocol"] ?? "";
  if (!offered.split(",").some((name) => name.trim() === SUBPROTOCOL))
    return [400, `Ask for the subprotocol ${SUBPROTOCOL}`];
  return undefined;
}
