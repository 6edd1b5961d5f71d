import type { Server } from "node:net";
import type { RTCDtlsTransport, RTCPeerConnection } from "werift";
import {
  CandidatePairState,
  classes,
  isStunMessage,
  parseMessage,
  StunOverTurnProtocol,
  StunProtocol,
  TcpActiveProtocol,
  TcpPassiveProtocol,
} from "werift";
import type { Clock } from "../../../ports/clock.ts";
import { createRateLimit } from "../../../rate-limit.ts";

/**
 * Packets that are accepted in a second, by kind: ICE checks, media feedback, and DTLS. A browser sends some dozens of each at
 * most. More are dropped before anything is decrypted or verified.
 */
const CHECKS_PER_SECOND = 200;
/** Packets from unknown addresses, of which only checks with the password are read. */
const STRANGERS_PER_SECOND = 2_000;
const FEEDBACK_PER_SECOND = 200;
const RECORDS_PER_SECOND = 700;
/** Packets of a TURN server, before they are unwrapped; the server's own answers included. */
const RELAYED_PER_SECOND = 2_000;
/** Packets dropped so in a second beyond which the connection ends: its port is closed, and the system drops the rest. */
const DROPPED_PER_SECOND = 1_000;
/** Addresses from which the holder of the password may send checks, until ICE restarts. Each is answered by checks of ours. */
const ADDRESSES_MAX = 32;
/** Checks that arrived before ours began. */
const EARLY_CHECKS_MAX = 64;
/** Checks of one address that werift remembers, in order to count repeated ones. */
const REMEMBERED_CHECKS_MAX = 1_024;
/** A packet of a browser has less. */
const PACKET_BYTES_MAX = 4_096;
/** Earlier passwords that are still accepted while ICE restarts. */
const PASSWORDS_MAX = 3;

type Address = readonly [host: string, port: number];
type Receive = (data: Buffer, from: Address) => void;

/** Private in werift. */
interface Ice {
  readonly nominated?: { readonly remoteAddr: Address };
  readonly checkList: readonly {
    readonly remoteAddr: Address;
    readonly state: number;
    readonly requestTransactionIds: Set<string>;
  }[];
  /** Checks that arrived before ours began. */
  readonly earlyChecks: readonly (readonly [unknown, Address, ...unknown[]])[];
  readonly localPassword: string;
  /** Passwords from before ICE restarts, by their user names. */
  readonly userHistory: Readonly<Record<string, string>>;
  /** Called with each protocol, direct or through a server, before it is opened. */
  ensureProtocol(protocol: unknown): void;
}

/**
 * Ignores what a stranger sends to the ports of a connection; call it before its addresses are gathered. Werift reads every packet that
 * arrives there: one small unencrypted packet from anywhere would end a connection or restart its handshake, and an ICE check without the
 * password would make us probe its source address. Only checks signed with our password are accepted (RFC 8445, 7.3), and
 * everything else only from addresses that such checks came from. The same holds for relayed packets, which must come from the TURN server itself.
 * It also limits what the holder of the password may send, by kind: `tooMuch` is called when a browser goes far beyond.
 */
export function guardFromStrangers(
  { iceTransport: { connection } }: RTCDtlsTransport,
  clock: Clock,
  tooMuch: () => void,
): void {
  const ice = connection as unknown as Ice;
  const knows = createAcquaintance(ice);
  const mayCheck = limitAddresses(ice);
  const isWithin = createLimits(clock, tooMuch);
  const guarded = (receive: Receive): Receive => {
    return (data, from) => {
      const isKnown = knows(from);
      if (data.length > PACKET_BYTES_MAX || !isWithin(data, isKnown)) return;
      if (!isStunMessage(data)) {
        if (isKnown) receive(data, from);
      } else if (isGenuine(ice, data) && (!isRequest(data) || mayCheck(from))) receive(data, from);
    };
  };
  const ensure = ice.ensureProtocol.bind(ice);
  ice.ensureProtocol = (protocol) => {
    if (protocol instanceof StunProtocol) {
      const udp = protocol as unknown as { datagramReceived: Receive };
      udp.datagramReceived = guarded(udp.datagramReceived.bind(protocol));
    } else if (protocol instanceof TcpPassiveProtocol || protocol instanceof TcpActiveProtocol) {
      const tcp = protocol as unknown as { handleFrame: Receive };
      tcp.handleFrame = guarded(tcp.handleFrame.bind(protocol));
    } else if (protocol instanceof StunOverTurnProtocol) {
      const relayed = protocol as unknown as { handleStunMessage: Receive };
      relayed.handleStunMessage = guarded(relayed.handleStunMessage.bind(protocol));
      guardServer(protocol.turn as unknown as Relay, clock, tooMuch);
    }
    ensure(protocol);
  };
}

/** Private in werift. */
interface Relay {
  readonly serverEndpoint?: Address;
  readonly transport: { readonly type: string };
  dataReceived(data: Buffer, from: Address): void;
  /** One message of the server's, of either kind. */
  handleChannelData(data: Buffer): void;
  handleSTUNMessage(data: Buffer, from: Address): void;
}

/** Werift accepts any packet on its port for the server as if the server had relayed it, and unwraps all of them. */
function guardServer(relay: Relay, clock: Clock, tooMuch: () => void): void {
  const budget = createRateLimit(clock, RELAYED_PER_SECOND);
  const patience = createRateLimit(clock, DROPPED_PER_SECOND);
  const limited = <A extends unknown[]>(receive: (...message: A) => void) => {
    return (...message: A): void => {
      if (budget.take(1)) receive(...message);
      else if (!patience.take(1)) tooMuch();
    };
  };
  relay.handleChannelData = limited(relay.handleChannelData.bind(relay));
  relay.handleSTUNMessage = limited(relay.handleSTUNMessage.bind(relay));
  const receive = relay.dataReceived.bind(relay);
  relay.dataReceived = (data, from) => {
    const { serverEndpoint, transport } = relay;
    // A stream is the server's own.
    if (transport.type !== "udp" || (serverEndpoint !== undefined && isSame(serverEndpoint, from))) receive(data, from);
  };
}

const [FIRST_RECORD, LAST_RECORD] = [20, 63];

/** A limit for each kind, and one for strangers, so that they use up none of the browser's. */
function createLimits(clock: Clock, tooMuch: () => void): (data: Buffer, isKnown: boolean) => boolean {
  const strangers = createRateLimit(clock, STRANGERS_PER_SECOND);
  const checks = createRateLimit(clock, CHECKS_PER_SECOND);
  const records = createRateLimit(clock, RECORDS_PER_SECOND);
  const feedback = createRateLimit(clock, FEEDBACK_PER_SECOND);
  const patience = createRateLimit(clock, DROPPED_PER_SECOND);
  const budgetOf = (first: number) => {
    if (first < FIRST_RECORD) return checks;
    return first <= LAST_RECORD ? records : feedback;
  };
  return (data, isKnown) => {
    if (!isKnown) return strangers.take(1);
    if (budgetOf(data[0] ?? 0).take(1)) return true;
    if (!patience.take(1)) tooMuch();
    return false;
  };
}

const isRequest = (message: Buffer): boolean => (message.readUInt16BE(0) & classes.ERROR) === classes.REQUEST;

/**
 * Whether a check from an address is accepted. Werift keeps each such address, checks it too, and scans all of
 * them for every check: the holder of the password could make it check any address by spoofing the source.
 */
function limitAddresses(ice: Ice): (from: Address) => boolean {
  const addresses = new Set<string>();
  let password = ice.localPassword;
  return (from) => {
    if (ice.localPassword !== password) addresses.clear();
    password = ice.localPassword;
    const address = from.join();
    if (!addresses.has(address) && addresses.size >= ADDRESSES_MAX) return false;
    addresses.add(address);
    for (const { remoteAddr, requestTransactionIds } of ice.checkList)
      if (isSame(remoteAddr, from) && requestTransactionIds.size > REMEMBERED_CHECKS_MAX) requestTransactionIds.clear();
    return ice.earlyChecks.length < EARLY_CHECKS_MAX;
  };
}

/** Werift matches responses with its requests; it does not verify requests. */
function isGenuine({ localPassword, userHistory }: Ice, message: Buffer): boolean {
  if (!isRequest(message)) return true;
  try {
    const passwords = [localPassword, ...Object.values(userHistory).slice(-PASSWORDS_MAX)];
    return passwords.some((password) => parseMessage(message, Buffer.from(password)) !== undefined);
  } catch {
    // What it cannot read; over TCP the library would not catch it.
    return false;
  }
}

function createAcquaintance(ice: Ice): (from: Address) => boolean {
  /** The address that ICE nominated last; it stays valid while ICE restarts. */
  let chosen: Address | undefined;
  return (from) => {
    const { nominated, checkList, earlyChecks } = ice;
    chosen = nominated?.remoteAddr ?? chosen;
    if (chosen !== undefined && isSame(chosen, from)) return true;
    // Before our side is connected a browser may send as soon as its own side is: its check has arrived by then.
    const done = chosen !== undefined;
    const isPaired = checkList.some(
      ({ remoteAddr, state }) => isSame(remoteAddr, from) && (!done || state === CandidatePairState.SUCCEEDED),
    );
    return isPaired || (!done && earlyChecks.some(([, address]) => isSame(address, from)));
  };
}

const isSame = (one: Address, other: Address): boolean => one[1] === other[1] && one[0] === other[0];

/** Connections that one of a viewer's listeners holds at once. A browser opens one for each of its networks. */
const CONNECTIONS_MAX = 16;
/** A TCP connection that is idle for this long is closed, ms. A browser's checks arrive every few seconds. */
const SILENT_MS = 15_000;

/** Limits what strangers may do to the TCP listeners of a peer, and has each packet leave at once; call it whenever the peer has gathered its addresses. */
export function limitTcp(peer: RTCPeerConnection): void {
  for (const { connection } of peer.iceTransports) {
    const { protocols } = connection as unknown as { readonly protocols: readonly unknown[] };
    for (const protocol of protocols)
      if (protocol instanceof TcpPassiveProtocol) limitListener((protocol as unknown as { server: Server }).server);
  }
}

const limitedListeners = new WeakSet<Server>();

export function limitListener(listener: Server, silentMs = SILENT_MS): void {
  if (limitedListeners.has(listener)) return;
  limitedListeners.add(listener);
  listener.maxConnections = CONNECTIONS_MAX;
  listener.on("connection", (socket) => {
    // With Nagle's algorithm a frame's last packet, and the answer to a press, wait for the browser's next acknowledgement: up to 40 ms.
    socket.setNoDelay(true);
    socket.setTimeout(silentMs, () => socket.destroy());
  });
}
