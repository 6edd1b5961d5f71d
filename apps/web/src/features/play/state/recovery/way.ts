import type { IceServer } from "@longarm/contract/ice-server";

/**
 * How a connection may go. `any`: as ICE finds it. `udp`: UDP without a server between. `tcp`: to the agent's TCP port. `relay`: through a
 * TURN server, over TCP where one offers it.
 */
export type Way = "any" | "udp" | "tcp" | "relay";

/** Whether a candidate of our own is told to the agent on this way. */
export function ownFits(way: Way, candidate: string): boolean {
  if (way === "any") return true;
  if (way === "relay") return / typ relay( |$)/.test(candidate);
  return protocolOf(candidate) === way;
}

/** Whether a candidate of the agent is taken on this way. A relay reaches its peers over UDP. */
export function theirsFits(way: Way, candidate: string): boolean {
  return way === "any" || protocolOf(candidate) === (way === "relay" ? "udp" : way);
}

/** The description without the candidates that do not fit. */
export function onlyFitting(sdp: string, fits: (candidate: string) => boolean): string {
  return sdp
    .split("\r\n")
    .filter((line) => !line.startsWith("a=candidate:") || fits(line))
    .join("\r\n");
}

/** The servers that help on this way. */
export function serversFor(way: Way, servers: readonly IceServer[]): readonly IceServer[] {
  if (way === "any") return servers;
  if (way === "tcp") return [];
  if (way === "udp") return keeping(servers, (url) => /^stuns?:/.test(url));
  const overTcp = keeping(servers, isTcpRelay);
  return overTcp.length > 0 ? overTcp : keeping(servers, isRelay);
}

export const isRelay = (url: string): boolean => /^turns?:/.test(url);
const isTcpRelay = (url: string): boolean => url.startsWith("turns:") || /^turn:.*\?transport=tcp$/.test(url);

/** Whether some server relays over TCP. */
export function relaysOverTcp(servers: readonly IceServer[]): boolean {
  return keeping(servers, isTcpRelay).length > 0;
}

export function hasRelay(servers: readonly IceServer[]): boolean {
  return keeping(servers, isRelay).length > 0;
}

function keeping(servers: readonly IceServer[], wanted: (url: string) => boolean): IceServer[] {
  return servers.flatMap((server) => {
    const urls = [server.urls].flat().filter(wanted);
    return urls.length === 0 ? [] : [{ ...server, urls }];
  });
}

function protocolOf(candidate: string): string {
  return candidate.split(" ")[2]?.toLowerCase() ?? "";
}
