import type { RTCDtlsTransport } from "werift";
import {
  CandidatePairState,
  classes,
  isStunMessage,
  parseMessage,
  StunProtocol,
  TcpActiveProtocol,
  TcpPassiveProtocol,
} from "werift";

type Address = readonly [host: string, port: number];
type Hear = (data: Buffer, from: Address) => void;

/** Werift keeps these to itself. */
interface Ice {
  readonly nominated?: { readonly remoteAddr: Address };
  readonly checkList: readonly { readonly remoteAddr: Address; readonly state: number }[];
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
 * everything else only from addresses that ICE knows by them. What comes over a TURN server is left to that server's permissions.
 */
export function turnStrangersAway({ iceTransport: { connection } }: RTCDtlsTransport): void {
  const ice = connection as unknown as Ice;
  const knows = createAcquaintance(ice);
  const guarded = (hear: Hear): Hear => {
    return (data, from) => {
      if (isStunMessage(data) ? isGenuine(ice, data) : knows(from)) hear(data, from);
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
    }
    ensure(protocol);
  };
}

/** Answers are held against what was asked by werift; questions are not. */
function isGenuine({ localPassword, userHistory }: Ice, message: Buffer): boolean {
  if ((message.readUInt16BE(0) & classes.ERROR) !== classes.REQUEST) return true;
  try {
    const passwords = [localPassword, ...Object.values(userHistory)];
    return passwords.some((password) => parseMessage(message, Buffer.from(password)) !== undefined);
  } catch {
    // What it cannot read; over TCP nobody else would catch it.
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
