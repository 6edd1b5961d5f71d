import type { RTCPeerConnection } from "werift";
import type { Clock } from "../../../ports/clock.ts";

/** Pieces of messages that one browser may send in a second; a page sends some dozens at most. */
const PIECES_PER_SECOND = 500;
/** Bytes of messages whose end has not come. Each message of ours fits one piece. */
const UNFINISHED_BYTES_MAX = 32_768;
/** Pieces that came while earlier ones are missing; those of a page that are lost are given up within seconds. */
const EARLY_PIECES_MAX = 256;

/** What the bytes of a message are to werift: text and bytes, each with a kind of its own for none of them. */
const MESSAGE_KINDS: ReadonlySet<number> = new Set([51, 53, 56, 57]);
/** A word about the channel itself. */
const CHANNEL_KIND = 50;
const OPENS = 3;

/** Werift keeps these to itself. */
interface Association {
  advertisedRwnd: number;
  readonly sackMisOrdered: ReadonlySet<number>;
  receiveDataChunk(chunk: unknown): void;
  receive(stream: number, kind: number, message: Buffer): void;
  handleData(packet: Buffer): Promise<void>;
}

const limited = new WeakSet<object>();

/**
 * Limits what a browser may send over its data channels; to be called whenever an offer was applied. Werift keeps messages without end and
 * goes through all it keeps for every piece, so one viewer could stop the agent for everybody. `tooMuch` is called once; nothing more of
 * this browser is looked at.
 */
export function limitMessages(peer: RTCPeerConnection, clock: Clock, tooMuch: () => void): void {
  const sctp = peer.sctpTransport?.sctp as unknown as Association | undefined;
  if (sctp === undefined || limited.has(sctp)) return;
  limited.add(sctp);
  const windowBytes = sctp.advertisedRwnd;
  const receive = sctp.receiveDataChunk.bind(sctp);
  let secondAtMs = clock.now();
  let pieces = 0;
  let over = false;
  ignoreMalformed(sctp);
  sctp.receiveDataChunk = (chunk) => {
    if (over) return;
    const now = clock.now();
    if (now - secondAtMs >= 1_000) {
      secondAtMs = now;
      pieces = 0;
    }
    pieces += 1;
    receive(chunk);
    const unfinished = windowBytes - sctp.advertisedRwnd;
    over =
      pieces > PIECES_PER_SECOND || unfinished > UNFINISHED_BYTES_MAX || sctp.sackMisOrdered.size > EARLY_PIECES_MAX;
    if (over) tooMuch();
  };
}

/** What werift cannot read it throws, where nobody catches it: one packet of one viewer would end the agent's process. */
function ignoreMalformed(sctp: Association): void {
  const handle = sctp.handleData.bind(sctp);
  const receive = sctp.receive.bind(sctp);
  sctp.handleData = (packet) => handle(packet).catch(() => undefined);
  sctp.receive = (stream, kind, message) => {
    // We open no channels, so nobody has one of ours to acknowledge.
    if (kind === CHANNEL_KIND ? message[0] === OPENS : MESSAGE_KINDS.has(kind)) receive(stream, kind, message);
  };
}
