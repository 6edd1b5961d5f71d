import type { RTCPeerConnection } from "werift";
import type { Clock } from "../../../ports/clock.ts";
import type { ConnectionEvents, IceCandidate, OfferRequest, ViewerConnection } from "../../../ports/transport.ts";
import { OfferProblem } from "../../../ports/transport.ts";
import type { Offer } from "../offer.ts";
import { readOffer } from "../offer.ts";
import { allowedCandidate, REMOTE_CANDIDATES_MAX } from "../remote-candidates.ts";
import { createBudget } from "./budget.ts";
import { createChannels } from "./channels.ts";
import { limitHandshake } from "./dtls-guard.ts";
import { answerAtOnce } from "./hello-guard.ts";
import { watchLiveness } from "./liveness.ts";
import type { MediaPath } from "./media-path.ts";
import { createMediaPath } from "./media-path.ts";
import type { PeerSettings } from "./peer.ts";
import { applyOffer, createPeer, negotiatedStreams } from "./peer.ts";
import { closeWithRelays } from "./relay.ts";
import { guardSctp, isCrowded } from "./sctp-guard.ts";
import { turnStrangersAway } from "./stranger-guard.ts";
import { limitTcp } from "./tcp-guard.ts";
import { createTrickle, keepOffered } from "./trickle.ts";

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
