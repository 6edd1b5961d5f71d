import { createHmac } from "node:crypto";
import type { Transport } from "werift";
import { parseIceServers, TcpTransport, TlsTransport, TurnProtocol, UdpTransport } from "werift";
import type { Clock } from "../../../ports/clock.ts";
import type { IceServer } from "../../../ports/transport.ts";
import { giveBack } from "./relay.ts";

/** What a try of one TURN address came to. */
export type RelayFinding = {
  readonly url: string;
  readonly works: boolean;
  /** For the person at the console: what was seen, and what to change when it does not work. */
  readonly sentence: string;
};

/** Longest wait for a place on the server, ms; werift repeats its request for 6.3 s. */
const PLACE_MS = 10_000;
/** Longest wait for what was sent to come back, ms. */
const BACK_MS = 3_000;
const SEND_AGAIN_MS = 200;
const CREDENTIALS_S = 600;

/** Credentials by the TURN REST scheme, good for ten minutes, for a person who knows the servers' secret. */
export function relayServer(urls: readonly string[], secret: string, nowMs: number): IceServer {
  const username = `${Math.floor(nowMs / 1_000) + CREDENTIALS_S}:doctor`;
  return { urls, username, credential: createHmac("sha1", secret).update(username).digest("base64") };
}

/**
 * Whether the agent's own side can relay: asks each TURN address for a place and sends itself something through it. What it took
 * is given back. Never throws.
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
    const place = await within(clock, PLACE_MS, turn.connectionMade());
    if (place !== "done") return finding(false, noPlace(turn, place, { by, port: address[1] }));
    const back = await comesBack(turn, clock);
    await giveBack([turn], clock);
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

type Way = { readonly by: "udp" | "tcp" | "tls"; readonly port: number };

async function openTransport(address: readonly [string, number], by: Way["by"]): Promise<Transport> {
  if (by === "udp") return await UdpTransport.init(address[0].includes(":") ? "udp6" : "udp4");
  const limits = { connectTimeoutMs: PLACE_MS };
  const opening = by === "tcp" ? TcpTransport.init(address, limits) : TlsTransport.init(address, undefined, limits);
  // Its type has a field that may be undefined where that of the port has one that may be absent.
  return (await opening) as Transport;
}

const unreachable = ({ by, port }: Way): string =>
  `It does not answer: see that it is up, and that this network lets ${by === "udp" ? "UDP" : "TCP"} out to port ${port}.`;

/** A server that asked for credentials has answered; wrong ones it refuses without a seal, which werift does not take for an answer. */
function noPlace(turn: TurnProtocol, failure: unknown, way: Way): string {
  const code = errorCode(failure);
  if (code !== undefined && code !== 401)
    return `It gave no place: error ${code}${code === 486 ? ", its quota is used up" : ""}.`;
  if (turn.nonce === undefined) return unreachable(way);
  return "It refuses the credentials: TURN_SECRET must be its static-auth-secret, and both clocks must be right.";
}

function errorCode(failure: unknown): number | undefined {
  const { response } = (failure ?? {}) as { response?: { getAttributeValue(name: string): unknown } };
  const [code] = (response?.getAttributeValue("ERROR-CODE") ?? []) as unknown[];
  return typeof code === "number" ? code : undefined;
}

/** Sends datagrams to its own place until one arrives. */
async function comesBack(turn: TurnProtocol, clock: Clock): Promise<boolean> {
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
