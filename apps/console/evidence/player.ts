import { INDEX_FILE, segmentFile } from "@longarm/contract/evidence/format";
import type { EvidenceContent } from "@longarm/contract/evidence/verify";
import * as z from "zod/mini";
import type { Child } from "./elements.ts";
import { filled, isolated, make, section, timeOf } from "./elements.ts";
import { texts, wordFor } from "./texts.ts";

/** A line of the index that people read beside the picture. */
type Moment = { readonly at: number; readonly words: readonly Child[] };

const Line = z.union([
  z.object({
    t: z.literal("press"),
    at: z.number(),
    button: z.string(),
    /** Absent: the machine was silent. */
    outcome: z.optional(z.string()),
    reason: z.optional(z.string()),
  }),
  z.object({ t: z.literal("problem"), at: z.number(), why: z.string() }),
  z.object({
    t: z.literal("event"),
    at: z.number(),
    report: z.object({
      kind: z.optional(z.string()),
      phase: z.optional(z.enum(["started", "ended"])),
      stake: z.optional(z.number()),
      gameNumber: z.optional(z.number()),
      game: z.optional(z.object({ gameNumber: z.number(), win: z.number(), endedAt: z.string() })),
      meters: z.object({ credit: z.number() }),
    }),
  }),
]);

type Line = z.infer<typeof Line>;
type Game = EvidenceContent["game.json"];

function momentsOf(index: Uint8Array | undefined, game: Game): Moment[] {
  const lines = new TextDecoder()
    .decode(index)
    .split("\n")
    .flatMap((text): Line[] => {
      const read = z.safeParse(Line, parsed(text));
      return read.success ? [read.data] : [];
    });
  const base = baseOf(lines, game);
  return lines.map((line) => ({ at: line.at, words: wordsOf(line, base) }));
}

/** What the platform adds to the machine's own count, which may have begun anew: the game of the question is found by its end. */
function baseOf(lines: readonly Line[], game: Game): number {
  for (const line of lines) {
    const ended = line.t === "event" && line.report.phase === "ended" ? line.report.game : undefined;
    if (game !== null && ended !== undefined && Date.parse(ended.endedAt) === Date.parse(game.end))
      return game.number - ended.gameNumber;
  }
  return 0;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wordsOf(line: Line, base: number): string[] {
  if (line.t === "problem") return [texts.interrupted, line.why];
  if (line.t === "press") {
    const { button, outcome = "silent", reason } = line;
    const [kind = "", ...band] = button.split(":");
    const pressed = [wordFor("button", kind), ...band].join(" ");
    return [texts.press, pressed, wordFor("outcome", outcome), ...(reason ? [wordFor("reason", reason)] : [])];
  }
  const { kind = "other", phase, stake, gameNumber, game, meters } = line.report;
  const credit = `${texts.credit} ${meters.credit}`;
  if (phase === undefined) return [wordFor("event", kind), credit];
  const number = String((game?.gameNumber ?? gameNumber ?? 0) + base);
  const figure = game === undefined ? `${texts.stake} ${stake}` : `${texts.win} ${game.win}`;
  return [texts[phase].replace("{number}", number), figure, credit];
}

/** A time, and what is said of it, each in its own direction. */
const lineOf = (time: string, words: readonly Child[]): HTMLElement =>
  make("li", {}, isolated(time), "  ", ...words.flatMap((one, n) => [...(n === 0 ? [] : [" · "]), isolated(one)]));

/** One frame of the recording: which segment, and its place in it, s. */
type Frame = { readonly segment: number; readonly pts: number; readonly at: number };

/** The recording, frame by frame, beside what happened. */
export function playerOf({ files, ...content }: EvidenceContent): HTMLElement {
  const { segments = [], gaps = [] } = content["clip.json"] ?? {};
  const bytes = segments.map(({ name }) => files.get(segmentFile(name)) ?? new Uint8Array());
  const frames: Frame[] = bytes.flatMap((mp4, segment) =>
    frameTimes(mp4).map((pts) => ({ segment, pts, at: (segments[segment]?.fromMs ?? 0) + pts * 1000 })),
  );
  if (frames.length === 0) return section(texts.recording, texts.noVideo);
  const urls = bytes.map((mp4) => URL.createObjectURL(new Blob([mp4.slice()], { type: "video/mp4" })));
  const marks = content["question.json"]?.marks ?? [];
  const moments = [
    ...momentsOf(files.get(INDEX_FILE), content["game.json"]),
    ...marks.map(({ momentMs, text }) => ({
      at: momentMs,
      words: [make("span", {}, `${texts.mark}: `, isolated(text ?? "–"))],
    })),
  ].toSorted((one, other) => one.at - other.at);
  const list = make(
    "ol",
    { tabindex: "0", "aria-label": texts.events },
    ...moments.map(({ at, words }) => lineOf(timeOf(at), words)),
  );
  const place = make("span");
  // Time is from left to right in every language, as the keys are.
  const range = { type: "range", min: "0", max: String(frames.length - 1), dir: "ltr" };
  const slider = make("input", { ...range, "aria-label": texts.frame });
  const film = openFilm(frames, urls, (now, frame) => {
    slider.value = String(now);
    const which = filled(texts.frameOf, { frame: String(now + 1), count: String(frames.length) });
    place.replaceChildren(...which, " · ", isolated(`${timeOf(frame.at)} UTC`));
    const last = moments.findLastIndex(({ at }) => at <= frame.at);
    for (const [n, item] of [...list.children].entries()) item.toggleAttribute("data-now", n === last);
  });
  film.video.addEventListener("error", () => place.append(` · ${texts.noVideo}`));
  slider.addEventListener("input", () => film.show(Number(slider.value)));
  const said = gaps.map(({ fromMs, toMs, why }) => lineOf(`${timeOf(fromMs)}–${timeOf(toMs)}`, [wordFor("clip", why)]));
  return make(
    "div",
    { class: "columns" },
    section(texts.recording, film.video, slider, keysOf(film), make("p", {}, place), make("ul", {}, ...said)),
    section(texts.events, list),
  );
}

function keysOf({ step, toggle }: Film): HTMLElement {
  // Of the newest recording alone.
  document.onkeydown = (event) => {
    if (event.target instanceof HTMLInputElement) return;
    if (event.key === "," || event.key === "ArrowLeft") step(-1);
    else if (event.key === "." || event.key === "ArrowRight") step(1);
    else return;
    event.preventDefault();
  };
  const key = (act: () => void, ...words: readonly string[]): HTMLButtonElement => {
    const button = make("button", { type: "button" }, ...words.flatMap((one) => [isolated(one), " "]));
    button.addEventListener("click", act);
    return button;
  };
  return make(
    "p",
    { dir: "ltr" },
    key(() => step(-1), ",", texts.back),
    key(toggle, texts.play),
    key(() => step(1), texts.next, "."),
  );
}

type Film = {
  readonly video: HTMLVideoElement;
  readonly show: (frame: number) => void;
  readonly step: (by: number) => void;
  readonly toggle: () => void;
};

/** Segments one after the other in one video. `moved` is called with each frame that is shown. */
function openFilm(frames: readonly Frame[], urls: readonly string[], moved: (now: number, frame: Frame) => void): Film {
  const video = make("video", { playsinline: "" });
  let now = 0;
  function mark(): void {
    const frame = frames[now];
    if (frame === undefined) return;
    video.dataset["at"] = String(frame.at);
    moved(now, frame);
  }
  function show(wanted: number): void {
    now = Math.max(0, Math.min(frames.length - 1, wanted));
    const frame = frames[now];
    if (frame === undefined) return;
    const src = urls[frame.segment] ?? "";
    if (video.src !== src) video.src = src;
    // In the middle of the frame: its beginning may be rounded into the one before.
    const next = frames[now + 1];
    const lasts = next?.segment === frame.segment ? next.pts - frame.pts : 0.02;
    video.currentTime = frame.pts + lasts / 2;
    mark();
  }
  const play = (): void => void video.play().catch(() => undefined);
  video.addEventListener("timeupdate", () => {
    if (video.paused) return;
    const { segment } = frames[now] ?? { segment: 0 };
    now = frames.findLastIndex((one) => one.segment === segment && one.pts <= video.currentTime);
    mark();
  });
  video.addEventListener("ended", () => {
    const next = frames.findIndex(({ segment }) => segment === (frames[now]?.segment ?? 0) + 1);
    if (next === -1) return;
    show(next);
    play();
  });
  // When its owner has put the picture and the list together.
  queueMicrotask(() => show(0));
  return {
    ...{ video, show },
    step(by) {
      video.pause();
      show(now + by);
    },
    toggle: () => (video.paused ? play() : video.pause()),
  };
}

/** The times of the frames of a segment, s, from its own fragments (ISO 14496-12: `moof`, `traf`, `trun`; the video is track 1). */
function frameTimes(mp4: Uint8Array): number[] {
  const view = new DataView(mp4.buffer, mp4.byteOffset, mp4.byteLength);
  const times: number[] = [];
  for (const moof of boxes(view, 0, mp4.length, "moof"))
    for (const traf of boxes(view, moof.from, moof.to, "traf")) {
      const [tfhd] = boxes(view, traf.from, traf.to, "tfhd");
      const [tfdt] = boxes(view, traf.from, traf.to, "tfdt");
      if (tfhd === undefined || tfdt === undefined || view.getUint32(tfhd.from + 4) !== VIDEO_TRACK) continue;
      let at = Number(view.getBigUint64(tfdt.from + 4));
      for (const trun of boxes(view, traf.from, traf.to, "trun"))
        for (let n = 0; n < view.getUint32(trun.from + 4); n += 1) {
          times.push(at / VIDEO_TICKS);
          at += view.getUint32(trun.from + RUN_HEAD + n * RUN_ENTRY);
        }
    }
  return times;
}

const VIDEO_TRACK = 1;
const VIDEO_TICKS = 90_000;
/** Flags, count and offset; then of each sample duration, size and flags. */
const RUN_HEAD = 12;
const RUN_ENTRY = 12;

type Box = { readonly from: number; readonly to: number };

function boxes(view: DataView, from: number, to: number, type: string): Box[] {
  const found: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    const size = view.getUint32(at);
    if (size < 8) break;
    const name = String.fromCharCode(...[4, 5, 6, 7].map((n) => view.getUint8(at + n)));
    if (name === type) found.push({ from: at + 8, to: Math.min(at + size, to) });
    at += size;
  }
  return found;
}
