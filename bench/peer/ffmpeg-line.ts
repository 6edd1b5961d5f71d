import { codecOptions, RATE_BUFFER_MS } from "../../apps/agent/src/media/encoder/video-options.ts";
import { videoProfile } from "../../apps/agent/src/media/rate/video-profile.ts";

const FORMAT = { width: 1280, height: 720, frameRate: 30, audio: false, painted: true };
/** A viewer who joins, and one who lost a packet for good, waits for the next key frame: FFmpeg makes none when asked. */
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
