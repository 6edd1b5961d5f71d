import { setTimeout as pause } from "node:timers/promises";
import { RTCPeerConnection, RTCRtpCodecParameters, RtpHeader } from "werift";
import type { AgentSide } from "./agent-process.ts";

/* One who watches, with everything in hand that is his by right: keys, tags and passwords of his own connection. */

/** Werift keeps these to itself. */
export interface Sctp {
  localTsn: number;
  lastReceivedTsn: number | undefined;
  readonly remoteVerificationTag: number;
  readonly localPort: number;
  readonly remotePort: number;
  readonly transport: { send(bytes: Buffer): Promise<void> };
  handleData(packet: Buffer): Promise<void>;
  receive(stream: number, kind: number, message: Buffer): void;
}
/** Werift keeps these to itself. */
interface Record {
  fragment: Buffer;
  readonly recordLayerHeader: object;
}
/** Werift keeps these to itself. */
interface Dtls {
  readonly dtls: { recordSequenceNumber: number };
  readonly cipher: { encryptPacket(packet: Record): Record };
}
/** Werift keeps these to itself. */
interface Ice {
  readonly localUsername: string;
  readonly remoteUsername: string;
  readonly remotePassword: string;
  send(data: Buffer): Promise<void>;
}

export type Watcher = Awaited<ReturnType<typeof joinAsWatcher>>;

export type Codec = "H264" | "VP8";
type Joining = {
  readonly waitMs: number;
  readonly codec?: Codec;
  /** Made of each packet that is sent. */
  readonly change?: (packet: Buffer) => Buffer[];
};

let count = 0;

/** Joins; undefined when the agent refused or the connection did not come up, as happens while it is attacked. */
export async function joinAsWatcher(agent: AgentSide, { waitMs, codec = "H264", change }: Joining) {
  count += 1;
  const id = `watcher-${process.pid}-${count}`;
  const peer = createPeer(codec);
  const close = async (): Promise<void> => {
    agent.leave(id);
    await peer.close().catch(() => undefined);
  };
  const channel = peer.createDataChannel("press", { ordered: false, maxRetransmits: 0 });
  await peer.setLocalDescription(await peer.createOffer());
  const offer = peer.localDescription?.sdp ?? "";
  const answer = await agent.join(id, offer);
  const transport = peer.dtlsTransports[0];
  if (answer === undefined || transport === undefined) {
    await close();
    return undefined;
  }
  const ice = transport.iceTransport.connection as unknown as Ice;
  const send = ice.send.bind(ice);
  if (change !== undefined)
    ice.send = async (packet) => {
      for (const changed of change(packet)) await send(changed).catch(() => undefined);
    };
  transport.srtpStarted = true;
  const sctp = hardened(peer.sctpTransport?.sctp as unknown as Sctp, () => channel.id);
  await peer.setRemoteDescription({ type: "answer", sdp: answer });
  const until = performance.now() + waitMs;
  while (channel.readyState !== "open" && performance.now() < until && !agent.closed(id)) await pause(5);
  if (channel.readyState !== "open") {
    await close();
    return undefined;
  }
  transport.updateSrtpSession();
  const dtls = transport.dtls as unknown as Dtls;
  const pair = transport.iceTransport.connection.nominated;
  return {
    id,
    /** What it was let in with. */
    offer,
    sctp,
    ice,
    close,
    /** The agent's address, for inputs that are sent to it. */
    agentAt: pair?.remoteAddr ?? (["127.0.0.1", 9] as const),
    isOver: () => agent.closed(id) || channel.readyState !== "open",
    /** To the agent's port, as it is. */
    raw: (bytes: Buffer) => send(bytes).catch(() => undefined),
    /** Straight over UDP, past what ICE allows. */
    datagram: async (bytes: Buffer) => {
      await pair?.protocol.sendData(bytes, pair.remoteAddr).catch(() => undefined);
    },
    /** Inside DTLS, to SCTP. */
    packet: (bytes: Buffer) => sctp.transport.send(bytes).catch(() => undefined),
    sealRtcp: (bytes: Buffer) => transport.srtcp.encrypt(bytes),
    sealRtp: (header: ConstructorParameters<typeof RtpHeader>[0], payload: Buffer) =>
      transport.srtp.encrypt(payload, new RtpHeader(header)),
    /** A record of DTLS with right keys, of any kind. */
    record(contentType: number, fragment: Buffer): Buffer {
      const header = {
        ...{ contentType, protocolVersion: { major: 254, minor: 253 }, epoch: 1, contentLen: fragment.length },
        sequenceNumber: ++dtls.dtls.recordSequenceNumber,
      };
      const sealed = dtls.cipher.encryptPacket({ recordLayerHeader: header, fragment }).fragment;
      const head = Buffer.from([contentType, 254, 253, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
      head.writeUIntBE(header.sequenceNumber, 5, 6);
      head.writeUInt16BE(sealed.length, 11);
      return Buffer.concat([head, sealed]);
    },
  };
}

/** What the agent answers to nonsense must not end the one who attacks. */
function hardened(sctp: Sctp, channel: () => number | undefined): Sctp {
  const handle = sctp.handleData.bind(sctp);
  sctp.handleData = (packet) => handle(packet).catch(() => undefined);
  const receive = sctp.receive.bind(sctp);
  sctp.receive = (stream, ...message) => {
    if (stream === channel()) receive(stream, ...message);
  };
  return sctp;
}

function createPeer(codec: Codec): RTCPeerConnection {
  const video = new RTCRtpCodecParameters({
    ...{ mimeType: `video/${codec}`, clockRate: 90_000, payloadType: codec === "H264" ? 109 : 96 },
    rtcpFeedback: [{ type: "nack" }],
    ...(codec === "H264" && {
      parameters: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
    }),
  });
  const peer = new RTCPeerConnection({
    ...{ codecs: { video: [video] }, iceServers: [], bundlePolicy: "max-bundle" },
    iceAdditionalHostAddresses: ["127.0.0.1"],
  });
  peer.addTransceiver("video", { direction: "recvonly" });
  return peer;
}
