import { Game, MachineEvent } from "@longarm/contract/agent-link";
import type { ClipMoment } from "@longarm/contract/clips";
import { CLIP_MOMENTS_MAX } from "@longarm/contract/clips";
import * as z from "zod/mini";

/** A longer line is not read. */
const LINE_CHARACTERS_MAX = 65_536;
const Word = z.string().check(z.maxLength(200));

/** What is shown of an index; the agent wrote it, and lines of other kinds are for those who verify it. */
const Line = z.discriminatedUnion("t", [
  z.object({ t: z.literal("event"), at: z.number(), report: z.union([Game, MachineEvent]) }),
  z.object({
    ...{ t: z.literal("press"), at: z.number(), doneAt: z.number(), button: Word },
    ...{ outcome: z.optional(Word), reason: z.optional(Word) },
  }),
  z.object({ t: z.literal("problem"), at: z.number(), why: z.string().check(z.maxLength(500)) }),
]);
type Line = z.output<typeof Line>;

export type MomentsOf = {
  /** The game of the clip under the platform's number: the machine's own count may have begun anew since. */
  readonly game: { readonly number: number; readonly endMs: number };
  /** Ms by the agent's clock. */
  readonly fromMs: number;
  readonly toMs: number;
};

/** What the index of a clip says happened in its time, in order. A line that cannot be read is left out. */
export function momentsIn(index: Buffer, { game, fromMs, toMs }: MomentsOf): ClipMoment[] {
  const lines = index
    .toString("utf8")
    .split("\n")
    .flatMap((text) => lineIn(text) ?? []);
  const base = baseOf(lines, game);
  return lines
    .filter(({ at }) => at >= fromMs && at <= toMs)
    .map((line) => momentOf(line, base))
    .slice(0, CLIP_MOMENTS_MAX);
}

function lineIn(text: string): Line | undefined {
  if (text.length === 0 || text.length > LINE_CHARACTERS_MAX) return undefined;
  try {
    const read = z.safeParse(Line, JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** What the platform adds to the machine's count of games: the game of the clip is found by its end. */
function baseOf(lines: readonly Line[], { number, endMs }: MomentsOf["game"]): number {
  for (const line of lines) {
    if (line.t !== "event" || !("phase" in line.report) || line.report.phase !== "ended") continue;
    const { endedAt, gameNumber } = line.report.game;
    if (Date.parse(endedAt) === endMs) return number - gameNumber;
  }
  return 0;
}

function momentOf(line: Line, base: number): ClipMoment {
  const { at } = line;
  if (line.t === "problem") return { is: "problem", at, why: line.why };
  if (line.t === "press") {
    const { doneAt, button, outcome = null, reason = null } = line;
    return { is: "press", at, doneAt, button, outcome, reason };
  }
  const { report } = line;
  const { credit } = report.meters;
  if (!("phase" in report)) return { is: "event", at, kind: report.kind, amount: report.amount ?? null, credit };
  if (report.phase === "started") {
    const { gameNumber, stake, phase } = report;
    return { is: "game", at, phase, number: gameNumber + base, stake, win: null, credit };
  }
  const { gameNumber, stake, win } = report.game;
  return { is: "game", at, phase: report.phase, number: gameNumber + base, stake, win, credit };
}
