import { CHANNEL_OPTIONS, CLOCK_CHANNEL, PRESS_CHANNEL } from "@longarm/contract/data-channel";
import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { RTCDataChannel, RTCDtlsTransport } from "werift";
import { RTCPeerConnection, RTCRtpCodecParameters, RTCRtpHeaderExtensionParameters } from "werift";
import { mediaKind } from "./rtp.ts";

export type ChannelName = "press" | "clock";

export type ConnectionEvents = {
  readonly rtp: (packet: Buffer) => void;
  readonly rtcp: (packet: Buffer) => void;
  readonly connected: () => void;
  /** It is gone, and was not closed from here. */
  readonly lost: (why: string) => void;
  readonly channelOpen: (name: ChannelName) => void;
  readonly channelFrame: (name: ChannelName, frame: string) => void;
};

export type Way = {
  readonly iceServers?: readonly IceServer[];
  /** Only over the TURN servers. */
  readonly relayOnly?: boolean;
  /** This computer's own address is offered too: for a venue on it. */
  readonly loopback?: boolean;
};

/** Payload types of our offer. */
export const PAYLOAD = { h264: 109, vp8: 96, opus: 111 } as const;
/** Werift counts the extensions it is given from 1. */
export const TRANSPORT_SEQUENCE_ID = 2;
const EXTENSIONS = [
  "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay",
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
];
const FEEDBACK = [
  { type: "nack" },
  { type: "nack", parameter: "pli" },
  { type: "ccm", parameter: "fir" },
  { type: "transport-cc" },
];
const CHANNELS = { press: PRESS_CHANNEL, clock: CLOCK_CHANNEL } as const satisfies Record<ChannelName, string>;

/** One WebRTC connection of a page: a video and a sound to receive and both data channels, with the media as raw packets. */
export type Connection = {
  offer(): Promise<string>;
  accept(sdp: string): Promise<void>;
  addCandidate(candidate: Candidate): void;
  /** False while the channel is not open. */
  send(name: ChannelName, frame: string): boolean;
  sendRtcp(packet: Buffer): void;
  close(): Promise<void>;
};

export function openConnection(way: Way, events: ConnectionEvents): Connection {
  let handshake: ReturnType<typeof promptHandshake> | undefined;
  const peer = createPeer(way, () => handshake?.checked());
  const channels = {} as Record<ChannelName, RTCDataChannel>;
  let dtls: RTCDtlsTransport | undefined;
  let closed = false;
  const lost = (why: string): void => {
    if (!closed) events.lost(why);
  };
  peer.addTransceiver("video", { direction: "recvonly" });
  peer.addTransceiver("audio", { direction: "recvonly" });
  for (const name of ["press", "clock"] as const) channels[name] = openChannel(peer, name, events);
  peer.connectionStateChange.subscribe((state) => {
    if (state === "failed" || state === "disconnected") lost(`the connection ${state}`);
  });
  return {
    async offer() {
      await peer.setLocalDescription(await peer.createOffer());
      dtls = peer.dtlsTransports[0];
      if (dtls === undefined) throw new Error("The offer has no transport.");
      handshake = promptHandshake(dtls);
      takeMedia(dtls, events, lost);
      return peer.localDescription?.sdp ?? "";
    },
    accept: async (sdp) => await peer.setRemoteDescription({ type: "answer", sdp }),
    addCandidate({ candidate, sdpMid }) {
      // A candidate that does not fit is one way less, not an end.
      if (candidate === null || candidate === "" || closed) return;
      peer.addIceCandidate({ candidate, sdpMid: sdpMid ?? "0", sdpMLineIndex: 0 }).catch(() => undefined);
    },
    send(name, frame) {
      if (channels[name].readyState !== "open") return false;
      channels[name].send(frame);
      return true;
    },
    sendRtcp(packet) {
      if (closed || dtls?.state !== "connected") return;
      dtls.iceTransport.connection.send(dtls.srtcp.encrypt(packet)).catch(() => undefined);
    },
    async close() {
      closed = true;
      await peer.close().catch(() => undefined);
    },
  };
}

export function createPeer(
  { iceServers = [], relayOnly = false, loopback = false }: Way,
  checked: () => void = () => {},
) {
  const video = (mimeType: string, payloadType: number, parameters?: string) =>
    new RTCRtpCodecParameters({
      ...{ mimeType, clockRate: 90_000, payloadType, rtcpFeedback: FEEDBACK.map((one) => ({ ...one })) },
      ...(parameters !== undefined && { parameters }),
    });
  return new RTCPeerConnection({
    codecs: {
      video: [
        video("video/H264", PAYLOAD.h264, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"),
        video("video/VP8", PAYLOAD.vp8),
      ],
      audio: [
        new RTCRtpCodecParameters({
          ...{ mimeType: "audio/opus", clockRate: 48_000, channels: 2, payloadType: PAYLOAD.opus },
        }),
      ],
    },
    headerExtensions: { video: EXTENSIONS.map((uri) => new RTCRtpHeaderExtensionParameters({ uri })), audio: [] },
    iceServers: iceServers.flatMap(({ urls, username, credential }) =>
      [urls].flat().map((url) => ({
        urls: url,
        ...(username !== undefined && { username }),
        ...(credential !== undefined && { credential }),
      })),
    ),
    iceTransportPolicy: relayOnly ? "relay" : "all",
    bundlePolicy: "max-bundle",
    ...(loopback && { iceAdditionalHostAddresses: ["127.0.0.1"] }),
    iceFilterStunResponse: () => {
      checked();
      return true;
    },
  });
}

function openChannel(peer: RTCPeerConnection, name: ChannelName, events: ConnectionEvents): RTCDataChannel {
  const channel = peer.createDataChannel(CHANNELS[name], CHANNEL_OPTIONS);
  channel.stateChanged.subscribe((state) => {
    if (state === "open") events.channelOpen(name);
  });
  channel.onMessage.subscribe((data) =>
    events.channelFrame(name, typeof data === "string" ? data : data.toString("utf8")),
  );
  return channel;
}

/** Takes SRTP over from werift, whose own receiver costs several times as much and reports less. */
export function takeMedia(
  dtls: RTCDtlsTransport,
  events: Pick<ConnectionEvents, "rtp" | "rtcp" | "connected">,
  lost: (why: string) => void,
): void {
  // Read by werift when the handshake ends; true means that somebody else has started SRTP.
  dtls.srtpStarted = true;
  let ready = false;
  dtls.onStateChange.subscribe((state) => {
    if (state === "closed" || state === "failed") lost(`DTLS ${state}`);
    if (state !== "connected" || ready) return;
    ready = true;
    dtls.updateSrtpSession();
    dtls.iceTransport.connection.onData.subscribe((data) => {
      const packet = opened(dtls, data);
      if (packet !== undefined) events[packet.kind](packet.bytes);
    });
    events.connected();
  });
}

/** A datagram of the media, decrypted; undefined for all else, and for what is not from the agent. */
function opened(dtls: RTCDtlsTransport, data: Buffer): { kind: "rtp" | "rtcp"; bytes: Buffer } | undefined {
  const kind = mediaKind(data);
  if (kind === undefined) return undefined;
  try {
    return { kind, bytes: kind === "rtp" ? dtls.srtp.decrypt(data) : dtls.srtcp.decrypt(data) };
  } catch {
    return undefined;
  }
}

/** Werift keeps it to itself. */
interface Client {
  connect(): Promise<void>;
}

/**
 * Begins the DTLS handshake as soon as the agent can receive it, as browsers do: werift waits 100 ms instead. The agent receives once its own
 * check of the way was answered, so `checked` is to be called for each of its checks.
 */
function promptHandshake(dtls: RTCDtlsTransport): { checked(): void } {
  let wasChecked = false;
  let client: Client | undefined;
  let begun: Promise<void> | undefined;
  const begin = (): void => {
    if (!wasChecked || client === undefined || begun !== undefined) return;
    const { connect } = Object.getPrototypeOf(client) as Client;
    begun = connect.call(client);
    // Werift takes it up within 100 ms, and learns of its failure then.
    begun.catch(() => undefined);
    client.connect = () => begun ?? Promise.resolve();
  };
  dtls.onStateChange.subscribe((state) => {
    if (state !== "connecting") return;
    // Werift makes it right after this event.
    queueMicrotask(() => {
      client = dtls.dtls as unknown as Client | undefined;
      begin();
    });
  });
  return {
    checked: () => {
      wasChecked = true;
      // The answer to the check goes out first.
      setImmediate(begin);
    },
  };
}
