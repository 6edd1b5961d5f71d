import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { codecOptions, RATE_BUFFER_MS, videoProfile } from "../../apps/agent/src/media/encoder/video-encoder.ts";
import { findTool } from "../../tooling/finders/find-tool.ts";
import type { FoundTool } from "../../tooling/finders/tool.ts";

/** A command for the feeding process. */
export type FeedRequest = {
  readonly ffmpeg: FoundTool;
  /** For the machine's memory. */
  readonly folder: string;
  readonly seed: string;
  readonly minCycleMs: number;
  readonly rtpPort: number;
};

/** What it reports. */
export type FeedReport =
  | { readonly is: "feeding"; readonly port: number }
  | { readonly is: "handed"; readonly handedMs: readonly number[]; readonly left: number }
  | { readonly is: "failed"; readonly sentence: string };

/** The machine, its painter and the encoder of the peer. */
type Feed = {
  /** An empty page on 127.0.0.1. A press is any message to a WebSocket of the same place; it says "turning" and "rests". */
  readonly href: string;
  /** From each picture's capture until FFmpeg had taken it, ms, since the last question; and pictures it had no time for. */
  handed(): Promise<{ readonly handedMs: readonly number[]; readonly left: number }>;
  close(): Promise<void>;
};

const PROCESS = fileURLToPath(new URL("./feed-process.ts", import.meta.url));

/** Feeds what a simulated machine shows, encoded by FFmpeg, to an RTP port of this computer. */
export async function openFeed(
  { rtpPort, seed, minCycleMs }: Pick<FeedRequest, "rtpPort" | "seed" | "minCycleMs">,
  say: (line: string) => void,
): Promise<Feed> {
  const ffmpeg = await findTool("ffmpeg", { say });
  const data = await temporaryDataFolder();
  const child = fork(PROCESS, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const gone = once(child, "exit");
  const close = async (): Promise<void> => {
    // In order, so that it takes FFmpeg with it.
    if (child.connected) child.disconnect();
    await gone;
    await data.remove();
  };
  const reported = async <Is extends FeedReport["is"]>(is: Is): Promise<Extract<FeedReport, { is: Is }>> => {
    const { promise, resolve, reject } = Promise.withResolvers<Extract<FeedReport, { is: Is }>>();
    const onReport = (report: FeedReport): void => {
      if (report.is === is) resolve(report as Extract<FeedReport, { is: Is }>);
      else if (report.is === "failed") reject(new Error(report.sentence));
    };
    const end = (): void => reject(new Error("The peer's feed has ended."));
    child.on("message", onReport);
    child.once("exit", end);
    try {
      return await promise;
    } finally {
      child.off("message", onReport);
      child.off("exit", end);
    }
  };
  try {
    const feeding = reported("feeding");
    child.send({ ffmpeg, folder: data.folder, seed, minCycleMs, rtpPort } satisfies FeedRequest);
    const { port } = await feeding;
    return {
      href: `http://127.0.0.1:${port}/`,
      async handed() {
        const answer = reported("handed");
        child.send("handed");
        return await answer;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const FORMAT = { width: 1280, height: 720, frameRate: 30, audio: false, painted: true };
/** A viewer who joins, and one who lost a packet for good, waits for the next key frame: FFmpeg makes none on request. */
const KEY_FRAME_EVERY = 30;

/**
 * FFmpeg from raw pictures on its standard input to RTP, as a good operator would have it for a short delay: the agent's own preset,
 * sharpness, bitrate and rate buffer, no B pictures, no look-ahead, x264's sliced threads (as `zerolatency` has them). Each picture
 * keeps the time at which it came, so one out of turn is one here too, and the browser sees no jitter of the source.
 */
export function ffmpegLine(rtpPort: number): string[] {
  const { bitrateMax, preset } = videoProfile(FORMAT);
  const { crf, "x264-params": own = "" } = codecOptions({ ...FORMAT, codec: "h264", bitrate: bitrateMax, preset });
  const params = own
    .split(":")
    .filter((param) => !param.startsWith("sliced-threads"))
    .join(":");
  const line =
    `-hide_banner -loglevel error -fflags nobuffer -probesize 32 -analyzeduration 0 ` +
    `-f rawvideo -pixel_format yuv420p -video_size ${FORMAT.width}x${FORMAT.height} -framerate ${FORMAT.frameRate} -i pipe:0 ` +
    `-an -vf settb=1/90000,setpts=(RTCTIME-RTCSTART)/(TB*1000000) -fps_mode passthrough -enc_time_base 1:90000 ` +
    `-c:v libx264 -preset ${preset} -tune zerolatency -profile:v baseline -bf 0 -g ${KEY_FRAME_EVERY} -x264-params ${params} ` +
    `${crf === undefined ? `-b:v ${bitrateMax}` : `-crf ${crf}`} ` +
    `-maxrate ${bitrateMax} -bufsize ${Math.round((bitrateMax * RATE_BUFFER_MS) / 1_000)} ` +
    `-flush_packets 1 -max_delay 0 -f rtp -payload_type 96 rtp://127.0.0.1:${rtpPort}?pkt_size=1200`;
  return line.split(" ");
}
