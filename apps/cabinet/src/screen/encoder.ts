import {
  AV_LOG_FATAL,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  AVCOL_PRI_SMPTE170M,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_SMPTE170M,
  AVERROR_EAGAIN,
  Codec,
  CodecContext,
  Dictionary,
  FFmpegError,
  Frame,
  Log,
  Packet,
  Rational,
} from "node-av";

/** Ticks a second of RTP's clock for video. */
export const VIDEO_CLOCK_HZ = 90_000;
const BITRATE = 4_000_000n;

/** H.264 as a network camera makes it: no delay, no B frames. One frame at a time. */
export type Encoder = {
  readonly busy: boolean;
  /** `data`: I420. Resolves to one Annex B access unit, or null. */
  encode(data: Uint8Array, atMs: number, keyFrame: boolean): Promise<Buffer | null>;
  close(): Promise<void>;
};

export async function openEncoder(width: number, height: number, frameRate: number): Promise<Encoder> {
  Log.setLevel(AV_LOG_FATAL);
  const codec = Codec.findEncoderByName("libx264" as Parameters<typeof Codec.findEncoderByName>[0]);
  if (!codec) throw new Error("The installed FFmpeg has no libx264; use a build of node-av that has it.");
  const context = await openContext(codec, width, height, frameRate);
  const frame = new Frame();
  frame.alloc();
  frame.format = AV_PIX_FMT_YUV420P;
  frame.width = width;
  frame.height = height;
  FFmpegError.throwIfError(frame.getBuffer(), "getBuffer");
  // The frame refers to this memory and does not keep it: a buffer of each picture could be collected while the encoder reads it.
  const staging = Buffer.alloc((width * height * 3) / 2);
  const packet = new Packet();
  packet.alloc();
  let running: Promise<Buffer | null> | null = null;

  const run = async (atMs: number, keyFrame: boolean): Promise<Buffer | null> => {
    frame.pts = BigInt(Math.round((atMs * VIDEO_CLOCK_HZ) / 1_000));
    frame.pictType = keyFrame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    FFmpegError.throwIfError(await context.sendFrame(frame), "sendFrame");
    const got = context.receivePacketSync(packet);
    if (got === AVERROR_EAGAIN) return null;
    FFmpegError.throwIfError(got, "receivePacket");
    const unit = packet.data ? Buffer.from(packet.data) : null;
    packet.unref();
    return unit;
  };
  return {
    get busy() {
      return running !== null;
    },
    encode(data, atMs, keyFrame) {
      if (running !== null) return Promise.resolve(null);
      staging.set(data);
      FFmpegError.throwIfError(frame.fromBuffer(staging), "fromBuffer");
      running = run(atMs, keyFrame).finally(() => {
        running = null;
      });
      return running;
    },
    async close() {
      await running?.catch(() => undefined);
      context.freeContext();
      packet.free();
      frame.free();
    },
  };
}

async function openContext(codec: Codec, width: number, height: number, frameRate: number): Promise<CodecContext> {
  const context = new CodecContext();
  context.allocContext3(codec);
  context.width = width;
  context.height = height;
  context.pixelFormat = AV_PIX_FMT_YUV420P;
  context.timeBase = new Rational(1, VIDEO_CLOCK_HZ);
  context.framerate = new Rational(frameRate, 1);
  context.gopSize = frameRate * 2;
  context.maxBFrames = 0;
  context.threadCount = 1;
  context.colorSpace = AVCOL_SPC_SMPTE170M;
  context.colorPrimaries = AVCOL_PRI_SMPTE170M;
  context.colorTrc = AVCOL_TRC_SMPTE170M;
  context.colorRange = AVCOL_RANGE_MPEG;
  context.bitRate = BITRATE;
  const options = { preset: "ultrafast", tune: "zerolatency", profile: "baseline", "forced-idr": "1" };
  FFmpegError.throwIfError(await context.open2(codec, Dictionary.fromObject(options)), "open2");
  return context;
}
