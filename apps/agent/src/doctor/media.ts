import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import type { MachineConfig } from "../config/entry.ts";
import type { PictureConfig, SoundConfig } from "../config/pictures.ts";
import type { CameraPicture } from "../config/source-delay.ts";
import { isCamera } from "../config/source-delay.ts";
import { createSoundEncoder } from "../media/encoder/sound-encoder.ts";
import { encodeStill } from "../media/encoder/still-encoder.ts";
import { createVideoEncoder } from "../media/encoder/video-encoder.ts";
import type { Clock } from "../ports/clock.ts";
import type { FrameClock, VideoFrame } from "../ports/source.ts";
import type { VideoCodec } from "../ports/transport.ts";
import { configuredSource } from "../sources/device-source.ts";
import { videoInput } from "../sources/inputs.ts";
import type { OpenInput } from "../sources/open-input.ts";
import { capital } from "../sources/open-input.ts";
import type { Finding } from "./finding.ts";
import { bad, good, messageOf, note } from "./finding.ts";

const CODECS = "codecs";
const WIDTH = 1280;
const HEIGHT = 720;
const RATE = 30;
/** Frames of the trial. */
const FRAMES = 20;
const INSTALL = "Install the package node-av again (npm ci); its FFmpeg must have libx264, libvpx, libopus and libwebp";

/** Whether the linked FFmpeg encodes what browsers want, and quickly enough. */
export async function checkCodecs(clock: Clock): Promise<Finding[]> {
  const findings: Finding[] = [];
  const trial = async (name: string, run: () => Promise<string>): Promise<void> => {
    try {
      findings.push(good(CODECS, await run()));
    } catch (error) {
      findings.push(bad(CODECS, `${name} does not work: ${messageOf(error)}`, INSTALL));
    }
  };
  for (const [codec, name] of [
    ["h264", "H.264"],
    ["vp8", "VP8"],
  ] as const) {
    try {
      findings.push(speed(name, await encodeMs(codec, clock)));
    } catch (error) {
      findings.push(bad(CODECS, `${name} does not work: ${messageOf(error)}`, INSTALL));
    }
  }
  await trial("Opus", async () => {
    await (await createSoundEncoder()).close();
    return "Opus carries the sound.";
  });
  await trial("WebP", async () => {
    const bytes = await encodeStill(trialFrame(0, clock));
    return `WebP carries the lobby's stills (${bytes.length} bytes).`;
  });
  return findings;
}

function speed(name: string, ms: number): Finding {
  const says = `${name} takes ${ms.toFixed(1)} ms for a picture of ${WIDTH}x${HEIGHT}.`;
  if (ms < 1_000 / RATE) return good(CODECS, says);
  const change = "Give the agent a quicker processor, end what else runs here, or choose a smaller size or rate";
  return bad(CODECS, `${says} That is too slow for ${RATE} pictures a second.`, change);
}

async function encodeMs(codec: VideoCodec, clock: Clock): Promise<number> {
  const settings = {
    codec,
    width: WIDTH,
    height: HEIGHT,
    frameRate: RATE,
    bitrate: 3_000_000,
    preset: "superfast",
  } as const;
  const encoder = await createVideoEncoder(settings);
  try {
    await encoder.encode(trialFrame(0, clock), true);
    const took: number[] = [];
    for (let count = 1; count <= FRAMES; count += 1) {
      const next = trialFrame(count, clock);
      const startedAtMs = clock.now();
      await encoder.encode(next, false);
      took.push(clock.now() - startedAtMs);
    }
    // The median: a hiccup of the computer is not the codec's.
    return took.toSorted((a, b) => a - b)[FRAMES >> 1] ?? 0;
  } finally {
    await encoder.close();
  }
}

/** A gradient that moves over two thirds of the frame: as much work as spinning reels. */
function trialFrame(count: number, clock: Clock): VideoFrame {
  const data = new Uint8Array((WIDTH * HEIGHT * 3) / 2).fill(128);
  for (let at = 0; at < (WIDTH * HEIGHT * 2) / 3; at += 1)
    data[at] = 30 + ((((at % WIDTH) + count * 9) ^ (at >> 11)) % 190);
  return { width: WIDTH, height: HEIGHT, data, capturedAtMs: clock.now() };
}

const DEVICES = "devices here";

/** The capture devices of this computer for video and sound. */
export function listDevices(root = "/"): Finding[] {
  const cameras = names(`${root}dev`, /^video\d+$/).map((name) => cameraWords(root, name));
  const screens = names(`${root}tmp/.X11-unix`, /^X\d+$/).map((name) => `the screen :${name.slice(1)}`);
  const cards = read(`${root}proc/asound/cards`).matchAll(/^ *(\d+) \[.*?\]: (.*)$/gm);
  const sounds = [...cards].map(([, number, name]) => `the sound card hw:${number} (${name})`);
  const found = [...cameras, ...screens, ...sounds];
  if (found.length === 0) return [note(DEVICES, "No capture device, no screen and no sound card is here.")];
  return found.map((words) => note(DEVICES, `${words.charAt(0).toUpperCase()}${words.slice(1)}.`));
}

function cameraWords(root: string, name: string): string {
  const called = read(`${root}sys/class/video4linux/${name}/name`).trim();
  const may = mayOpen(`${root}dev/${name}`) ? "" : ", which this user may not open";
  return `the capture device /dev/${name}${called === "" ? "" : ` (${called})`}${may}`;
}

function names(folder: string, shape: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => shape.test(name))
      .sort();
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function mayOpen(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** How long the rate of one device is measured, ms, and the longest wait for its first frame. */
const MEASURE_MS = 3_000;
/** A network camera may first say its time after five seconds (RFC 3550). */
const RTSP_MEASURE_MS = 6_000;
const FIRST_MS_MAX = 12_000;
/** A rate below this share of the wanted one is reported. */
const RATE_SHARE = 0.8;

/** The machine's own picture in findings. */
const PICTURE = "Its picture";

interface SourceTrialDeps {
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly openInput: OpenInput;
  /** Default 3 s, of a network camera 6 s; tests take less. */
  readonly measureMs?: number;
}

/** Opens every configured input at once, as the agent would with a viewer at each, and measures it. */
export async function checkSources(machines: readonly MachineConfig[], deps: SourceTrialDeps): Promise<Finding[]> {
  const none = { kind: "none" } as const;
  const trials = machines.flatMap(({ id, picture, sound, roomCamera }) => {
    const of: Promise<Finding[]>[] = [];
    if (picture === undefined) of.push(Promise.resolve([good(id, "Its driver paints the picture.")]));
    else of.push(trySource(id, PICTURE, picture, sound ?? none, deps));
    if (roomCamera !== undefined && roomCamera.kind !== "none")
      of.push(trySource(id, "Its room", roomCamera, none, deps));
    return of;
  });
  return (await Promise.all(trials)).flat();
}

interface Seen {
  frames: number;
  firstAtMs: number;
  lastAtMs: number;
  size: string;
  sounds: number;
  pictures: number;
  ages: number[];
  readonly problems: string[];
}

async function trySource(
  id: string,
  title: string,
  picture: PictureConfig,
  sound: SoundConfig,
  deps: SourceTrialDeps,
): Promise<Finding[]> {
  const { clock, measureMs = picture.kind === "rtsp" ? RTSP_MEASURE_MS : MEASURE_MS } = deps;
  const seen: Seen = { frames: 0, firstAtMs: 0, lastAtMs: 0, size: "", sounds: 0, pictures: 0, ages: [], problems: [] };
  const source = configuredSource(picture, sound, {
    clock,
    wallNow: deps.wallNow,
    openInput: counting(deps.openInput, seen, clock),
    problem: (sentence) => seen.problems.push(sentence),
  });
  let ended: string | undefined;
  let frameClock: FrameClock | undefined;
  const ends = Promise.withResolvers<void>();
  const sink = {
    video: ({ capturedAtMs, clock: known }: Pick<VideoFrame, "capturedAtMs" | "clock">) => {
      seen.pictures += 1;
      frameClock = known;
      seen.ages.push(clock.now() - capturedAtMs);
    },
    audio: () => {
      seen.sounds += 1;
    },
    ended: (reason: string) => {
      ended = reason;
      ends.resolve();
    },
  };
  try {
    const opened = await source.open(sink);
    await Promise.race([measured(seen, clock, measureMs), ends.promise]);
    await opened.close();
  } catch (error) {
    ended = messageOf(error);
  }
  if (ended !== undefined) return [problemFinding(id, title, ended)];
  const isTimed = title === PICTURE && isCamera(picture) && seen.frames > 1;
  const clocks = isTimed ? [timesFinding(id, picture, frameClock)] : [];
  return [videoFinding(id, title, picture, seen), ...clocks, ...soundFindings(id, sound, seen)];
}

/** The device's own frames are counted, before any is repeated or dropped. */
function counting(open: OpenInput, seen: Seen, clock: Clock): OpenInput {
  return (order, wants, sink) =>
    open(order, wants, {
      ...sink,
      video(frame, stamp) {
        seen.frames += 1;
        seen.lastAtMs = clock.now();
        if (seen.frames === 1) seen.firstAtMs = seen.lastAtMs;
        seen.size = `${frame.width}x${frame.height}`;
        sink.video(frame, stamp);
      },
    });
}

function measured(seen: Seen, clock: Clock, measureMs: number): Promise<void> {
  const startedAtMs = clock.now();
  return new Promise((resolve) => {
    const stop = clock.every(20, () => {
      const now = clock.now();
      const enough = seen.frames > 0 && now - seen.firstAtMs >= measureMs;
      if (!enough && (seen.frames > 0 || now - startedAtMs < FIRST_MS_MAX)) return;
      stop();
      resolve();
    });
  });
}

/** A problem of a source is two sentences: what is wrong, and what to change. */
function problemFinding(id: string, title: string, reason: string): Finding {
  const [what = reason, change = "Look whether the device works with another program"] = reason.split(/\. (?=[A-Z])/);
  return bad(id, `${title}: ${what.replace(/\.$/, "")}.`, change.replace(/\.$/, ""));
}

function videoFinding(id: string, title: string, picture: PictureConfig, seen: Seen): Finding {
  const said = capital(videoInput(picture).said);
  if (seen.frames < 2)
    return bad(id, `${title}: ${said} opens but gives no picture.`, "Check its cable and that it is switched on");
  const rate = ((seen.frames - 1) * 1_000) / Math.max(1, seen.lastAtMs - seen.firstAtMs);
  const age = seen.ages.toSorted((a, b) => a - b)[seen.ages.length >> 1] ?? 0;
  const reached = `${said} gives ${seen.size} at ${rate.toFixed(1)} of ${picture.rate} pictures a second, ${age.toFixed(0)} ms old when they are here.`;
  if (rate >= picture.rate * RATE_SHARE) return good(id, `${title}: ${reached}`);
  const light = picture.kind === "v4l2" ? ' (format "mjpeg" is quicker over USB; dim light makes cameras slow)' : "";
  return bad(
    id,
    `${title}: ${reached}`,
    `Choose a smaller size or another format${light}, or set its rate to what it gives`,
  );
}

/** How the times of a camera's frames are known. A recording is as exact as that. */
function timesFinding(id: string, { kind, delayMs }: CameraPicture, frameClock: FrameClock | undefined): Finding {
  const { by, delayMs: tookMs = 0, cameraMs } = frameClock ?? {};
  if (by === "camera")
    return good(
      id,
      `${PICTURE}: the camera says when it took a frame; the quickest was here ${tookMs.toFixed(0)} ms later by that clock.`,
    );
  const known = `a frame counts as taken ${delayMs} ms before it is here`;
  const counts =
    delayMs === undefined ? "how late it is was not measured: a frame counts as taken when it is here" : known;
  const measure = `npm run agent -- doctor --machine ${id} --blink page`;
  if (cameraMs !== undefined) {
    const seconds = `${(Math.abs(cameraMs) / 1_000).toFixed(1)} s`;
    const says = `by the camera's clock a frame was here ${seconds} ${cameraMs < 0 ? "before it was" : "after it had been"} taken`;
    const change = `Set the camera and this computer by the same time server (NTP), or measure how late it is: ${measure}`;
    return note(id, `${PICTURE}: ${says}, which is not believed; ${counts}.`, change);
  }
  const says = `${PICTURE}: ${kind === "rtsp" ? "the camera does not say when it took a frame; " : ""}${counts}.`;
  return delayMs === undefined ? note(id, says, `Measure it: ${measure}`) : good(id, says);
}

function soundFindings(id: string, sound: SoundConfig, seen: Seen): Finding[] {
  if (sound.kind === "none") return [];
  const problem = seen.problems.find((sentence) => /sound/.test(sentence));
  if (problem !== undefined) return [problemFinding(id, "Its sound", problem.replace(/^There is no sound\. /, ""))];
  if (seen.sounds > 0) return [good(id, "Its sound comes.")];
  return [bad(id, "Its sound: the device opens but gives none.", "Check that it is not muted (alsamixer, F4)")];
}
