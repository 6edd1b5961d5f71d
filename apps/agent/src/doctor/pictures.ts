import type { MachineConfig } from "../config/machines.ts";
import type { PictureConfig, SoundConfig } from "../config/pictures.ts";
import type { Clock } from "../ports/clock.ts";
import { configuredSource } from "../sources/configured.ts";
import type { OpenInput } from "../sources/open-input.ts";
import { pictureOrder } from "../sources/order.ts";
import { capital } from "../sources/problem.ts";
import type { Finding } from "./finding.ts";
import { bad, good, wordsOf } from "./finding.ts";

/** How long the rate of one device is measured, ms, and the longest wait for its first picture. */
const MEASURE_MS = 3_000;
const FIRST_MS_MAX = 12_000;
/** A rate below this share of the wanted one is told. */
const RATE_SHARE = 0.8;

export interface PictureTrialDeps {
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly openInput: OpenInput;
  /** Default 3 s; tests take less. */
  readonly measureMs?: number;
}

/** Opens every configured picture at once, as the agent would with a viewer at each, and measures what comes. */
export async function checkPictures(machines: readonly MachineConfig[], deps: PictureTrialDeps): Promise<Finding[]> {
  const none = { kind: "none" } as const;
  const trials = machines.flatMap(({ id, picture, sound, roomCamera }) => {
    const of: Promise<Finding[]>[] = [];
    if (picture === undefined) of.push(Promise.resolve([good(id, "Its picture is painted by the simulator.")]));
    else of.push(tryPicture(id, "Its picture", picture, sound ?? none, deps));
    if (roomCamera !== undefined && roomCamera.kind !== "none")
      of.push(tryPicture(id, "Its room", roomCamera, none, deps));
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

async function tryPicture(
  id: string,
  title: string,
  picture: PictureConfig,
  sound: SoundConfig,
  deps: PictureTrialDeps,
): Promise<Finding[]> {
  const { clock, measureMs = MEASURE_MS } = deps;
  const seen: Seen = { frames: 0, firstAtMs: 0, lastAtMs: 0, size: "", sounds: 0, pictures: 0, ages: [], problems: [] };
  const source = configuredSource(picture, sound, {
    clock,
    wallNow: deps.wallNow,
    openInput: counting(deps.openInput, seen, clock),
    problem: (sentence) => seen.problems.push(sentence),
  });
  let ended: string | undefined;
  const ends = Promise.withResolvers<void>();
  const sink = {
    video: ({ capturedAtMs }: { capturedAtMs: number }) => {
      seen.pictures += 1;
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
    ended = wordsOf(error);
  }
  if (ended !== undefined) return [problemFinding(id, title, ended)];
  return [pictureFinding(id, title, picture, seen), ...soundFindings(id, sound, seen)];
}

/** The device's own frames are counted, before any is repeated or dropped. */
function counting(open: OpenInput, seen: Seen, clock: Clock): OpenInput {
  return (order, wants, sink) =>
    open(order, wants, {
      ...sink,
      video(frame, stampMs) {
        seen.frames += 1;
        seen.lastAtMs = clock.now();
        if (seen.frames === 1) seen.firstAtMs = seen.lastAtMs;
        seen.size = `${frame.width}x${frame.height}`;
        sink.video(frame, stampMs);
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

function pictureFinding(id: string, title: string, picture: PictureConfig, seen: Seen): Finding {
  const said = capital(pictureOrder(picture).said);
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

function soundFindings(id: string, sound: SoundConfig, seen: Seen): Finding[] {
  if (sound.kind === "none") return [];
  const problem = seen.problems.find((sentence) => /sound/.test(sentence));
  if (problem !== undefined) return [problemFinding(id, "Its sound", problem.replace(/^There is no sound\. /, ""))];
  if (seen.sounds > 0) return [good(id, "Its sound comes.")];
  return [bad(id, "Its sound: the device opens but gives none.", "Check that it is not muted (alsamixer, F4)")];
}
