import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

const LISTENING = "0A";
/** A connection that no process holds any more has this instead of its file. */
const NO_FILE = "0";

/**
 * The callers' ends of the connections whose files a server of this computer holds: also of those that it has ended and not closed. Source:
 * proc(5), /proc/net/tcp.
 */
export function heldBy(portNumber: number): Set<string> {
  const own = `:${hex(portNumber, 4)}`;
  const held = new Set<string>();
  for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n")) {
    const [, local = "", remote = "", state, , , , , , file = NO_FILE] = line.trim().split(/\s+/);
    if (local.endsWith(own) && state !== LISTENING && file !== NO_FILE) held.add(remote);
  }
  return held;
}

/** Our end of a connection as the kernel writes it: the address from its last byte on, and the port. */
export function endOf({ localAddress = "", localPort = 0 }: Socket): string {
  const bytes = localAddress
    .split(".")
    .toReversed()
    .map((byte) => hex(Number(byte), 2));
  return `${bytes.join("")}:${hex(localPort, 4)}`;
}

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0");
