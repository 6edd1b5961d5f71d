import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AgentProcess } from "./agent-process.ts";
import type { Stretch, WorstFigures } from "./attacker.ts";
import type { FromAttacker, ToAttacker } from "./attacker-process.ts";
import type { Note } from "./notes.ts";
import { openNotes } from "./notes.ts";
import type { FromSeated, ToSeated } from "./seated.ts";

/*
 * Periods take turns, so that what else this computer does falls on all of them: no attack; a watcher does his worst; his process computes as much
 * as it then did, and sends nothing. What he costs by his packets is what lies between the last two.
 */

const KINDS = ["quiet", "attack", "burn"] as const;
type Kind = (typeof KINDS)[number];
const PERIOD_MS = 12_000;
/** Of each period, before it is counted: an attack begins and its traces end. */
const SETTLE_MS = 2_000;
/** The last frames are reported a moment later. */
const REPORTED_MS = 500;
/** A game so often, so that the reels turn nearly all the time. */
const GAME_EVERY_MS = 3_000;
/** With fewer packets a second it was no attack: its process had no time of a processor. */
const PACKETS_PER_SECOND_MIN = 1_000;

type Done = WorstFigures & { readonly share: number };
type Period = { readonly kind: Kind; readonly from: number; readonly to: number } & Done;

export async function watchPlayer({
  minutes,
  seed,
  say,
}: {
  readonly minutes: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}): Promise<boolean> {
  const notes = openNotes();
  const arrivals: number[] = [];
  const [seated, attacker] = ["seated.ts", "attacker-process.ts"].map((program) =>
    fork(join(import.meta.dirname, program)),
  ) as [ChildProcess, ChildProcess];
  let agent: AgentProcess | undefined;
  try {
    agent = await AgentProcess.open(notes);
    await seat(agent, seated, arrivals);
    serveAttacker(agent, attacker);
    const games = play(agent);
    const periods: Period[] = [];
    const until = performance.now() + minutes * 60_000;
    let share = 0;
    // Always whole rounds: each kind equally often. The first one warms up, and is not counted.
    for (let period = 0; performance.now() < until || period % KINDS.length !== 0; period += 1) {
      const kind = KINDS[period % KINDS.length] ?? "quiet";
      const from = now();
      const figures = await carryOut(attacker, kind, { seed: seed + period * 100_000, share });
      if (kind === "attack") share = Math.min(1, figures.share);
      await pause(REPORTED_MS);
      if (period >= KINDS.length) periods.push({ kind, from: from + SETTLE_MS, to: from + PERIOD_MS, ...figures });
      const gone = agent.gone();
      if (gone !== undefined) throw new Error(gone);
    }
    const outcomes = games.end();
    say(`the player    ${outcomes}`);
    const isSeated = !agent.closed("player");
    return report({ periods, arrivals, notes: notes.of(agent.media), isSeated, say });
  } finally {
    seated.kill();
    attacker.kill();
    await agent?.end();
    notes.remove();
  }
}

const now = (): number => performance.timeOrigin + performance.now();

/** Settles once the player's first frames have come. */
async function seat(agent: AgentProcess, seated: ChildProcess, arrivals: number[]): Promise<void> {
  const first = Promise.withResolvers<void>();
  const join = async (sdp: string): Promise<void> => {
    const answer = await agent.seat(sdp);
    if (answer === undefined) throw new Error("The player could not join.");
    seated.send({ sdp: answer } satisfies ToSeated);
  };
  seated.on("message", (message) => {
    const report = message as FromSeated;
    if (report.is === "offer") join(report.sdp).catch(first.reject);
    else arrivals.push(...report.arrivedAtMs);
    if (arrivals.length > 0) first.resolve();
  });
  seated.once("exit", () => first.reject(new Error("The player's page ended.")));
  seated.send({ is: "begin" } satisfies ToSeated);
  await first.promise;
}

/** Plays one game after another until its end; what became of the presses is answered then. */
function play(agent: AgentProcess): { end(): string } {
  const outcomes = new Map<string, number>();
  const timer = setInterval(() => {
    void agent.spin().then((outcome) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
  }, GAME_EVERY_MS);
  return {
    end() {
      clearInterval(timer);
      return [...outcomes].map(([outcome, count]) => `${count} presses ${outcome}`).join(", ");
    },
  };
}

/** Lets the attacker's process join as a watcher does over the platform. */
function serveAttacker(agent: AgentProcess, attacker: ChildProcess): void {
  const send = (message: ToAttacker): void => void attacker.send(message);
  const joined = new Set<string>();
  const timer = setInterval(() => {
    for (const id of joined)
      if (agent.closed(id)) {
        joined.delete(id);
        send({ is: "closed", id });
      }
  }, 20);
  attacker.once("exit", () => clearInterval(timer));
  attacker.on("message", (message) => {
    const request = message as FromAttacker;
    if (request.is === "leave") agent.leave(request.id);
    if (request.is !== "join") return;
    joined.add(request.id);
    const answer = (sdp: string | undefined): void => send({ is: "answer", ask: request.ask, sdp });
    agent.join(request.id, request.sdp).then(answer, () => answer(undefined));
  });
}

async function carryOut(
  attacker: ChildProcess,
  kind: Kind,
  { seed, share }: { readonly seed: number; readonly share: number },
): Promise<Done> {
  if (kind === "quiet") {
    await pause(PERIOD_MS);
    return { sent: 0, joined: 0, stretches: [], share: 0 };
  }
  const over = Promise.withResolvers<Done>();
  const onMessage = (message: unknown): void => {
    const report = message as FromAttacker;
    if (report.is === "over") over.resolve(report);
  };
  const end = (): void => over.reject(new Error("The attacker's process ended."));
  attacker.on("message", onMessage).once("exit", end);
  const what = kind === "attack" ? ({ what: "attack", seed } as const) : ({ what: "burn", share } as const);
  attacker.send({ is: "begin", ...what, forMs: PERIOD_MS } satisfies ToAttacker);
  const figures = await over.promise;
  attacker.off("message", onMessage).off("exit", end);
  return figures;
}

function framesBySecond(arrivals: readonly number[], { from, to }: Period): number[] {
  const counts = Array.from({ length: Math.floor((to - from) / 1_000) }, () => 0);
  for (const atMs of arrivals) {
    const second = Math.floor((atMs - from) / 1_000);
    if (counts[second] !== undefined) counts[second] += 1;
  }
  return counts;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
const at = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? 0;

type Figures = {
  readonly periods: readonly Period[];
  readonly arrivals: readonly number[];
  /** Of the media process. */
  readonly notes: readonly Note[];
  readonly isSeated: boolean;
  readonly say: (line: string) => void;
};

const NAMES: Readonly<Record<Kind, string>> = {
  quiet: "no attack",
  attack: "under attack  ",
  burn: "control       ",
};

function report({ periods, arrivals, notes, isSeated, say }: Figures): boolean {
  const of = (kind: Kind) => periods.filter((period) => period.kind === kind);
  const frames = (kind: Kind) => of(kind).map((period) => framesBySecond(arrivals, period));
  for (const kind of KINDS) {
    const seconds = frames(kind).flat();
    const during = notes.filter(({ atMs }) => of(kind).some(({ from, to }) => atMs > from && atMs <= to));
    const [used, waited] = [during.map(({ usedMs }) => usedMs), during.map(({ waitedMs }) => waitedMs)];
    say(
      [
        `${NAMES[kind]}  ${seconds.length} seconds; frames a second: mean ${meanOf(seconds).toFixed(2)}, least ${at(seconds, 0)}, 5 % ${at(seconds, 0.05)}, median ${at(seconds, 0.5)}`,
        `the media process computed ${meanOf(during.map(({ usedByAllMs }) => usedByAllMs)).toFixed(0)} ms a second, its main thread ${meanOf(used).toFixed(0)} ms a second (${at(used, 1).toFixed(0)} at most), waited for a processor ${meanOf(waited).toFixed(0)} ms`,
        `the attacker's process computed ${(100 * meanOf(of(kind).map(({ share }) => share))).toFixed(0)} % of the time`,
      ].join("; "),
    );
  }
  for (const line of byKind(
    of("attack").flatMap(({ stretches }) => stretches),
    arrivals,
  ))
    say(line);
  const sent = of("attack").reduce((sum, one) => sum + one.sent, 0);
  const joined = of("attack").reduce((sum, one) => sum + one.joined, 0);
  const perSecond = sent / Math.max(1, (of("attack").length * PERIOD_MS) / 1_000);
  say(`the watcher   ${sent} packets over ${joined} connections, ${perSecond.toFixed(0)} a second`);
  const excess = Math.max(0, ...notes.slice(5).map(({ excessMs }) => excessMs));
  say(`the agent     computed ${excess.toFixed(0)} ms without a pause at most`);
  if (!isSeated) say("BROKEN: the player's connection ended");
  else if (perSecond < PACKETS_PER_SECOND_MIN) say("NOT JUDGED: the attacker had no time of a processor");
  else return printVerdict(judgeFrames(frames("burn"), frames("attack")), say);
  return false;
}

/** What the player saw during each kind of attack: to find the cause. */
function byKind(stretches: readonly Stretch[], arrivals: readonly number[]): string[] {
  return [...Map.groupBy(stretches, ({ kind }) => kind)].map(([kind, all]) => {
    const seconds = all.reduce((sum, { from, to }) => sum + (to - from) / 1_000, 0);
    const shown = arrivals.filter((atMs) => all.some(({ from, to }) => atMs >= from && atMs < to)).length;
    return `  ${kind}: ${(shown / seconds).toFixed(1)} frames a second in ${seconds.toFixed(0)} s`;
  });
}

function printVerdict({ is, lost, noise }: Verdict, say: (line: string) => void): boolean {
  const sentence = `his packets cost the player ${lost} frames in the worst second, against the control; ${FRAMES_LOST_MAX} may be`;
  const own = `periods of the control differ by ${noise} among themselves`;
  if (is === "busy") say(`NOT JUDGED: this computer has other work (${own}); ${sentence}`);
  else say(`${is === "held" ? "HELD" : "BROKEN"}: ${sentence}; ${own}`);
  return is === "held";
}

/*
 * What packets cost a player, beside what the computing of the one who sends them costs. Seconds of both are put in order, and the worst is held against the
 * worst, the second worst against the second worst: a second of the attack that is as bad as one without packets was not lost to them.
 */

/** The most that may be lost in any second. */
const FRAMES_LOST_MAX = 2;

/** Frames that were shown in each second of each period. */
type Periods = readonly (readonly number[])[];

type Verdict = {
  readonly is: "held" | "broken" | "busy";
  /** Frames lost in the second that lost most. */
  readonly lost: number;
  /** By how much periods without packets differ from each other by themselves, in the same measure. */
  readonly noise: number;
};

/** The most that one second has less than the second of the other list with its place; lists of different lengths are stretched. */
export function framesLost(control: readonly number[], attacked: readonly number[]): number {
  const [all, others] = [control, attacked].map((list) => list.toSorted((one, other) => one - other)) as [
    number[],
    number[],
  ];
  const places = Math.min(all.length, others.length);
  const at = (list: readonly number[], place: number): number =>
    list[Math.floor(((place + 0.5) / places) * list.length)] ?? 0;
  return Array.from({ length: places }, (_, place) => at(all, place) - at(others, place)).reduce(
    (most, one) => Math.max(most, one),
    0,
  );
}

/**
 * `busy`: other programs take so many frames, now more and now fewer, that nothing can be said: neither that the promise is kept nor that it is broken.
 */
export function judgeFrames(control: Periods, attacked: Periods): Verdict {
  const [even, odd] = halves(control);
  const noise = Math.max(framesLost(even, odd), framesLost(odd, even));
  const lost = framesLost(control.flat(), attacked.flat());
  if (attacked.flat().length === 0 || even.length === 0 || odd.length === 0) return { is: "busy", lost, noise };
  if (lost > FRAMES_LOST_MAX + noise) return { is: "broken", lost, noise };
  return { is: noise > FRAMES_LOST_MAX || lost > FRAMES_LOST_MAX ? "busy" : "held", lost, noise };
}

/** By turns; of a single period its seconds. */
function halves(periods: Periods): readonly [number[], number[]] {
  const parts: Periods = periods.length > 1 ? periods : (periods[0] ?? []).map((second) => [second]);
  const half = (which: number): number[] => parts.filter((_, place) => place % 2 === which).flat();
  return [half(0), half(1)];
}
