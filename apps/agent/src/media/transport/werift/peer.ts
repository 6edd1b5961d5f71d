import type { RTCRtpTransceiver } from "werift";
import { RTCPeerConnection, RTCRtpCodecParameters, RTCRtpHeaderExtensionParameters } from "werift";
import type { IceServer, NegotiatedStreams, RtpStream } from "../../../ports/transport.ts";
import { OfferProblem } from "../../../ports/transport.ts";
import type { Offer, OfferedSection } from "../offer.ts";
import { PLAYOUT_DELAY_URI, rebuildOffer, repairStreamOf, TRANSPORT_SEQUENCE_URI, videoCodecOf } from "../offer.ts";
import type { RelayUse } from "./relay.ts";
import { serversFor } from "./relay.ts";

/** What the agent's side of a connection is made of. */
export interface PeerSettings {
  /** UDP and TCP ports to use, first and last; null lets the system choose. */
  readonly portRange: readonly [number, number] | null;
  /** Addresses offered beside the machine's own: a public address in front of the agent, 127.0.0.1 in tests. */
  readonly extraAddresses: readonly string[];
  /** Longest wait for a STUN answer while gathering, ms; a join cannot be faster where STUN is blocked. */
  readonly stunTimeoutMs: number;
  readonly relay: RelayUse;
}

/** A werift peer connection for one offer; nothing is sent before the answer. */
export function createPeer(
  offer: Pick<Offer, "sections">,
  iceServers: readonly IceServer[],
  settings: PeerSettings,
): RTCPeerConnection {
  const extensions = [PLAYOUT_DELAY_URI, TRANSPORT_SEQUENCE_URI].map(
    (uri) => new RTCRtpHeaderExtensionParameters({ uri }),
  );
  return new RTCPeerConnection({
    codecs: { video: codecsOf(offer, ["video", "roomCamera"]), audio: codecsOf(offer, ["audio"]) },
    headerExtensions: { video: extensions, audio: extensions },
    iceServers: serversFor(iceServers, settings.relay),
    iceTransportPolicy: settings.relay === "only" ? "relay" : "all",
    bundlePolicy: "max-bundle",
    iceUseIpv4: true,
    iceUseIpv6: true,
    iceUseTcp: true,
    iceTcpPassive: true,
    iceStunGatherTimeout: settings.stunTimeoutMs / 1000,
    ...(settings.portRange ? { icePortRange: [settings.portRange[0], settings.portRange[1]] } : {}),
    ...(settings.extraAddresses.length > 0 ? { iceAdditionalHostAddresses: [...settings.extraAddresses] } : {}),
  });
}

function codecsOf(offer: Pick<Offer, "sections">, roles: readonly OfferedSection["role"][]): RTCRtpCodecParameters[] {
  const sections = offer.sections.filter((section) => roles.includes(section.role));
  const byType = new Map(sections.flatMap(({ codec }) => (codec ? [[codec.payloadType, codec] as const] : [])));
  return [...byType.values()].map((codec) => {
    const sound = codec.name === "opus";
    return new RTCRtpCodecParameters({
      mimeType: sound ? "audio/opus" : `video/${codec.name}`,
      clockRate: sound ? 48_000 : 90_000,
      ...(sound ? { channels: 2 } : { rtcpFeedback: VIDEO_FEEDBACK.map((feedback) => ({ ...feedback })) }),
      payloadType: codec.payloadType,
      ...(codec.parameters === "" ? {} : { parameters: codec.parameters }),
    });
  });
}

const VIDEO_FEEDBACK = [
  { type: "nack" },
  { type: "nack", parameter: "pli" },
  { type: "ccm", parameter: "fir" },
  { type: "transport-cc" },
];

/** Applies the offer and makes the answer; the transport is not started yet. Rejects with an `OfferProblem`. */
export async function applyOffer(peer: RTCPeerConnection, offer: Offer, hasRoomCamera: boolean): Promise<string> {
  try {
    await peer.setRemoteDescription({ type: "offer", sdp: rebuildOffer(offer) });
    for (const transceiver of peer.getTransceivers()) {
      const section = offer.sections.find(({ mid }) => mid === transceiver.mid);
      const off = section?.wanted === false || (section?.role === "roomCamera" && !hasRoomCamera);
      transceiver.setDirection(off ? "inactive" : "sendonly");
    }
    // As the passive side: the browser speaks first at once, while werift as the active side waits 100 ms.
    for (const dtls of peer.dtlsTransports) if (dtls.role === "auto") dtls.role = "server";
    return (await peer.createAnswer()).sdp;
  } catch (cause) {
    throw new OfferProblem("The offer could not be answered; send the browser's SDP unchanged.", { cause });
  }
}

/** The streams as offer and answer left them. Ids are read from the answer's side, because werift renumbers. */
export function negotiatedStreams(peer: RTCPeerConnection, offer: Offer, hasRoomCamera: boolean): NegotiatedStreams {
  const streamOf = (role: OfferedSection["role"]): RtpStream | null => {
    const section = offer.sections.find((candidate) => candidate.role === role);
    const transceiver = peer.getTransceivers().find((candidate) => candidate.mid === section?.mid);
    if (!section?.codec || !transceiver) return null;
    return {
      payloadType: section.codec.payloadType,
      ssrc: transceiver.sender.ssrc,
      playoutDelayId: extensionId(transceiver, PLAYOUT_DELAY_URI),
      transportSequenceId: extensionId(transceiver, TRANSPORT_SEQUENCE_URI),
      repair: repairStreamOf(section, transceiver.sender.ssrc) ?? undefined,
    };
  };
  const room = offer.sections.find(({ role }) => role === "roomCamera");
  const roomStream = hasRoomCamera && room?.wanted ? streamOf("roomCamera") : null;
  const roomCodec = videoCodecOf(room);
  return {
    videoCodec: offer.videoCodec,
    video: streamOf("video"),
    paused: offer.sections.some(({ role, wanted }) => role === "video" && !wanted),
    audio: streamOf("audio"),
    roomCamera: roomStream && roomCodec && { ...roomStream, codec: roomCodec },
    cname: peer.cname,
  };
}

function extensionId(transceiver: RTCRtpTransceiver, uri: string): number | null {
  return transceiver.headerExtensions.find((extension) => extension.uri === uri)?.id ?? null;
}
