import type { Socket } from "node:net";
import { createServer } from "node:net";
import { createVideoEncoder } from "../../media/encoder/video-encoder.ts";
import { createFramePacketizer } from "../../media/rtp/frame-packets.ts";
import { ntpTime, rtpTimestamp, writeRtp } from "../../media/rtp/rtp.ts";
import { realClock } from "../../media/testing/real-clock.ts";

const WIDTH = 320;
const HEIGHT = 240;
const RATE = 25;
const STREAM = { payloadType: 96, ssrc: 0x1234_5678, playoutDelayId: null, transportSequenceId: null };

/** A network camera of a few lines: RTSP over TCP with its pictures interleaved, behind a name and a password when wanted. */
export interface RtspCamera {
  readonly port: number;
  /** Frames that it has sent to all of its viewers. */
  sent(): number;
  /** Cuts all its connections, as a pulled plug does. */
  cut(): void;
  close(): Promise<void>;
}

interface CameraManner {
  /** It sends reports of its time, by a clock that is so far ahead. Undefined: it sends none. */
  readonly clockOffMs?: number | undefined;
  /** What it makes of an access unit before it sends it. */
  readonly unit?: (unit: Buffer) => Buffer;
}

export async function startRtspCamera(credentials?: string, manner: CameraManner = {}): Promise<RtspCamera> {
  const sockets = new Set<Socket>();
  let sent = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    const viewer = createViewer(socket, credentials, manner, () => {
      sent += 1;
    });
    socket.on("data", viewer.heard);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      void viewer.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    sent: () => sent,
    cut,
    close: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}

function createViewer(socket: Socket, credentials: string | undefined, manner: CameraManner, sent: () => void) {
  let text = "";
  let stop: (() => Promise<void>) | undefined;
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;

  const answer = (request: string) => {
    const cseq = /^CSeq: *(\d+)/im.exec(request)?.[1] ?? "0";
    const say = (status: string, headers: readonly string[] = [], body = "") =>
      socket.write([`RTSP/1.0 ${status}`, `CSeq: ${cseq}`, ...headers, "", body].join("\r\n"));
    const given = /^Authorization: *(.*)$/im.exec(request)?.[1]?.trim();
    if (wanted !== undefined && given !== wanted) say("401 Unauthorized", ['WWW-Authenticate: Basic realm="camera"']);
    else if (request.startsWith("OPTIONS")) say("200 OK", ["Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN"]);
    else if (request.startsWith("DESCRIBE")) {
      if (!request.includes("/live")) say("404 Not Found");
      else say("200 OK", ["Content-Type: application/sdp", `Content-Length: ${SDP.length}`], SDP);
    } else if (request.startsWith("SETUP"))
      say("200 OK", ["Transport: RTP/AVP/TCP;unicast;interleaved=0-1", "Session: 1"]);
    else if (request.startsWith("PLAY")) {
      say("200 OK", ["Session: 1"]);
      stop ??= play(socket, manner, sent);
    } else say("200 OK", ["Session: 1"]);
  };
  return {
    heard(data: Buffer) {
      // What is binary is RTCP of the viewer, between requests.
      text += data.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const request = text.slice(0, end);
        text = text.slice(end + 4);
        const start = request.search(/(OPTIONS|DESCRIBE|SETUP|PLAY|TEARDOWN|GET_PARAMETER) rtsp/);
        if (start >= 0) answer(request.slice(start));
      }
    },
    end: async () => stop?.(),
  };
}

const SDP = [
  "v=0",
  "o=- 0 0 IN IP4 127.0.0.1",
  "s=camera",
  "c=IN IP4 0.0.0.0",
  "t=0 0",
  "m=video 0 RTP/AVP 96",
  "a=rtpmap:96 H264/90000",
  "a=fmtp:96 packetization-mode=1",
  "a=control:track0",
  "",
].join("\r\n");

/** Encodes a moving slope and sends it until it is stopped. */
function play(
  socket: Socket,
  { clockOffMs, unit = (same) => same }: CameraManner,
  sent: () => void,
): () => Promise<void> {
  const data = new Uint8Array((WIDTH * HEIGHT * 3) / 2).fill(128);
  const packetize = createFramePacketizer("h264");
  let pictures = 0;
  let sequence = 1;
  const opening = createVideoEncoder({
    codec: "h264",
    width: WIDTH,
    height: HEIGHT,
    frameRate: RATE,
    bitrate: 1_000_000,
    preset: "ultrafast",
  });
  const show = async (): Promise<void> => {
    const encoder = await opening;
    if (encoder.busy) return;
    for (let at = 0; at < WIDTH * HEIGHT; at += 1) data[at] = 20 + ((at + pictures * 3) % 200);
    const picture = { width: WIDTH, height: HEIGHT, data, capturedAtMs: realClock.now() };
    const encoded = await encoder.encode(picture, pictures % RATE === 0);
    pictures += 1;
    if (encoded === null || socket.destroyed) return;
    if (clockOffMs !== undefined && pictures % RATE === 1)
      socket.write(Buffer.concat([Buffer.from([0x24, 1, 0, 28]), senderReport(encoded.capturedAtMs, clockOffMs)]));
    for (const packet of packetize(unit(encoded.unit), encoded.keyFrame, encoded.capturedAtMs).packets) {
      const rtp = writeRtp(STREAM, packet, sequence & 0xffff);
      sequence += 1;
      socket.write(Buffer.concat([Buffer.from([0x24, 0, rtp.length >> 8, rtp.length & 0xff]), rtp]));
    }
    sent();
  };
  const stopTimer = realClock.every(1_000 / RATE, () => void show().catch(() => undefined));
  return async () => {
    stopTimer();
    await (await opening).close();
  };
}

/** RTP's count of a moment, and what the camera's clock says of it. */
function senderReport(atMs: number, clockOffMs: number): Buffer {
  const report = Buffer.alloc(28);
  report.set([0x80, 200, 0, 6]);
  report.writeUInt32BE(STREAM.ssrc, 4);
  const { seconds, fraction } = ntpTime(atMs + clockOffMs);
  report.writeUInt32BE(seconds, 8);
  report.writeUInt32BE(fraction, 12);
  report.writeUInt32BE(rtpTimestamp(atMs, 90_000), 16);
  return report;
}
