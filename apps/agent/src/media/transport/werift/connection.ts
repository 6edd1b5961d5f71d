import type { RTCDataChannel, RTCDtlsTransport, RTCPeerConnection } from "werift";
import type { Clock } from "../../../ports/clock.ts";
import type {
  AnsweredOffer,
  ConnectionEvents,
  DataChannelName,
  IceCandidate,
  NegotiatedStreams,
  OfferRequest,
  ViewerConnection,
} from "../../../ports/transport.ts";
import { OfferProblem } from "../../../ports/transport.ts";
import { createRateLimit } from "../../../rate-limit.ts";
import type { Offer } from "../offer.ts";
import { answerWithRepair, readOffer } from "../offer.ts";
import { allowedCandidate, REMOTE_CANDIDATES_MAX } from "../remote-candidates.ts";
import { answerAtOnce, limitHandshake } from "./dtls-guard.ts";
import type { MediaPath } from "./media-path.ts";
import { createMediaPath } from "./media-path.ts";
import type { PeerSettings } from "./peer.ts";
import { applyOffer, createPeer, negotiatedStreams } from "./peer.ts";
import { closeWithRelays } from "./relay.ts";
import { guardSctp, isCrowded } from "./sctp-guard.ts";
import { guardFromStrangers, limitTcp } from "./stranger-guard.ts";

/** Our own addresses are known within milliseconds; on a starved machine, or for what STUN and TURN find where nothing can be trickled, the answer waits this long. */
export const OWN_ADDRESSES_MS = 2_000;
/** With STUN the answer goes out after this, and what STUN finds is trickled. */
const STUN_ANSWER_MS = 80;

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly settings: PeerSettings;
  /** Which of the browser's candidate addresses may be probed. */
  readonly allowed: (address: string) => boolean;
  /** Which of our own candidate lines are sent to the browser. */
  readonly offered: (candidateLine: string) => boolean;
}

/** Answers one offer with one werift peer. Rejects with an `OfferProblem`; then nothing of it is left. */
export async function openConnection(
  request: OfferRequest,
  events: ConnectionEvents,
  deps: ConnectionDeps,
): Promise<AnsweredOffer> {
  const offer = readOffer(request.sdp, request.preferredCodec);
  const peer = createPeer(offer, request.iceServers, deps.settings);
  const lifetime = createLifetime(peer, events, deps, "browser");
  const hasRoomCamera = request.roomCamera === true;
  const first = { offer, hasRoomCamera, complete: request.complete === true };
  const negotiation = createNegotiation(peer, first, deps, lifetime.guard(events.candidate));
  const streams = () => negotiatedStreams(peer, negotiation.current(), hasRoomCamera);
  const channels = createChannels(deps.clock, {
    isCrowded: () => isCrowded(peer),
    open: lifetime.guard(events.channelOpen),
    message: lifetime.guard((name, message) => {
      lifetime.received();
      events.data(name, message);
    }),
  });
  peer.onDataChannel.subscribe(channels.take);
  try {
    const sdp = await negotiation.answer(offer, (dtls) => lifetime.carry(dtls, streams));
    const connection: ViewerConnection = {
      ...lifetime.sends,
      sendData: (channel, message) => !lifetime.ended() && channels.send(channel, message),
      addCandidate: lifetime.guard(negotiation.addCandidate),
      async renegotiate(text) {
        if (lifetime.ended()) throw new OfferProblem("The connection is closed; join again.");
        const answered = await negotiation.renegotiate(text);
        lifetime.later(() => events.renegotiated?.(streams()))();
        return answered;
      },
      close: () => lifetime.end(null),
    };
    return { sdp, connection, videoCodec: offer.videoCodec };
  } catch (problem) {
    await lifetime.end(null);
    throw problem;
  }
}

/** Who is at the other end, for the log. */
type Other = "browser" | "media server";

/** Ends a connection exactly once: afterwards there are no events and no packets. */
export function createLifetime(peer: RTCPeerConnection, events: ConnectionEvents, deps: ConnectionDeps, other: Other) {
  const { clock, settings } = deps;
  let ended = false;
  let path: MediaPath | null = null;
  const end = async (reason: string | null) => {
    if (ended) return;
    ended = true;
    path = null;
    liveness.stop();
    await closeWithRelays(peer, clock, settings.relay).catch(() => undefined);
    if (reason !== null) events.closed(reason);
  };
  /** Runs from the event loop, never inside a caller's method. */
  const later = (run: () => void) => () => {
    clock.after(0, () => ended || run());
  };
  const guard =
    <A extends unknown[]>(run: (...given: A) => void) =>
    (...given: A): void => {
      if (!ended) run(...given);
    };
  const liveness = watchLiveness(clock, other, {
    interrupted: () => events.interrupted(),
    lost: (reason) => void end(reason),
  });
  const tooMuch = later(() => void end(`The ${other} sends more than a page does.`));
  peer.connectionStateChange.subscribe((state) => {
    if (state === "failed") later(() => void end(`The connection to the ${other} failed.`))();
  });
  const sends: Pick<ViewerConnection, "sendVideo" | "sendAudio" | "sendRtcp"> = {
    sendVideo: (packets) => path?.sendRtp(packets),
    sendAudio: (packet) => path?.sendRtp([packet]),
    sendRtcp: (packet) => path?.sendRtcp(packet),
  };
  return {
    ...{ end, later, guard, sends, received: liveness.received },
    ended: () => ended,
    /** Guards the transport, and carries media over it once it is connected. Call it before addresses are gathered. */
    carry(dtls: RTCDtlsTransport, streams: () => NegotiatedStreams): void {
      guardFromStrangers(dtls, clock, tooMuch);
      guardSctp(peer, clock, tooMuch);
      limitHandshake(dtls, tooMuch);
      answerAtOnce(dtls);
      path = createMediaPath(dtls, {
        ready: later(() => {
          liveness.connected();
          events.connected(streams());
        }),
        rtcp: guard((packet) => {
          liveness.received();
          events.rtcp(packet);
        }),
        ended: later(() => void end(`The ${other} closed the connection.`)),
      });
    },
  };
}

/** Offers in, answers out, and the browser's candidates within limits. */
function createNegotiation(
  peer: RTCPeerConnection,
  first: { readonly offer: Offer; readonly hasRoomCamera: boolean; readonly complete: boolean },
  deps: ConnectionDeps,
  send: (candidate: IceCandidate) => void,
) {
  const trickle = createTrickle(peer, deps.offered, send);
  let current = first.offer;
  let candidatesLeft = REMOTE_CANDIDATES_MAX;
  const candidateRate = createRateLimit(deps.clock, REMOTE_CANDIDATES_MAX / 2);

  const addCandidate = ({ candidate }: IceCandidate) => {
    if (candidatesLeft <= 0 || !candidateRate.take(1) || !allowedCandidate(candidate, deps.allowed)) return;
    candidatesLeft -= 1;
    // The bundle has one transport, so any section names it.
    const sdpMid = current.sections[0]?.mid ?? "0";
    peer.addIceCandidate({ candidate: candidate.replace(/^a=/, ""), sdpMid, sdpMLineIndex: 0 }).catch(() => undefined);
  };
  const answer = async (offer: Offer, onTransport?: (dtls: RTCPeerConnection["dtlsTransports"][number]) => void) => {
    const sdp = await applyOffer(peer, offer, first.hasRoomCamera);
    const dtls = peer.dtlsTransports[0];
    if (!dtls) throw new OfferProblem("The offer has nothing to answer.");
    onTransport?.(dtls);
    for (const candidate of offer.candidates) addCandidate({ candidate, sdpMid: null });
    trickle.hold();
    const applied = peer.setLocalDescription({ type: "answer", sdp }).finally(() => limitTcp(peer));
    const trickles = !first.complete && peer.getConfiguration().iceServers.length > 0;
    const waitMs = trickles ? STUN_ANSWER_MS : OWN_ADDRESSES_MS;
    const waited = new Promise<void>((resolve) => deps.clock.after(waitMs, resolve));
    await Promise.race([applied.catch(refuse), waited]);
    limitTcp(peer);
    // Werift answers a restart but leaves ICE unstarted while DTLS is up, so it is started here.
    if (offer.iceUfrag !== current.iceUfrag) dtls.iceTransport.start().catch(() => undefined);
    current = offer;
    deps.clock.after(0, trickle.release);
    return withRepair(peer, offer, keepOffered(peer.localDescription?.sdp ?? sdp, deps.offered));
  };

  return {
    answer,
    addCandidate,
    current: () => current,
    async renegotiate(text: string) {
      const next = readOffer(text, current.videoCodec ?? undefined);
      requireSameSections(current, next);
      candidatesLeft = REMOTE_CANDIDATES_MAX;
      return answer(next);
    },
  };
}

function withRepair(peer: RTCPeerConnection, { sections }: Offer, sdp: string): string {
  const video = sections.find(({ role }) => role === "video");
  const sender = peer.getTransceivers().find(({ mid }) => mid === video?.mid)?.sender;
  return video && sender ? answerWithRepair(sdp, video, sender.ssrc) : sdp;
}

function refuse(cause: unknown): never {
  throw new OfferProblem("The answer could not be applied; send the browser's SDP unchanged.", { cause });
}

/** A further offer may restart ICE; anything else is a new connection. */
function requireSameSections(before: Offer, next: Offer): void {
  const shape = ({ fingerprint, sections }: Offer) =>
    [
      fingerprint.value,
      ...sections.map(({ role, mid, codec, repairType }) => `${role} ${mid} ${codec?.payloadType} ${repairType}`),
    ].join();
  if (shape(before) !== shape(next)) {
    throw new OfferProblem("The further offer has other sections or another certificate; join again instead.");
  }
}

/** Sends our own candidates to the browser. */
interface Trickle {
  /** Keeps candidates found from now on: the answer that is being made may carry them. */
  hold(): void;
  /** The answer was sent: sends the candidates that were not in it, and later ones as they are found. */
  release(): void;
}

function createTrickle(
  peer: RTCPeerConnection,
  offered: (line: string) => boolean,
  send: (candidate: IceCandidate) => void,
): Trickle {
  let waiting: IceCandidate[] | null = [];
  peer.onIceCandidate.subscribe((found) => {
    if (!found?.candidate || !offered(found.candidate)) return;
    const candidate = { candidate: found.candidate, sdpMid: found.sdpMid ?? null };
    if (waiting) waiting.push(candidate);
    else send(candidate);
  });
  return {
    hold() {
      waiting ??= [];
    },
    release() {
      const found = waiting ?? [];
      waiting = null;
      const inAnswer = peer.localDescription?.sdp ?? "";
      for (const candidate of found) if (!inAnswer.includes(candidate.candidate)) send(candidate);
    },
  };
}

/** The SDP without the candidates that are not to be shown. */
export function keepOffered(sdp: string, offered: (line: string) => boolean): string {
  const lines = sdp.split(/\r?\n/);
  return lines.filter((line) => !line.startsWith("a=candidate:") || offered(line.slice(2))).join("\r\n");
}

/** A connection that is not up by then is given up, ms. */
const CONNECT_DEADLINE_MS = 30_000;
/** A browser sends something at least once a second. */
const INTERRUPTED_AFTER_MS = 4_000;
const LOST_AFTER_MS = 30_000;
const LOOK_MS = 1_000;

interface Liveness {
  /** A packet arrived from the browser. */
  received(): void;
  /** Media can flow; from now on silence counts. */
  connected(): void;
  stop(): void;
}

/** Checks that a browser connects in time and keeps sending. */
function watchLiveness(clock: Clock, other: Other, on: { interrupted(): void; lost(reason: string): void }): Liveness {
  const startedAtMs = clock.now();
  let heardAtMs = startedAtMs;
  let isConnected = false;
  let interrupted = false;
  const look = () => {
    const now = clock.now();
    const silentMs = now - heardAtMs;
    if (!isConnected && now - startedAtMs > CONNECT_DEADLINE_MS) on.lost(`The ${other} did not connect within 30 s.`);
    else if (isConnected && silentMs > LOST_AFTER_MS) on.lost(`The ${other} has not been heard for 30 s.`);
    else if (isConnected && silentMs > INTERRUPTED_AFTER_MS && !interrupted) {
      interrupted = true;
      on.interrupted();
    }
  };
  const received = () => {
    heardAtMs = clock.now();
    interrupted = false;
  };
  return {
    received,
    connected() {
      isConnected = true;
      received();
    },
    stop: clock.every(LOOK_MS, look),
  };
}

/** The largest message of either channel, bytes (contract.md, section 3). */
const MESSAGE_BYTES_MAX = 512;
/** Messages a second taken from one browser; a page sends a dozen at most. */
const MESSAGES_PER_SECOND = 200;
/** Bytes that may wait in SCTP before an answer is dropped. */
const WAITING_BYTES_MAX = 16 * 1024;

interface Channels {
  /** Adds a channel that the browser opened; `guardSctp` has already rejected unknown and repeated ones. */
  take(channel: RTCDataChannel): void;
  send(name: DataChannelName, message: Uint8Array): boolean;
}

/** The `press` and `clock` channels of one browser, with limits on what it may send. */
function createChannels(
  clock: Clock,
  on: {
    open(name: DataChannelName): void;
    message(name: DataChannelName, message: Uint8Array): void;
    /** So much is unacknowledged by the browser that another answer is dropped. */
    isCrowded(): boolean;
  },
): Channels {
  const channels = new Map<DataChannelName, RTCDataChannel>();
  let secondAtMs = clock.now();
  let messages = 0;

  const withinRate = () => {
    const now = clock.now();
    if (now - secondAtMs >= 1000) {
      secondAtMs = now;
      messages = 0;
    }
    messages += 1;
    return messages <= MESSAGES_PER_SECOND;
  };

  const listen = (name: DataChannelName, channel: RTCDataChannel) => {
    channels.set(name, channel);
    channel.onMessage.subscribe((data) => {
      const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
      if (bytes.length <= MESSAGE_BYTES_MAX && withinRate()) on.message(name, bytes);
    });
    if (channel.readyState === "open") on.open(name);
    else
      channel.stateChanged.subscribe((state) => {
        if (state === "open") on.open(name);
      });
  };

  return {
    take(channel) {
      const { label } = channel;
      if (label === "press" || label === "clock") listen(label, channel);
    },
    send(name, message) {
      const channel = channels.get(name);
      if (channel?.readyState !== "open" || channel.bufferedAmount > WAITING_BYTES_MAX || on.isCrowded()) return false;
      try {
        channel.send(Buffer.from(message).toString("utf8"));
        return true;
      } catch {
        return false;
      }
    },
  };
}
