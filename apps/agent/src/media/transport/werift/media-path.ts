import type { Socket } from "node:net";
import type { RTCDtlsTransport } from "werift";
import { ProtectionProfileAes128CmHmacSha1_80, StunProtocol, TcpPassiveProtocol, UdpTransport } from "werift";
import { createSrtpSealer } from "./srtp-sealer.ts";

/** Bytes that may wait for one viewer's link; beyond it packets are dropped, never queued. */
const WAITING_BYTES_MAX = 96 * 1024;

/** Raw RTP and RTCP over one DTLS transport. */
export interface MediaPath {
  sendRtp(packets: readonly Uint8Array[]): void;
  sendRtcp(packet: Uint8Array): void;
}

/**
 * Replaces werift's SRTP: sends our own complete packets, and receives RTCP unparsed. Werift's own sender would keep
 * copies, answer NACKs a second time and renumber what we packetised once for all viewers.
 */
export function createMediaPath(
  dtls: RTCDtlsTransport,
  on: { ready(): void; rtcp(packet: Uint8Array): void; ended(): void },
): MediaPath {
  let seal: ReturnType<typeof createSrtpSealer> | null = null;
  // Read by werift when the handshake begins: the profile that every browser has and that costs us least.
  (dtls as unknown as { srtpProfiles: number[] }).srtpProfiles = [ProtectionProfileAes128CmHmacSha1_80];
  // Read by werift when the handshake ends; true means that SRTP is started elsewhere.
  dtls.srtpStarted = true;
  dtls.onStateChange.subscribe((state) => {
    if (state === "closed" || state === "failed") on.ended();
    if (state !== "connected" || seal !== null) return;
    dtls.updateSrtpSession();
    const { srtpSessionKey, srtpSessionSalt, srtpSessionAuthTag } = dtls.srtp.localContext;
    seal = createSrtpSealer({ key: srtpSessionKey, salt: srtpSessionSalt, authentication: srtpSessionAuthTag });
    dtls.iceTransport.connection.onData.subscribe((data) => {
      const packet = readRtcpPacket(dtls, data);
      if (packet) on.rtcp(packet);
    });
    on.ready();
  });
  const send = createSender(dtls);
  return {
    sendRtp(packets) {
      if (seal !== null && dtls.state === "connected") send(seal(packets));
    },
    sendRtcp(packet) {
      if (seal !== null && dtls.state === "connected") send([dtls.srtcp.encrypt(asBuffer(packet))]);
    },
  };
}

/** Private in werift: whether the browser still consents to receive (RFC 7675). */
interface Consenting {
  canSendApplicationData(): boolean;
}

/** Private in werift: the browser's connection to our listener. */
interface Listening {
  getOpenSocket(address: readonly [string, number]): { readonly socket: Socket } | undefined;
}

/**
 * Sends over the candidate pair that ICE has nominated. A UDP socket accepts a packet at once, or queues it while the system's own queue is full, so
 * there is no await: a promise for each packet is what makes many viewers expensive. Beyond the limit packets are dropped.
 */
function createSender({ iceTransport: { connection } }: RTCDtlsTransport): (packets: readonly Buffer[]) => void {
  const consenting = connection as unknown as Consenting;
  let waitingBytes = 0;
  const waitFor = (packet: Buffer) => {
    if (waitingBytes > WAITING_BYTES_MAX) return;
    waitingBytes += packet.length;
    const sent = () => {
      waitingBytes -= packet.length;
    };
    connection.send(packet).then(sent, sent);
  };
  return (packets) => {
    const pair = connection.nominated;
    if (pair?.protocol instanceof TcpPassiveProtocol) {
      const { socket } = (pair.protocol as unknown as Listening).getOpenSocket(pair.remoteAddr) ?? {};
      if (socket === undefined || !consenting.canSendApplicationData()) return;
      if (socket.writableLength <= WAITING_BYTES_MAX) socket.write(framed(packets));
      return;
    }
    const transport = pair?.protocol instanceof StunProtocol ? pair.protocol.transport : undefined;
    if (pair === undefined || !(transport instanceof UdpTransport)) return packets.forEach(waitFor);
    if (transport.closed || !consenting.canSendApplicationData()) return;
    const { socket } = transport;
    if (socket.getSendQueueSize() > WAITING_BYTES_MAX) return;
    const [host, port] = pair.remoteAddr;
    for (const packet of packets) socket.send(packet, port, host);
  };
}

/** The packets of one frame behind each other, each after its length (RFC 4571): one write, so that they do not travel in a segment each. */
function framed(packets: readonly Buffer[]): Buffer {
  const out = Buffer.allocUnsafe(packets.reduce((sum, packet) => sum + 2 + packet.length, 0));
  let at = 0;
  for (const packet of packets) {
    at = out.writeUInt16BE(packet.length, at);
    at += packet.copy(out, at);
  }
  return out;
}

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Decrypted RTCP, or null for anything else: other protocols of the bundle, RTP, packets that fail authentication. */
function readRtcpPacket(dtls: RTCDtlsTransport, data: Buffer): Uint8Array | null {
  const first = data[0] ?? 0;
  const second = data[1] ?? 0;
  if (data.length < 20 || first < 128 || first > 191 || second < 192 || second > 223) return null;
  try {
    return dtls.srtcp.decrypt(data);
  } catch {
    return null;
  }
}
