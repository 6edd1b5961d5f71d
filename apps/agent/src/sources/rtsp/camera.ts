import type { Socket } from "node:net";
import { connect } from "node:net";
import { constants } from "node:os";
import { AVERROR_EOF, AVERROR_INVALIDDATA } from "node-av";
import type { InputSpec } from "../inputs.ts";
import type { SourceProblem } from "../source-problem.ts";
import { FORBIDDEN, inputProblem, NOT_FOUND, UNAUTHORIZED } from "../source-problem.ts";
import type { AccessUnit } from "./access-units.ts";
import { createAccessUnits } from "./access-units.ts";
import type { CameraTrack, RtspMessage } from "./messages.ts";
import { authorization, createRtspReader, h264TrackOf, RtspProblem } from "./messages.ts";

/** Receives a camera's frames as they come. */
export interface CameraFrames {
  /** `zeroAtMs`: see `Stamp`. */
  frame(unit: AccessUnit, zeroAtMs: number | undefined): void;
  /** The camera stopped by itself; nothing follows. */
  ended(problem: SourceProblem): void;
}

export interface OpenCamera {
  /** A reader that cannot follow lets the camera wait. */
  pause(paused: boolean): void;
  close(): Promise<void>;
}

const PORT = 554;
/** A camera that is silent for this long has failed, ms. */
const SILENT_MS = 5_000;
/** Answers that are awaited at once at most: more were never requested. */
const WAITING_MAX = 4;
/** The session ends without a sign of life after this, s, unless the camera says another time. */
const SESSION_S = 60;
/** A sign of life comes as often as this, s of the camera's time at most. */
const ALIVE_S_MAX = 20;
const PICTURE = 0;
const CONTROL = 1;
const INTERLEAVED = 0x24;

/** Whether a network camera is read here: over TCP, its picture alone. Another one is left to FFmpeg. */
export const isCamera = ({ format, url, options }: InputSpec): boolean =>
  format === "rtsp" && options["rtsp_transport"] === "tcp" && url.startsWith("rtsp://");

/**
 * Opens a camera's H.264. FFmpeg knows the end of a frame by the beginning of the next one; here a frame is whole with its last packet. Undefined: the
 * camera speaks in a way that is not read here. Rejects with a `SourceProblem` where FFmpeg would fail, too.
 */
export async function openCamera(input: InputSpec, sink: CameraFrames): Promise<OpenCamera | undefined> {
  const connection = connectTo(input);
  try {
    const { track, session, base } = await connection.begin();
    return await connection.play(track, session, base, sink);
  } catch (error) {
    connection.drop();
    if (error instanceof RtspProblem) return undefined;
    throw error;
  }
}

type Answer = Extract<RtspMessage, { is: "answer" }>;
type Ask = (method: string, uri: string, headers?: readonly string[]) => Promise<Answer>;

const STATUS: Readonly<Record<number, number>> = { 401: UNAUTHORIZED, 403: FORBIDDEN, 404: NOT_FOUND };

function connectTo(input: InputSpec) {
  const address = new URL(input.url);
  const [user, password] = [decoded(address.username), decoded(address.password)];
  const uri = `rtsp://${address.host}${address.pathname}${address.search}`;
  const socket = connect({ host: address.hostname.replace(/^\[|\]$/g, ""), port: Number(address.port || PORT) });
  socket.setNoDelay(true);
  const exchange = createExchange(socket, input);

  const ask: Ask = async (method, to, headers = []) => {
    const answer = await exchange.ask(method, to, headers);
    if (answer.status !== 401 || user === "") return answer;
    const proof = authorization(answer.challenges, { method, uri: to, user, password });
    return proof === undefined ? answer : await exchange.ask(method, to, [...headers, `Authorization: ${proof}`]);
  };
  const must: Ask = async (method, to, headers) => {
    const answer = await ask(method, to, headers);
    if (answer.status === 200) return answer;
    const code = STATUS[answer.status];
    throw code === undefined ? new RtspProblem(`It answers ${answer.status}`) : inputProblem(input, code);
  };

  return {
    async begin() {
      const described = await must("DESCRIBE", uri, ["Accept: application/sdp"]);
      const base = described.headers.get("content-base") ?? described.headers.get("content-location") ?? uri;
      const track = h264TrackOf(described.body, base);
      if (track === undefined) throw new RtspProblem("It has no H.264");
      const transport = `Transport: RTP/AVP/TCP;unicast;interleaved=${PICTURE}-${CONTROL}`;
      const setUp = await must("SETUP", track.control, [transport]);
      const chosen = setUp.headers.get("transport") ?? "";
      if (!/RTP\/AVP\/TCP/i.test(chosen) || !/interleaved=0-1\b/i.test(chosen))
        throw new RtspProblem("It takes other channels");
      const [, session = "", seconds = String(SESSION_S)] =
        /^([^\s;]{1,200})(?:;\s*timeout=(\d{1,6}))?/i.exec(setUp.headers.get("session") ?? "") ?? [];
      if (session === "") throw new RtspProblem("It gives no session");
      return { track, base, session: { id: session, aliveMs: aliveMs(Number(seconds)) } };
    },
    async play(track: CameraTrack, session: Session, base: string, sink: CameraFrames): Promise<OpenCamera> {
      const packet = receive(
        track,
        session,
        sink,
        (packets) => exchange.packets(packets),
        () => {
          void ask("GET_PARAMETER", base, [`Session: ${session.id}`]).catch(() => undefined);
        },
      );
      exchange.listen(packet);
      await must("PLAY", base, [`Session: ${session.id}`, "Range: npt=0.000-"]);
      exchange.whenEnded(sink.ended);
      return {
        pause: (paused) => (paused ? socket.pause() : socket.resume()),
        async close() {
          exchange.end();
          if (socket.destroyed) return;
          const gone = new Promise((closed) => socket.once("close", closed));
          socket.setTimeout(CLOSE_MS, () => socket.destroy());
          socket.resume();
          socket.end(request("TEARDOWN", base, 0, [`Session: ${session.id}`]));
          await gone;
        },
      };
    },
    drop(): void {
      exchange.end();
      socket.destroy();
    },
  };
}

/** A name or password as it was before it became part of an address. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The farewell is waited for no longer than this, ms. */
const CLOSE_MS = 500;

const aliveMs = (seconds: number): number => Math.max(1, Math.min(ALIVE_S_MAX, seconds / 2)) * 1_000;

interface Session {
  readonly id: string;
  readonly aliveMs: number;
}

function request(method: string, uri: string, sequence: number, headers: readonly string[]): string {
  return [`${method} ${uri} RTSP/1.0`, `CSeq: ${sequence}`, "User-Agent: Longarm", ...headers, "", ""].join("\r\n");
}

/** Requests and their answers, and the packets between them. */
function createExchange(socket: Socket, input: InputSpec) {
  const read = createRtspReader();
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  let sequence = 0;
  let over = false;
  let packet: (channel: number, bytes: Buffer) => void = () => undefined;
  const ended = Promise.withResolvers<SourceProblem>();

  const fail = (error: SourceProblem | RtspProblem) => {
    if (over) return;
    over = true;
    socket.destroy();
    for (const { reject } of waiting.values()) reject(error);
    ended.resolve(error instanceof RtspProblem ? inputProblem(input, AVERROR_INVALIDDATA) : error);
  };
  const take = (message: RtspMessage) => {
    if (message.is === "packet") return packet(message.channel, message.bytes);
    if (message.is !== "answer") return;
    waiting.get(message.sequence)?.resolve(message);
    waiting.delete(message.sequence);
  };
  socket.setTimeout(SILENT_MS, () => fail(inputProblem(input, -constants.errno.ETIMEDOUT)));
  socket.on("error", ({ code }: NodeJS.ErrnoException) => {
    const { errno } = constants;
    // The only other ones are those of a name that is not known.
    fail(inputProblem(input, -(errno[code as keyof typeof errno] ?? errno.EHOSTUNREACH)));
  });
  socket.on("close", () => fail(inputProblem(input, AVERROR_EOF)));
  socket.on("data", (chunk: Buffer) => {
    try {
      for (const message of read(chunk)) if (!over) take(message);
    } catch (error) {
      fail(error instanceof RtspProblem ? error : new RtspProblem(String(error)));
    }
  });

  return {
    ask(method: string, uri: string, headers: readonly string[]): Promise<Answer> {
      const answered = Promise.withResolvers<Answer>();
      if (over || waiting.size >= WAITING_MAX) return Promise.reject(new RtspProblem("It does not answer"));
      sequence += 1;
      waiting.set(sequence, answered);
      socket.write(request(method, uri, sequence, headers));
      return answered.promise;
    },
    /** Packets of control, which go out in one. */
    packets(bytes: Buffer): void {
      if (!over)
        socket.write(Buffer.concat([Buffer.of(INTERLEAVED, CONTROL, bytes.length >> 8, bytes.length & 255), bytes]));
    },
    listen(onPacket: typeof packet): void {
      packet = onPacket;
    },
    whenEnded: (call: (problem: SourceProblem) => void) => void ended.promise.then(call),
    end(): void {
      over = true;
      for (const { reject } of waiting.values()) reject(new RtspProblem("It was closed"));
    },
  };
}

/** A key frame is requested again after this, ms: not every camera obeys. */
const WISH_MS = 1_000;
/** A receiver report without a block, and a request for a key frame (RFC 4585): types 201, and 206 with format 1. */
const RECEIVER = 0x4c_6f_6e_67;
function reportAndWish(source: number | undefined): Buffer {
  const bytes = Buffer.alloc(source === undefined ? 8 : 20);
  bytes.set([0x80, 201, 0, 1]);
  bytes.writeUInt32BE(RECEIVER, 4);
  if (source === undefined) return bytes;
  bytes.set([0x81, 206, 0, 2], 8);
  bytes.writeUInt32BE(RECEIVER, 12);
  bytes.writeUInt32BE(source, 16);
  return bytes;
}

/** What comes while a camera plays. `alive`: gives it a sign of life. */
function receive(
  track: CameraTrack,
  session: Session,
  sink: CameraFrames,
  send: (packets: Buffer) => void,
  alive: () => void,
) {
  let zeroAtMs: number | undefined;
  let hasKeyFrame = false;
  let aliveAtMs: number | undefined;
  let wishedAtMs = Number.NEGATIVE_INFINITY;
  const isOver = (atMs: number, sinceMs: number, gapMs: number): boolean => Math.abs(atMs - sinceMs) >= gapMs;

  const units = createAccessUnits(track, (unit) => {
    const { atMs, keyFrame, damaged } = unit;
    hasKeyFrame = keyFrame || (hasKeyFrame && !damaged);
    if (!hasKeyFrame && isOver(atMs, wishedAtMs, WISH_MS)) {
      wishedAtMs = atMs;
      send(reportAndWish(units.source()));
    }
    aliveAtMs ??= atMs;
    if (isOver(atMs, aliveAtMs, session.aliveMs)) {
      aliveAtMs = atMs;
      send(reportAndWish(undefined));
      alive();
    }
    sink.frame(unit, zeroAtMs);
  });
  return (channel: number, bytes: Buffer): void => {
    if (channel === PICTURE) units.packet(bytes);
    else if (channel === CONTROL) zeroAtMs = units.zeroAtMs(bytes) ?? zeroAtMs;
  };
}
