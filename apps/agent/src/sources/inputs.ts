import type { PictureConfig, Size, SoundConfig } from "../config/pictures.ts";

/** Inputs of FFmpeg that are ever opened. */
export type InputName = "v4l2" | "rtsp" | "x11grab" | "lavfi" | "alsa" | "pulse";

/** One FFmpeg input to open. Made only here, so no text of the configuration ever becomes an option's name. */
export interface InputSpec {
  readonly format: InputName;
  readonly url: string;
  readonly options: Readonly<Record<string, string>>;
  /** What its timestamps are: this computer's wall clock, or a count from some beginning. */
  readonly stamps: "wall" | "stream";
  /** Its name in messages; without credentials. */
  readonly said: string;
}

/** A silent network camera has failed after this, microseconds. */
const NETWORK_WAIT_US = "5000000";

export function videoInput(picture: PictureConfig): InputSpec {
  switch (picture.kind) {
    case "v4l2":
      return {
        format: "v4l2",
        url: picture.device,
        options: {
          video_size: sizeText(picture.size),
          framerate: String(picture.rate),
          timestamps: "abs",
          ...(picture.format === undefined ? {} : { input_format: picture.format }),
        },
        stamps: "wall",
        said: `the capture device ${picture.device}`,
      };
    case "rtsp":
      return {
        format: "rtsp",
        url: picture.url,
        options: {
          rtsp_transport: picture.transport,
          timeout: NETWORK_WAIT_US,
          max_delay: "0",
          reorder_queue_size: picture.transport === "udp" ? "16" : "0",
          probesize: "200000",
          analyzeduration: "500000",
        },
        stamps: "stream",
        said: `the network camera ${withoutCredentials(picture.url)}`,
      };
    case "x11": {
      const { x, y, width, height } = picture.region;
      return {
        format: "x11grab",
        url: picture.display,
        options: {
          video_size: sizeText({ width, height }),
          framerate: String(picture.rate),
          grab_x: String(x),
          grab_y: String(y),
          draw_mouse: "0",
        },
        stamps: "wall",
        said: `the screen ${picture.display}`,
      };
    }
    case "test":
      return {
        format: "lavfi",
        url: `testsrc2=size=${sizeText(picture.size)}:rate=${picture.rate},realtime`,
        options: {},
        stamps: "stream",
        said: "the test pattern",
      };
  }
}

/** Undefined: no input of its own, because there is no sound or it arrives with the video. */
export function soundInput(sound: SoundConfig): InputSpec | undefined {
  if (sound.kind === "none" || sound.kind === "rtsp") return undefined;
  if (sound.kind === "test") {
    const url = "sine=frequency=440:sample_rate=48000:samples_per_frame=960,arealtime";
    return { format: "lavfi", url, options: {}, stamps: "stream", said: "the test tone" };
  }
  return {
    format: sound.kind,
    url: sound.device,
    options: { sample_rate: "48000", channels: "2" },
    stamps: "wall",
    said: `the sound device ${sound.device}`,
  };
}

export function videoSize(picture: PictureConfig): Size {
  return picture.kind === "x11" ? { width: picture.region.width, height: picture.region.height } : picture.size;
}

/** An address that may be shown: without name and password, and without query and path where those may hold the password. */
export function withoutCredentials(address: string): string {
  const url = URL.parse(address);
  if (url === null) return "(an unreadable address)";
  return `${url.protocol}//${url.host}${/[=&;]/.test(url.pathname) ? "/…" : url.pathname}`;
}

const sizeText = ({ width, height }: Size): string => `${width}x${height}`;
