import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { createPacketizer } from "./rtp.ts";

/** A network camera's side of RTSP 1.0 (RFC 2326), with RTP inside the same connection: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN. */

const HEAD_BYTES_MAX = 8_192;
const VIEWERS_MAX = 8;
/** A viewer that reads so slowly misses frames, bytes. */
const UNSENT_BYTES_MAX = 2_000_000;
const INTERLEAVED = 0x24;
/** What the two channels of a viewer carry. */
const PICTURE = 0;
const CONTROL = 1;
/** Each viewer is sent the time of the picture at its first frame, and again this long after, ms. */
const REPORT_MS = 5_000;

const SDP = [
  "v=0",
  "o=- 0 0 IN IP4 127.0.0.1",
  "s=cabinet",
  "c=IN IP4 0.0.0.0",
  "t=0 0",
  "m=video 0 RTP/AVP 96",
  "a=rtpmap:96 H264/90000",
  "a=fmtp:96 packetization-mode=1",
  "a=control:track0",
  "",
].join("\r\n");

export type CameraServer = {
  readonly server: Server;
  /** One access unit for every viewer that plays. */
  show(unit: Buffer, atMs: number): void;
};

type Viewer = { plays: boolean; send(unit: Buffer, atMs: number): void };

/** `onViewers`: how many play now; each rise needs a key frame. */
export function serveCamera(onViewers: (playing: number) => void): CameraServer {
  const viewers = new Set<Viewer>();
  let ssrc = 1;
  const report = (): void => onViewers([...viewers].filter(({ plays }) => plays).length);
  const server = createServer((socket) => {
    ssrc += 1;
    const viewer = serveViewer(socket, ssrc, report);
    viewers.add(viewer);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      viewers.delete(viewer);
      report();
    });
  });
  server.maxConnections = VIEWERS_MAX;
  return {
    server,
    show(unit, atMs) {
      for (const viewer of viewers) viewer.send(unit, atMs);
    },
  };
}

function serveViewer(socket: Socket, ssrc: number, changed: () => void): Viewer {
  const packetizer = createPacketizer(ssrc);
  const write = (channel: number, packet: Buffer): void => {
    socket.write(
      Buffer.concat([Buffer.from([INTERLEAVED, channel, packet.length >> 8, packet.length & 0xff]), packet]),
    );
  };
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  let waiting = Buffer.alloc(0);
  const viewer: Viewer = {
    plays: false,
    send(unit, atMs) {
      if (!viewer.plays || socket.writableLength > UNSENT_BYTES_MAX) return;
      if (atMs - reportedAtMs >= REPORT_MS) {
        reportedAtMs = atMs;
        write(CONTROL, packetizer.report(atMs));
      }
      for (const packet of packetizer.packets(unit, atMs)) write(PICTURE, packet);
    },
  };
  socket.on("data", (data) => {
    waiting = Buffer.concat([waiting, data]);
    for (;;) {
      const next = takeMessage(waiting);
      if (next === undefined) break;
      waiting = waiting.subarray(next.used);
      if (next.request === null) continue;
      const { reply, plays } = answerTo(next.request);
      socket.write(reply);
      if (plays !== undefined && plays !== viewer.plays) {
        viewer.plays = plays;
        changed();
      }
    }
    if (waiting.length > HEAD_BYTES_MAX || socket.writableLength > 2 * UNSENT_BYTES_MAX) socket.destroy();
  });
  return viewer;
}

/** The next request of the bytes, or a skipped packet (`request` null); undefined while more is needed. */
export function takeMessage(bytes: Buffer): { request: string | null; used: number } | undefined {
  if (bytes[0] === INTERLEAVED) {
    if (bytes.length < 4) return undefined;
    const used = 4 + bytes.readUInt16BE(2);
    return bytes.length < used ? undefined : { request: null, used };
  }
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const request = bytes.subarray(0, end).toString("latin1");
  const length = Number(/^Content-Length: *(\d{1,6})\s*$/im.exec(request)?.[1] ?? 0);
  return bytes.length < end + 4 + length ? undefined : { request, used: end + 4 + length };
}

/** The reply to a request, and whether the viewer plays from now on. */
export function answerTo(request: string): { reply: string; plays?: boolean } {
  const sequence = /^CSeq: *(\d{1,10})\s*$/im.exec(request)?.[1];
  const say = (status: string, headers: readonly string[] = [], body = ""): string =>
    [`RTSP/1.0 ${status}`, ...(sequence === undefined ? [] : [`CSeq: ${sequence}`]), ...headers, "", body].join("\r\n");
  const method = /^([A-Z_]{1,20}) rtsp:\/\/\S{1,500} RTSP\/1\.0$/m.exec(request)?.[1];
  if (sequence === undefined || method === undefined) return { reply: say("400 Bad Request") };
  switch (method) {
    case "OPTIONS":
      return { reply: say("200 OK", ["Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER"]) };
    case "DESCRIBE":
      return { reply: say("200 OK", ["Content-Type: application/sdp", `Content-Length: ${SDP.length}`], SDP) };
    case "SETUP":
      if (!/^Transport:[^\r\n]*RTP\/AVP\/TCP/im.test(request)) return { reply: say("461 Unsupported Transport") };
      return { reply: say("200 OK", ["Transport: RTP/AVP/TCP;unicast;interleaved=0-1", "Session: 1"]) };
    case "PLAY":
      return { reply: say("200 OK", ["Session: 1"]), plays: true };
    case "GET_PARAMETER":
      return { reply: say("200 OK", ["Session: 1"]) };
    case "TEARDOWN":
      return { reply: say("200 OK", ["Session: 1"]), plays: false };
    default:
      return { reply: say("501 Not Implemented") };
  }
}
