import type { IncomingMessage } from "node:http";

/**
 * The caller's own address: that of the connection, or, behind `hops` proxies of ours, the entry of X-Forwarded-For that the
 * outermost of them has written. What a caller writes there itself is never believed.
 */
export function clientAddress(request: Pick<IncomingMessage, "headers" | "socket">, hops: number): string {
  const direct = request.socket.remoteAddress ?? "unknown";
  if (hops === 0) return plainAddress(direct);
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",");
  const chain = [...forwarded.split(",").map((entry) => entry.trim()), direct].filter(isAddressLike);
  return plainAddress(chain.at(-1 - Math.min(hops, chain.length - 1)) ?? direct);
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

function isAddressLike(entry: string): boolean {
  return /^[0-9a-fA-F:.]{2,45}$/.test(entry);
}
