import type { RTCDtlsTransport } from "werift";
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
import { createBudget } from "./budget.ts";

/**
 * Packets that are looked at in a second, by what they are: checks of ICE, feedback about media, and DTLS. A browser sends some dozens of each at
 * most. What is more is dropped before anything is decrypted or verified.
 */
const CHECKS_PER_SECOND = 200;
/** Of packets from addresses not known yet, of which only checks with the password are read. */
const STRANGERS_PER_SECOND = 2_000;
const FEEDBACK_PER_SECOND = 200;
const RECORDS_PER_SECOND = 700;
/** Of what a TURN server passes on, before it is unwrapped; with the server's own answers. */
const RELAYED_PER_SECOND = 2_000;
/** Packets dropped so in a second beyond which the connection ends: its port is closed, and the system drops the rest. */
const DROPPED_PER_SECOND = 1_000;
/** Addresses from which the holder of the password may send checks, until ICE is begun anew. Each is answered by checks of ours. */
const ADDRESSES_MAX = 32;
/** Checks that came before any were begun. */
const EARLY_CHECKS_MAX = 64;
/** Checks of one address that werift remembers, in order to count repeated ones. */
const REMEMBERED_CHECKS_MAX = 1_024;
/** A packet of a browser has less. */
const PACKET_BYTES_MAX = 4_096;
/** Passwords that still count while ICE is begun anew. */
const PASSWORDS_MAX = 3;

type Address = readonly [host: string, port: number];
type Hear = (data: Buffer, from: Address) => void;

/** Werift keeps these to itself. */
interface Ice {
  readonly nominated?: { readonly remoteAddr: Address };
  readonly checkList: readonly {
    readonly remoteAddr: Address;
    readonly state: number;
    readonly requestTransactionIds: Set<string>;
  }[];
  /** Checks that came before any were begun. */
  readonly earlyChecks: readonly (readonly [unknown, Address, ...unknown[]])[];
  readonly localPassword: string;
  /** Passwords from before ICE was begun anew, by their user names. */
  readonly userHistory: Readonly<Record<string, string>>;
  /** Told of each way, direct or over a server, before it is opened. */
  ensureProtocol(protocol: unknown): void;
}

/**
 * Passes over what a stranger sends to the ports of a connection; to be called before its addresses are gathered. Werift looks at whatever
 * comes there: one small unencrypted packet from anywhere would end a connection or have its handshake begin anew, and a check of ICE without the
 * password would have us probe the address that it came from. Only such checks count as are signed with our password (RFC 8445, 7.3), and
 * everything else only from addresses that ICE knows by them. What a TURN server passes on is held to the same, and comes from that server alone.
 * And it limits what one who has the password may send, of every kind: `tooMuch` is called when a browser goes far beyond.
 */
export function turnStrangersAway(
  { iceTransport: { connection } }: RTCDtlsTransport,
  clock: Clock,
  tooMuch: () => void,
): void {
  const ice = connection as unknown as Ice;
  const knows = createAcquaintance(ice);
  const mayCheck = limitAddresses(ice);
  const isWithin = createLimits(clock, tooMuch);
  const guarded = (hear: Hear): Hear => {
    return (data, from) => {
      const isKnown = knows(from);
      if (data.length > PACKET_BYTES_MAX || !isWithin(data, isKnown)) return;
      if (!isStunMessage(data)) {
        if (isKnown) hear(data, from);
      } else if (isGenuine(ice, data) && (!isRequest(data) || mayCheck(from))) hear(data, from);
    };
  };
  const ensure = ice.ensureProtocol.bind(ice);
  ice.ensureProtocol = (protocol) => {
    if (protocol instanceof StunProtocol) {
      const udp = protocol as unknown as { datagramReceived: Hear };
      udp.datagramReceived = guarded(udp.datagramReceived.bind(protocol));
    } else if (protocol instanceof TcpPassiveProtocol || protocol instanceof TcpActiveProtocol) {
      const tcp = protocol as unknown as { handleFrame: Hear };
      tcp.handleFrame = guarded(tcp.handleFrame.bind(protocol));
    } else if (protocol instanceof StunOverTurnProtocol) {
      const relayed = protocol as unknown as { handleStunMessage: Hear };
      relayed.handleStunMessage = guarded(relayed.handleStunMessage.bind(protocol));
      guardServer(protocol.turn as unknown as Relay, clock, tooMuch);
    }
    ensure(protocol);
  };
}

/** Werift keeps these to itself. */
interface Relay {
  readonly serverEndpoint?: Address;
  readonly transport: { readonly type: string };
  dataReceived(data: Buffer, from: Address): void;
  /** One message of the server's, of either kind. */
  handleChannelData(data: Buffer): void;
  handleSTUNMessage(data: Buffer, from: Address): void;
}

/** Werift takes what anybody sends to the port that it has for the server, as if the server had passed it on; and unwraps all of it. */
function guardServer(relay: Relay, clock: Clock, tooMuch: () => void): void {
  const budget = createBudget(clock, RELAYED_PER_SECOND);
  const patience = createBudget(clock, DROPPED_PER_SECOND);
  const within = <A extends unknown[]>(take: (...message: A) => void) => {
    return (...message: A): void => {
      if (budget.take(1)) take(...message);
      else if (!patience.take(1)) tooMuch();
    };
  };
  relay.handleChannelData = within(relay.handleChannelData.bind(relay));
  relay.handleSTUNMessage = within(relay.handleSTUNMessage.bind(relay));
  const receive = relay.dataReceived.bind(relay);
  relay.dataReceived = (data, from) => {
    const { serverEndpoint, transport } = relay;
    // A stream is the server's own.
    if (transport.type !== "udp" || (serverEndpoint !== undefined && isSame(serverEndpoint, from))) receive(data, from);
  };
}

const [FIRST_RECORD, LAST_RECORD] = [20, 63];

/** Each kind within its budget, and strangers within one of their own, so that they take none of the browser's. */
function createLimits(clock: Clock, tooMuch: () => void): (data: Buffer, isKnown: boolean) => boolean {
  const strangers = createBudget(clock, STRANGERS_PER_SECOND);
  const checks = createBudget(clock, CHECKS_PER_SECOND);
  const records = createBudget(clock, RECORDS_PER_SECOND);
  const feedback = createBudget(clock, FEEDBACK_PER_SECOND);
  const patience = createBudget(clock, DROPPED_PER_SECOND);
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
 * Whether an address may be checked because a check came from it. Werift keeps each such address, checks it in turn, and goes through all of
 * them for every check: a holder of the password could have it check any address whose name he puts on his packets.
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

/** Answers are held against what was asked by werift; questions are not. */
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
  /** The address that ICE chose last; it stays good while ICE begins anew. */
  let chosen: Address | undefined;
  return (from) => {
    const { nominated, checkList, earlyChecks } = ice;
    chosen = nominated?.remoteAddr ?? chosen;
    if (chosen !== undefined && isSame(chosen, from)) return true;
    // Before ours is done a browser speaks as soon as its own side is: we have had its check by then.
    const done = chosen !== undefined;
    const isPaired = checkList.some(
      ({ remoteAddr, state }) => isSame(remoteAddr, from) && (!done || state === CandidatePairState.SUCCEEDED),
    );
    return isPaired || (!done && earlyChecks.some(([, address]) => isSame(address, from)));
  };
}

const isSame = (one: Address, other: Address): boolean => one[1] === other[1] && one[0] === other[0];
