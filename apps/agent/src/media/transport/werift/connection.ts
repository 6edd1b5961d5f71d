import type { Server } from "node:net";
import type { RTCDtlsTransport, RTCPeerConnection } from "werift";
import { TcpPassiveProtocol } from "werift";
import type { Clock } from "../../../ports/clock.ts";
import type { ConnectionEvents, IceCandidate, OfferRequest, ViewerConnection } from "../../../ports/transport.ts";
import { OfferProblem } from "../../../ports/transport.ts";
import type { Offer } from "../offer.ts";
import { readOffer } from "../offer.ts";
import { allowedCandidate, REMOTE_CANDIDATES_MAX } from "../remote-candidates.ts";
import { createBudget } from "./budget.ts";
import { createChannels } from "./channels.ts";
import { answerAtOnce } from "./hello-guard.ts";
import type { MediaPath } from "./media-path.ts";
import { createMediaPath } from "./media-path.ts";
import type { PeerSettings } from "./peer.ts";
import { applyOffer, createPeer, negotiatedStreams } from "./peer.ts";
import { closeWithRelays } from "./relay.ts";
import { guardSctp, isCrowded } from "./sctp-guard.ts";
import { turnStrangersAway } from "./stranger-guard.ts";

/** Our own addresses are known within milliseconds; on a starved machine the answer waits this long for them. */
const OWN_ADDRESSES_MS = 2_000;
/** With STUN the answer goes out after this, and what STUN finds is trickled. */
const STUN_ANSWER_MS = 80;

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly settings: PeerSettings;
  /** Which of the browser's candidate addresses may be probed. */
  readonly allowed: (address: string) => boolean;
  /** Which of our own candidate lines are shown to the browser. */
  readonly offered: (candidateLine: string) => boolean;
}

/** Answers one offer with one werift peer. Rejects with an `OfferProblem`; then nothing of it is left. */
export async function openConnection(
  request: OfferRequest,
  events: ConnectionEvents,
  deps: ConnectionDeps,
): Promise<{ sdp: string; connection: ViewerConnection }> {
  const offer = readOffer(request.sdp, request.preferredCodec);
  const peer = createPeer(offer, request.iceServers, deps.settings);
  const lifetime = createLifetime(peer, events, deps);
  const hasRoomCamera = request.roomCamera === true;
  const negotiation = createNegotiation(peer, { offer, hasRoomCamera }, deps, lifetime.guard(events.candidate));
  const streams = () => negotiatedStreams(peer, negotiation.current(), hasRoomCamera);
  const tooMuch = lifetime.later(() => void lifetime.end("The browser sends more than a page does."));
  const channels = createChannels(deps.clock, {
    isCrowded: () => isCrowded(peer),
    open: lifetime.guard(events.channelOpen),
    message: lifetime.guard((name, message) => {
      lifetime.heard();
      events.data(name, message);
    }),
  });
  peer.onDataChannel.subscribe(channels.take);
  try {
    const sdp = await negotiation.answer(offer, (dtls) => {
      turnStrangersAway(dtls, deps.clock, tooMuch);
      guardSctp(peer, deps.clock, tooMuch);
      limitHandshake(dtls, tooMuch);
      answerAtOnce(dtls);
      lifetime.carry(
        createMediaPath(dtls, {
          ready: lifetime.later(() => {
            lifetime.connected();
            events.connected(streams());
          }),
          rtcp: lifetime.guard((packet) => {
            lifetime.heard();
            events.rtcp(packet);
          }),
          ended: lifetime.later(() => lifetime.end("The browser closed the connection.")),
        }),
      );
    });
    const connection: ViewerConnection = {
      sendVideo: (packets) => {
        lifetime.path()?.sendRtp(packets);
      },
      sendAudio: (packet) => lifetime.path()?.sendRtp([packet]),
      sendRtcp: (packet) => lifetime.path()?.sendRtcp(packet),
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
    return { sdp, connection };
  } catch (problem) {
    await lifetime.end(null);
    throw problem;
  }
}

/** The one end of a connection: after it nothing is told and nothing is sent. */
function createLifetime(peer: RTCPeerConnection, events: ConnectionEvents, { clock, settings }: ConnectionDeps) {
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
  const later = (run: () => void) => () => {
    clock.after(0, () => ended || run());
  };
  const liveness = watchLiveness(clock, {
    interrupted: () => events.interrupted(),
    lost: (reason) => void end(reason),
  });
  peer.connectionStateChange.subscribe((state) => {
    if (state === "failed") later(() => void end("The connection to the browser failed."))();
  });
  return {
    ...liveness,
    end,
    /** Runs on the next turn of the event loop, never inside a caller's method. */
    later,
    ended: () => ended,
    path: () => path,
    carry(media: MediaPath) {
      path = media;
    },
    guard:
      <A extends unknown[]>(run: (...given: A) => void) =>
      (...given: A): void => {
        if (!ended) run(...given);
      },
  };
}

/** Offers in, answers out, and the browser's candidates within limits. */
function createNegotiation(
  peer: RTCPeerConnection,
  first: { readonly offer: Offer; readonly hasRoomCamera: boolean },
  deps: ConnectionDeps,
  tell: (candidate: IceCandidate) => void,
) {
  const trickle = createTrickle(peer, deps.offered, tell);
  let current = first.offer;
  let candidatesLeft = REMOTE_CANDIDATES_MAX;
  const candidateRate = createBudget(deps.clock, REMOTE_CANDIDATES_MAX / 2);

  const addCandidate = ({ candidate }: IceCandidate) => {
    if (candidatesLeft <= 0 || !candidateRate.take(1) || !allowedCandidate(candidate, deps.allowed)) return;
    candidatesLeft -= 1;
    // The bundle has one transport, so its first section stands for all.
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
    const waitMs = peer.getConfiguration().iceServers.length > 0 ? STUN_ANSWER_MS : OWN_ADDRESSES_MS;
    const waited = new Promise<void>((resolve) => deps.clock.after(waitMs, resolve));
    await Promise.race([applied.catch(refuse), waited]);
    limitTcp(peer);
    // Werift answers a restart but leaves ICE unstarted while DTLS is up, so it is started here.
    if (offer.iceUfrag !== current.iceUfrag) dtls.iceTransport.start().catch(() => undefined);
    current = offer;
    deps.clock.after(0, trickle.release);
    return keepOffered(peer.localDescription?.sdp ?? sdp, deps.offered);
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

function refuse(cause: unknown): never {
  throw new OfferProblem("The answer could not be applied; send the browser's SDP unchanged.", { cause });
}

/** A further offer may restart ICE; anything else is a new connection. */
function requireSameSections(before: Offer, next: Offer): void {
  const shape = ({ fingerprint, sections }: Offer) =>
    [fingerprint.value, ...sections.map(({ role, mid, codec }) => `${role} ${mid} ${codec?.payloadType}`)].join();
  if (shape(before) !== shape(next)) {
    throw new OfferProblem("The further offer has other sections or another certificate; join again instead.");
  }
}

/** Connections that one of a viewer's listeners holds at once. A browser opens one for each of its networks. */
const CONNECTIONS_MAX = 16;
/** A connection on which nothing goes either way for so long is closed, ms. A browser's checks come every few seconds. */
const SILENT_MS = 15_000;

/** Limits what strangers may do to the TCP listeners of a peer; to be called whenever it has gathered its addresses. */
function limitTcp(peer: RTCPeerConnection): void {
  for (const { connection } of peer.iceTransports) {
    const { protocols } = connection as unknown as { readonly protocols: readonly unknown[] };
    for (const protocol of protocols)
      if (protocol instanceof TcpPassiveProtocol) limitListener((protocol as unknown as { server: Server }).server);
  }
}

const limited = new WeakSet<Server>();

export function limitListener(listener: Server, silentMs = SILENT_MS): void {
  if (limited.has(listener)) return;
  limited.add(listener);
  listener.maxConnections = CONNECTIONS_MAX;
  listener.on("connection", (socket) => socket.setTimeout(silentMs, () => socket.destroy()));
}

/** Our own candidates on their way to the browser. */
interface Trickle {
  /** Candidates found from now on wait: an answer is being made that may carry them. */
  hold(): void;
  /** The answer was sent: sends the candidates that were not in it, and later ones as they are found. */
  release(): void;
}

function createTrickle(
  peer: RTCPeerConnection,
  offered: (line: string) => boolean,
  tell: (candidate: IceCandidate) => void,
): Trickle {
  let waiting: IceCandidate[] | null = [];
  peer.onIceCandidate.subscribe((found) => {
    if (!found?.candidate || !offered(found.candidate)) return;
    const candidate = { candidate: found.candidate, sdpMid: found.sdpMid ?? null };
    if (waiting) waiting.push(candidate);
    else tell(candidate);
  });
  return {
    hold() {
      waiting ??= [];
    },
    release() {
      const found = waiting ?? [];
      waiting = null;
      const inAnswer = peer.localDescription?.sdp ?? "";
      for (const candidate of found) if (!inAnswer.includes(candidate.candidate)) tell(candidate);
    },
  };
}

/** The answer without the candidates that are not to be shown. */
function keepOffered(sdp: string, offered: (line: string) => boolean): string {
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
  /** Something came from the browser. */
  heard(): void;
  /** Media can flow; from now on silence counts. */
  connected(): void;
  stop(): void;
}

/** Watches that a browser connects in time and stays to be heard. */
function watchLiveness(clock: Clock, on: { interrupted(): void; lost(reason: string): void }): Liveness {
  const startedAtMs = clock.now();
  let heardAtMs = startedAtMs;
  let isConnected = false;
  let interrupted = false;
  const look = () => {
    const now = clock.now();
    const silentMs = now - heardAtMs;
    if (!isConnected && now - startedAtMs > CONNECT_DEADLINE_MS) on.lost("The browser did not connect within 30 s.");
    else if (isConnected && silentMs > LOST_AFTER_MS) on.lost("The browser has not been heard for 30 s.");
    else if (isConnected && silentMs > INTERRUPTED_AFTER_MS && !interrupted) {
      interrupted = true;
      on.interrupted();
    }
  };
  const heard = () => {
    heardAtMs = clock.now();
    interrupted = false;
  };
  return {
    heard,
    connected() {
      isConnected = true;
      heard();
    },
    stop: clock.every(LOOK_MS, look),
  };
}

/** Pieces of handshake messages that wait for their rest; a browser's whole handshake is a dozen packets. */
const PIECES_MAX = 64;
/** Pieces and messages of a handshake in a connection's life, with those that are repeated because an answer was lost. */
const HANDSHAKE_MAX = 256;
/** Keys are agreed upon once; it costs a millisecond, and is repeated with all else while our answer is lost. */
const KEY_EXCHANGES_MAX = 16;
/** The longest message, a browser's certificate, has less than a kilobyte. */
const MESSAGE_BYTES_MAX = 8_192;
/** What a browser says: hello, certificate, the proof that it is its own, the key, the end. */
const [HELLO, CERTIFICATE, PROOF, KEY_EXCHANGE, FINISHED] = [1, 11, 15, 16, 20];
const SAID: ReadonlySet<number> = new Set([HELLO, CERTIFICATE, PROOF, KEY_EXCHANGE, FINISHED]);

interface Piece {
  readonly msg_type: number;
  readonly length: number;
  readonly fragment_offset: number;
  readonly fragment_length: number;
}

/** Werift keeps these to itself. */
interface Handshaking {
  bufferFragmentedHandshakes: unknown[];
  handleFragmentHandshake(pieces: readonly Piece[]): unknown[];
}

/**
 * Lets only what a browser says in a handshake reach the library, and limits what of it is kept: werift makes room for as much as a piece says
 * that its message has (16 MB each), collects pieces for as long as they come, also once the connection is up, and computes keys anew each time.
 * `tooMuch` is called when a browser goes beyond.
 */
function limitHandshake(dtls: RTCDtlsTransport, tooMuch: () => void): void {
  const limit = (): void => {
    const socket = dtls.dtls as unknown as Handshaking | undefined;
    if (socket === undefined) return;
    const handle = socket.handleFragmentHandshake.bind(socket);
    let said = 0;
    let keyExchanges = 0;
    const isWelcome = (piece: Piece): boolean => {
      said += 1;
      if (piece.msg_type === KEY_EXCHANGE) keyExchanges += 1;
      return said <= HANDSHAKE_MAX && keyExchanges <= KEY_EXCHANGES_MAX && isRight(piece);
    };
    socket.handleFragmentHandshake = (pieces) => {
      const whole = handle(pieces.filter(isWelcome));
      if (said <= HANDSHAKE_MAX && socket.bufferFragmentedHandshakes.length <= PIECES_MAX) return whole;
      socket.bufferFragmentedHandshakes = [];
      tooMuch();
      return [];
    };
  };
  dtls.onStateChange.subscribe((state) => {
    // Werift makes it right after it has told this.
    if (state === "connecting") queueMicrotask(limit);
  });
}

const isRight = ({ msg_type, length, fragment_offset, fragment_length }: Piece): boolean =>
  SAID.has(msg_type) && length <= MESSAGE_BYTES_MAX && fragment_offset + fragment_length <= length;
