import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The caller's own address: that of the connection, or, behind `hops` proxies of ours, the entry of X-Forwarded-For that the
 * outermost of them has written. What a caller writes there itself is never believed.
 */
export function clientAddress(request: Pick<IncomingMessage, "headers" | "socket">, hops: number): string {
  const direct = request.socket.remoteAddress ?? "unknown";
  if (hops === 0) return plainAddress(direct);
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",");
  const entries = forwarded.split(",").map((entry) => entry.trim());
  const chain = [...entries.filter((entry) => entry !== ""), direct];
  // Counted before it is judged: what a proxy of ours calls "unknown" must not bring up an entry that the caller wrote.
  const told = withoutPort(chain.at(-1 - Math.min(hops, chain.length - 1)) ?? direct);
  return plainAddress(isIP(told) === 0 ? direct : told);
}

/** Some proxies write `203.0.113.7:50123` and `[2001:db8::1]:50123`. */
function withoutPort(entry: string): string {
  return entry.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1");
}

/** An IPv4 address that came over IPv6 is written as IPv4. */
export function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, "");
}

/** What limits count by: an IPv4 address, or the /64 network of an IPv6 one, since that is what one line gets. */
export function limitKey(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  if (tail === undefined) return `${groups.slice(0, 4).join(":")}::/64`;
  const after = tail.split(":").filter((group) => group !== "");
  const all = [...groups, ...Array<string>(Math.max(0, 8 - groups.length - after.length)).fill("0"), ...after];
  return `${all.slice(0, 4).join(":")}::/64`;
}
