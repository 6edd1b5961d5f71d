import type { RTCPeerConnection } from "werift";
import type { Clock } from "../../../ports/clock.ts";
import type { RateLimit } from "../../../rate-limit.ts";
import { createRateLimit } from "../../../rate-limit.ts";
import type { SctpChunk } from "./sctp-packet.ts";
import { readSctpPacket, SCTP } from "./sctp-packet.ts";

/**
 * What packets may cost in a second, in packets of one small message; a page sends some dozens at most. What makes us work more than that
 * costs more (see `costOf`).
 */
const COST_PER_SECOND = 600;
/** Bytes of messages whose end has not arrived. Each message of ours fits one chunk. */
const UNFINISHED_BYTES_MAX = 32_768;
/** Chunks of messages that are incomplete, or out of order. */
const UNFINISHED_CHUNKS_MAX = 256;
/** Chunks that arrived while earlier ones are missing; a page gives up lost ones within seconds. */
const EARLY_CHUNKS_MAX = 256;
/** How far a chunk may be ahead of the last complete sequence, and how far behind it a duplicate. */
const AHEAD_MAX = 1_024;
const BEHIND_MAX = 65_536;
/** Streams are numbered from 0; a page uses the first two or four. */
const STREAMS_MAX = 64;
/** Chunks of our own messages that the browser has not acknowledged; beyond it answers are dropped. */
const OUTSTANDING_MAX = 128;
/** Packets of a handshake, with those that are repeated because an answer was lost. */
const HANDSHAKE_PACKETS_MAX = 32;
/** Attempts to open unknown channels; they never reach the library. */
const FOREIGN_CHANNELS_MAX = 8;

/** Payload kinds of messages: text and bytes, each with an own kind for an empty one. */
const MESSAGE_KINDS: ReadonlySet<number> = new Set([51, 53, 56, 57]);
/** A message about the channel itself (RFC 8832). */
const CHANNEL_KIND = 50;
const OPENS = 3;
const OPENING_BYTES = 12;
/** Whether messages keep their order, and how often or how long they are repeated. */
const CHANNEL_TYPES: ReadonlySet<number> = new Set([0x00, 0x80, 0x01, 0x81, 0x02, 0x82]);
const CHANNEL_LABELS: ReadonlySet<string> = new Set(["press", "clock"]);

const [CLOSED, ESTABLISHED] = [1, 4];

/** A chunk as werift has read it; each has some of these, by its type. */
export interface ReadChunk {
  readonly type: number;
  readonly body?: Buffer;
  readonly tsn?: number;
  readonly streamId?: number;
  readonly cumulativeTsn?: number;
  readonly gaps?: readonly (readonly [first: number, last: number])[];
  readonly duplicates?: readonly number[];
  readonly streams?: readonly (readonly [stream: number, order: number])[];
}

/** Private in werift. */
export interface Association {
  readonly associationState: number;
  readonly isStopped: boolean;
  readonly localPort: number;
  readonly localVerificationTag: number;
  /** The number of our next chunk. */
  readonly localTsn: number;
  readonly lastSackedTsn: number;
  /** The last chunk of the browser before which none is missing. */
  readonly lastReceivedTsn: number | undefined;
  readonly advertisedRwnd: number;
  readonly sackMisOrdered: ReadonlySet<number>;
  readonly inboundStreams: Readonly<Record<number, { readonly reassembly: readonly unknown[] }>>;
  readonly outboundQueue: readonly unknown[];
  readonly sentQueue: readonly unknown[];
  handleData(packet: Buffer): Promise<void>;
  receiveChunk(chunk: ReadChunk): Promise<void>;
  receive(stream: number, kind: number, message: Buffer): void;
  transmit(): Promise<void>;
}

/** Private in werift. */
interface Channels {
  readonly sctp: Association;
  datachannelReceive(stream: number, kind: number, message: Buffer): Promise<void>;
  dataChannelFlush(): Promise<void>;
}

const guarded = new WeakSet<object>();

/**
 * Passes only what a browser sends to the library's SCTP: whole packets with our tag and a right checksum, chunks that fit the state of the
 * association, and openings of our channels; with limits on what is kept and on the cost in a second. Call it whenever an
 * offer was applied. Werift trusts lengths, numbers and order, and scans everything it keeps for every chunk: one packet of one viewer could
 * block the process for every viewer or end it (attack 1, 2 and 3). `tooMuch` is called once; then nothing of this browser is read any more.
 */
export function guardSctp(peer: RTCPeerConnection, clock: Clock, tooMuch: () => void): void {
  const channels = peer.sctpTransport as unknown as Channels | undefined;
  const sctp = channels?.sctp;
  if (channels === undefined || sctp === undefined || guarded.has(sctp)) return;
  guarded.add(sctp);
  // The browser starts the association; werift would follow a change of the ICE roles, which a browser can cause, and start one itself.
  Object.defineProperty(sctp, "isServer", { get: () => true, set: () => undefined });
  const budget = createRateLimit(clock, COST_PER_SECOND);
  let over = false;
  const end = (): void => {
    if (!over) tooMuch();
    over = true;
  };
  guardPackets(sctp, budget, () => over, end);
  guardChunks(sctp, end);
  guardMessages(channels, end);
  // Werift awaits neither, so that a failure would end the process.
  const transmit = sctp.transmit.bind(sctp);
  sctp.transmit = () => transmit().catch(() => undefined);
  const flush = channels.dataChannelFlush.bind(channels);
  channels.dataChannelFlush = () => flush().catch(() => undefined);
}

/** Whether so much of ours is unacknowledged that another answer is dropped. */
export function isCrowded(peer: RTCPeerConnection): boolean {
  const sctp = peer.sctpTransport?.sctp as unknown as Association | undefined;
  return sctp !== undefined && sctp.sentQueue.length + sctp.outboundQueue.length >= OUTSTANDING_MAX;
}

function guardPackets(sctp: Association, budget: RateLimit, isOver: () => boolean, end: () => void): void {
  const handle = sctp.handleData.bind(sctp);
  sctp.handleData = async (packet) => {
    if (isOver() || sctp.isStopped) return;
    const chunks = readSctpPacket(packet, sctp.localPort, sctp.localVerificationTag);
    if (!budget.take(costOf(packet, chunks ?? []))) end();
    else if (chunks !== undefined) await handle(packet).catch(() => undefined);
  };
}

/** An acknowledgement with gaps can make us repeat everything outstanding; the others are answered, or start something. */
const COSTS: ReadonlyMap<number, number> = new Map([
  [SCTP.init, 20],
  [SCTP.cookieEcho, 20],
  [SCTP.reconfig, 20],
  [SCTP.heartbeat, 2],
]);
const GAPS_COST = 10;

function costOf(packet: Buffer, chunks: readonly SctpChunk[]): number {
  const costs = chunks.map(({ type, body }) => {
    if (type === SCTP.sack) return body.readUInt16BE(8) > 0 ? GAPS_COST : 1;
    return COSTS.get(type) ?? 1;
  });
  return Math.max(
    packet.length / 512,
    costs.reduce((sum, cost) => sum + cost, 0),
    1,
  );
}

function guardChunks(sctp: Association, end: () => void): void {
  const windowBytes = sctp.advertisedRwnd;
  const receive = sctp.receiveChunk.bind(sctp);
  const belongs = createOrder(sctp);
  sctp.receiveChunk = async (chunk) => {
    if (!belongs(chunk)) return;
    await receive(chunk);
    const chunks = Object.values(sctp.inboundStreams).reduce((sum, { reassembly }) => sum + reassembly.length, 0);
    if (
      windowBytes - sctp.advertisedRwnd > UNFINISHED_BYTES_MAX ||
      chunks > UNFINISHED_CHUNKS_MAX ||
      sctp.sackMisOrdered.size > EARLY_CHUNKS_MAX
    )
      end();
  };
}

/** Whether a chunk fits the present state of the association, and refers only to what exists. */
export function createOrder(sctp: Association): (chunk: ReadChunk) => boolean {
  let handshakePackets = 0;
  let cookie: Buffer | undefined;
  const isHandshake = (chunk: ReadChunk): boolean => {
    handshakePackets += 1;
    if (handshakePackets > HANDSHAKE_PACKETS_MAX) return false;
    if (sctp.associationState === CLOSED) {
      cookie = chunk.type === SCTP.cookieEcho ? chunk.body : undefined;
      return true;
    }
    // Repeated because our answer was lost. Any other would restart an established association.
    return chunk.type === SCTP.cookieEcho && chunk.body !== undefined && cookie?.equals(chunk.body) === true;
  };
  return (chunk) => {
    if (sctp.isStopped) return false;
    if (chunk.type === SCTP.init || chunk.type === SCTP.cookieEcho) return isHandshake(chunk);
    if (chunk.type === SCTP.abort) return true;
    return sctp.associationState === ESTABLISHED && (RIGHT_NOW.get(chunk.type)?.(chunk, sctp) ?? false);
  };
}

/** Chunks of an established association. None that shuts it down gradually: browsers abort, and we only answer. */
const RIGHT_NOW: ReadonlyMap<number, (chunk: ReadChunk, sctp: Association) => boolean> = new Map([
  [SCTP.data, ({ tsn, streamId }, sctp) => isNear(tsn, sctp) && isStream(streamId)],
  [SCTP.sack, acknowledgesWhatWasSent],
  [SCTP.heartbeat, () => true],
  [SCTP.heartbeatAck, () => true],
  [SCTP.error, () => true],
  [SCTP.reconfig, () => true],
  [
    SCTP.forwardTsn,
    ({ cumulativeTsn, streams = [] }, sctp) =>
      isNear(cumulativeTsn, sctp) && streams.every(([stream]) => isStream(stream)),
  ],
]);

const isStream = (stream: number | undefined): boolean => stream !== undefined && stream < STREAMS_MAX;

/** How far the one number is ahead of the other; they wrap after 32 bits. */
const aheadOf = (one: number, other: number): number => (one - other) | 0;

function isNear(tsn: number | undefined, { lastReceivedTsn }: Association): boolean {
  if (tsn === undefined || lastReceivedTsn === undefined) return false;
  const ahead = aheadOf(tsn, lastReceivedTsn);
  return ahead <= AHEAD_MAX && ahead >= -BEHIND_MAX;
}

/** Gaps lie in their order within what was sent and not acknowledged before. */
function acknowledgesWhatWasSent({ cumulativeTsn, gaps = [], duplicates = [] }: ReadChunk, sctp: Association): boolean {
  if (cumulativeTsn === undefined) return false;
  const lastSent = sctp.localTsn - 1 - sctp.outboundQueue.length;
  const outstanding = aheadOf(lastSent, cumulativeTsn);
  // Behind the last one: it arrived late, with nothing new.
  if (outstanding < 0 || aheadOf(cumulativeTsn, sctp.lastSackedTsn) < 0) return false;
  let reached = 0;
  for (const [first, last] of gaps) {
    if (first <= reached || last < first || last > outstanding) return false;
    reached = last;
  }
  return duplicates.length <= OUTSTANDING_MAX && duplicates.every((tsn) => wasSent(tsn, lastSent));
}

function wasSent(tsn: number, lastSent: number): boolean {
  const behind = aheadOf(lastSent, tsn);
  return behind >= 0 && behind <= BEHIND_MAX;
}

/** Lets each of our channels be opened once, no other, and accepts messages only on open ones. */
function guardMessages(channels: Channels, end: () => void): void {
  const { sctp } = channels;
  const open = new Set<number>();
  const labels = new Set<string>();
  let foreign = 0;
  const mayOpen = (stream: number, message: Buffer): boolean => {
    const label = openedLabel(message);
    if (label === undefined || open.has(stream)) return false;
    if (CHANNEL_LABELS.has(label) && !labels.has(label)) {
      open.add(stream);
      labels.add(label);
      return true;
    }
    foreign += 1;
    if (foreign > FOREIGN_CHANNELS_MAX) end();
    return false;
  };
  sctp.receive = (stream, kind, message) => {
    if (kind === CHANNEL_KIND ? !mayOpen(stream, message) : !open.has(stream) || !MESSAGE_KINDS.has(kind)) return;
    // Werift does not await its own listener either.
    channels.datachannelReceive(stream, kind, message).catch(() => undefined);
  };
}

/** The label of the channel that a message opens; undefined: it opens none, or is malformed. */
export function openedLabel(message: Buffer): string | undefined {
  if (message.length < OPENING_BYTES || message[0] !== OPENS || !CHANNEL_TYPES.has(message[1] as number)) return;
  const [labelBytes, protocolBytes] = [message.readUInt16BE(8), message.readUInt16BE(10)];
  if (message.length !== OPENING_BYTES + labelBytes + protocolBytes) return;
  return message.toString("utf8", OPENING_BYTES, OPENING_BYTES + labelBytes);
}
