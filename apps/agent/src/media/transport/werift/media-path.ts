import type { RTCDtlsTransport, RtpHeader } from "werift";
import { rtpHeaderBytes } from "../../rtp/packet.ts";

/** Bytes that may wait in the socket (only TCP makes them wait); beyond it packets are dropped, never queued. */
const WAITING_BYTES_MAX = 96 * 1024;

/** Raw RTP and RTCP over one DTLS transport. */
export interface MediaPath {
  readonly ready: boolean;
  sendRtp(packet: Uint8Array): void;
  sendRtcp(packet: Uint8Array): void;
  /** Packets dropped because the socket was full. */
  readonly dropped: number;
}

/**
 * Takes SRTP over from werift: our own complete packets go out, RTCP comes in as it is. Werift's own sender would keep
 * copies, answer NACKs a second time and renumber what we packetised once for all viewers.
 */
export function createMediaPath(
  dtls: RTCDtlsTransport,
  on: { ready(): void; rtcp(packet: Uint8Array): void; ended(): void },
): MediaPath {
  let ready = false;
  let waitingBytes = 0;
  let dropped = 0;
  // Read by werift when the handshake ends; true means that somebody else has started SRTP.
  dtls.srtpStarted = true;
  dtls.onStateChange.subscribe((state) => {
    if (state === "closed" || state === "failed") on.ended();
    if (state !== "connected" || ready) return;
    dtls.updateSrtpSession();
    ready = true;
    dtls.iceTransport.connection.onData.subscribe((data) => {
      const packet = readRtcpPacket(dtls, data);
      if (packet) on.rtcp(packet);
    });
    on.ready();
  });

  const send = (sealed: Buffer) => {
    if (waitingBytes > WAITING_BYTES_MAX) {
      dropped += 1;
      return;
    }
    waitingBytes += sealed.length;
    const sent = () => {
      waitingBytes -= sealed.length;
    };
    dtls.iceTransport.connection.send(sealed).then(sent, sent);
  };

  return {
    get ready() {
      return ready;
    },
    get dropped() {
      return dropped;
    },
    sendRtp(packet) {
      if (!ready || dtls.state !== "connected") return;
      const headerBytes = rtpHeaderBytes(packet);
      const payload = asBuffer(packet.subarray(headerBytes));
      send(dtls.srtp.encrypt(payload, writtenHeader(asBuffer(packet.subarray(0, headerBytes)))));
    },
    sendRtcp(packet) {
      if (!ready || dtls.state !== "connected") return;
      send(dtls.srtcp.encrypt(asBuffer(packet)));
    },
  };
}

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The part of werift's header that its ciphers read, over a header that is written already. */
function writtenHeader(bytes: Buffer): RtpHeader {
  const header = {
    ssrc: bytes.readUInt32BE(8),
    sequenceNumber: bytes.readUInt16BE(2),
    serializeSize: bytes.length,
    serialize: () => bytes,
  };
  return header as unknown as RtpHeader;
}

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
