import { BlockList, isIP } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";

/** Which addresses a browser may make the agent send checks to. */
export interface CandidatePolicy {
  /** Networks in CIDR form that are never probed. */
  readonly closed: readonly string[];
  /** Networks in CIDR form that are allowed although they lie in a closed one. */
  readonly open: readonly string[];
}

/** Candidates taken from one browser, in the offer and trickled. */
export const REMOTE_CANDIDATES_MAX = 32;
const CANDIDATE_CHARS_MAX = 300;

/** Never a player: this host, link-local, multicast, unspecified. */
const ALWAYS_CLOSED = ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"];
/**
 * Private networks: an agent reaches those of its venue and of its operator, and a browser's private address says nothing about them. A
 * browser that really is near dials the agent itself.
 */
const PRIVATE = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];
/** Including the forms in which IPv6 wraps an IPv4 address (translated, 6to4, Teredo), which may lead to any of the networks above. */
const ALWAYS_CLOSED_V6 = [
  "::/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "2002::/16",
  "2001::/32",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

const CLOSED = [...ALWAYS_CLOSED, ...ALWAYS_CLOSED_V6, ...PRIVATE];

/**
 * The policy a venue starts with: nothing on the agent's own networks or on private ones is probed. A player inside the venue still
 * connects, because the browser's own check arrives first and is answered.
 */
export function venuePolicy(
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>,
  open: readonly string[] = [],
): CandidatePolicy {
  const own = Object.values(interfaces).flatMap((list) => (list ?? []).map((info) => info.cidr));
  return { closed: [...CLOSED, ...own.filter((cidr) => cidr !== null)], open };
}

/** Decides whether an address may be probed. Throws a sentence at start-up when a network of the policy is malformed. */
export function candidateFilter(policy: CandidatePolicy): (address: string) => boolean {
  const closed = networkList(policy.closed);
  const open = networkList(policy.open);
  return (address) => {
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (isIP(address) === 0) return false;
    return open.check(address, family) || !closed.check(address, family);
  };
}

/** Whether an address can be reached from any network. */
export const isPublic = candidateFilter({ closed: CLOSED, open: [] });

function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix = ""] = network.split("/");
    const family = isIP(address);
    const bits = Number(prefix);
    if (family === 0 || !/^\d{1,3}$/.test(prefix) || bits > (family === 6 ? 128 : 32)) {
      throw new Error(`"${network}" is not a network such as 192.168.1.0/24; correct it in the agent's configuration.`);
    }
    list.addSubnet(address, bits, family === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

const CANDIDATE =
  /^candidate:[A-Za-z0-9+/]{1,32} 1 (udp|UDP) \d{1,10} ([0-9A-Fa-f.:]{2,45}) (\d{1,5}) typ (host|srflx|prflx|relay)( |$)/;

/**
 * Checks one candidate line of a browser. Only UDP on an allowed literal address passes: a browser's TCP candidates are
 * active ones that dial us, and names (.local) would make the agent look them up on the venue's network.
 */
export function allowedCandidate(line: string, allowed: (address: string) => boolean): boolean {
  if (typeof line !== "string" || line.length > CANDIDATE_CHARS_MAX) return false;
  const [, , address = "", portText = ""] = CANDIDATE.exec(line.replace(/^a=/, "")) ?? [];
  const portNumber = Number(portText);
  return address !== "" && portNumber >= 1 && portNumber <= 65_535 && isIP(address) !== 0 && allowed(address);
}
