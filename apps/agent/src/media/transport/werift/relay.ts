import { createHmac } from "node:crypto";
import type { RTCIceServer, RTCPeerConnection, Transport } from "werift";
import {
  classes,
  Message,
  methods,
  parseIceServers,
  StunOverTurnProtocol,
  TcpTransport,
  TlsTransport,
  TurnProtocol,
  UdpTransport,
} from "werift";
import type { Clock } from "../../../ports/clock.ts";
import type { IceServer } from "../../../ports/transport.ts";

/** Whether the agent's own side uses TURN servers: not at all, beside direct candidates, or only. */
export type RelayUse = "no" | "yes" | "only";

/** A server that does not answer must not hold up the end of a connection, ms. */
const RELEASE_MS = 500;
/** By then every requested allocation has been granted or refused: UDP, then TCP, each with its repeats, ms. */
const LATE_ALLOCATION_MS = 30_000;

/** The servers for a peer. Werift uses the first of each kind. */
export function serversFor(servers: readonly IceServer[], relay: RelayUse): RTCIceServer[] {
  const fits = relay === "no" ? /^stuns?:/ : /^(stun|turn)s?:/;
  return servers.flatMap(({ urls, username, credential }) => {
    const fitting = [urls].flat().filter((url) => fits.test(url));
    if (fitting.length === 0) return [];
    return {
      urls: fitting,
      ...(username !== undefined && { username }),
      ...(credential !== undefined && { credential }),
    };
  });
}

/** True for a candidate line of ours that is an allocation on a TURN server. */
export function isRelay(candidateLine: string): boolean {
  return / typ relay( |$)/.test(candidateLine);
}

/**
 * Ends a peer and releases its allocations on TURN servers. By itself werift only stops sending: the server would keep each allocation for
 * ten minutes and count it, and one that is granted after the end would be renewed for ever.
 */
export async function closeWithRelays(peer: RTCPeerConnection, clock: Clock, relay: RelayUse): Promise<void> {
  if (relay === "no") return await peer.close();
  const gathering = peer.iceGatheringState !== "complete";
  const connections = peer.iceTransports.map(({ connection }) => connection as unknown as WithProtocols);
  const allocations = () =>
    connections.flatMap(({ protocols }) =>
      protocols.flatMap((one) => (one instanceof StunOverTurnProtocol ? [one.turn] : [])),
    );
  await release(allocations(), clock);
  await peer.close();
  if (!gathering) return;
  clock.after(LATE_ALLOCATION_MS, () => {
    const late = allocations();
    void release(late, clock).then(() => Promise.allSettled(late.map((allocation) => allocation.close())));
  });
}

/** Private in werift. */
type WithProtocols = { readonly protocols: readonly unknown[] };

/** Releases allocations on TURN servers, within half a second. */
async function release(allocations: readonly TurnProtocol[], clock: Clock): Promise<void> {
  if (allocations.length === 0) return;
  const released = allocations.map((turn) => {
    const request = new Message(methods.REFRESH, classes.REQUEST).setAttribute("LIFETIME", 0);
    return turn.requestWithRetry(request, turn.server);
  });
  await new Promise<void>((over) => {
    const stop = clock.after(RELEASE_MS, over);
    void Promise.allSettled(released).then(() => {
      stop();
      over();
    });
  });
}

/** The result of testing one TURN address. */
export type RelayFinding = {
  readonly url: string;
  readonly works: boolean;
  /** For the person at the console: what was seen, and what to change when it does not work. */
  readonly sentence: string;
};

/** Longest wait for an allocation, ms; werift repeats its request for 6.3 s. */
const ALLOCATE_MS = 10_000;
/** Longest wait for the sent datagram to return, ms. */
const BACK_MS = 3_000;
const SEND_AGAIN_MS = 200;
const CREDENTIALS_S = 600;

/** Credentials by the TURN REST scheme, good for ten minutes, for a person who knows the servers' secret. */
export function relayServer(urls: readonly string[], secret: string, nowMs: number): IceServer {
  const username = `${Math.floor(nowMs / 1_000) + CREDENTIALS_S}:doctor`;
  return { urls, username, credential: createHmac("sha1", secret).update(username).digest("base64") };
}

/**
 * Whether the agent's own side can relay: requests an allocation from each TURN address, sends itself a datagram through it, and
 * releases it. Never throws.
 */
export async function tryRelay(server: IceServer, clock: Clock): Promise<RelayFinding[]> {
  const urls = [server.urls].flat().filter((url) => /^turns?:/.test(url));
  return await Promise.all(urls.map((url) => tryOne(url, server, clock)));
}

async function tryOne(url: string, { username, credential }: IceServer, clock: Clock): Promise<RelayFinding> {
  const finding = (works: boolean, sentence: string): RelayFinding => ({ url, works, sentence });
  const { turnServer: address, turnTransport: by = "udp" } = parseIceServers([{ urls: url }]);
  if (address === undefined)
    return finding(false, "It is no TURN address; it must be like turn:host:3478?transport=udp.");
  if (!username || !credential) return finding(false, "There are no credentials for it.");
  let turn: TurnProtocol | undefined;
  try {
    turn = new TurnProtocol(address, username, credential, CREDENTIALS_S, await openTransport(address, by));
    const outcome = await within(clock, ALLOCATE_MS, turn.connectionMade());
    if (outcome !== "done") return finding(false, whyRefused(turn, outcome, { by, port: address[1] }));
    const back = await returns(turn, clock);
    await release([turn], clock);
    const at = turn.relayedAddress.join(":");
    if (back) return finding(true, `Relay works: it gave a place at ${at}, and what was sent there came back.`);
    return finding(
      false,
      `It gave a place at ${at}, but what was sent there did not come back: let it relay to its own address (coturn: allowed-peer-ip), or browsers that relay too will not reach this agent.`,
    );
  } catch {
    return finding(false, unreachable({ by, port: address[1] }));
  } finally {
    await turn?.close().catch(() => undefined);
  }
}

type TurnAddress = { readonly by: "udp" | "tcp" | "tls"; readonly port: number };

async function openTransport(address: readonly [string, number], by: TurnAddress["by"]): Promise<Transport> {
  if (by === "udp") return await UdpTransport.init(address[0].includes(":") ? "udp6" : "udp4");
  const limits = { connectTimeoutMs: ALLOCATE_MS };
  const opening = by === "tcp" ? TcpTransport.init(address, limits) : TlsTransport.init(address, undefined, limits);
  // Its type has a field that may be undefined where that of the port has one that may be absent.
  return (await opening) as Transport;
}

const unreachable = ({ by, port }: TurnAddress): string =>
  `It does not answer: see that it is up, and that this network lets ${by === "udp" ? "UDP" : "TCP"} out to port ${port}.`;

/** A server that requested credentials has answered; it refuses wrong ones without a signature, which werift does not accept as an answer. */
function whyRefused(turn: TurnProtocol, failure: unknown, address: TurnAddress): string {
  const code = errorCode(failure);
  if (code !== undefined && code !== 401)
    return `It gave no place: error ${code}${code === 486 ? ", its quota is used up" : ""}.`;
  if (turn.nonce === undefined) return unreachable(address);
  return "It refuses the credentials: TURN_SECRET must be its static-auth-secret, and both clocks must be right.";
}

function errorCode(failure: unknown): number | undefined {
  const { response } = (failure ?? {}) as { response?: { getAttributeValue(name: string): unknown } };
  const [code] = (response?.getAttributeValue("ERROR-CODE") ?? []) as unknown[];
  return typeof code === "number" ? code : undefined;
}

/** Sends datagrams to its own allocation until one arrives. */
async function returns(turn: TurnProtocol, clock: Clock): Promise<boolean> {
  const sent = Buffer.from("longarm tries the relay");
  const arrived = new Promise<void>((came) => {
    turn.onData.subscribe((data) => {
      if (data.equals(sent)) came();
    });
  });
  const send = (): void => void turn.sendData(sent, turn.relayedAddress).catch(() => undefined);
  send();
  const stop = clock.every(SEND_AGAIN_MS, send);
  const outcome = await within(clock, BACK_MS, arrived);
  stop();
  return outcome === "done";
}

/** `done`, or why not: what was thrown, or `late`. */
async function within(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<unknown> {
  return await new Promise((settled) => {
    const stop = clock.after(limitMs, () => settled("late"));
    work.then(
      () => settled("done"),
      (failure: unknown) => settled(failure),
    );
    void work.catch(() => undefined).then(stop);
  });
}
