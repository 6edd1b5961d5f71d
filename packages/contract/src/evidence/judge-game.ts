import type { GameFacts } from "../agent-link.ts";
import type { PlayedGame } from "../player-record.ts";
import type { Findings } from "./findings.ts";
import type { EvidenceClip, EvidenceLedger } from "./format.ts";

export type JudgedGame = {
  readonly game: PlayedGame;
  readonly clip: Pick<EvidenceClip, "segments">;
  readonly ledger: EvidenceLedger | null;
  /** Games that ended by the index of the recording. */
  readonly ends: readonly GameFacts[];
};

/** Whether recording, meters and ledger say the same of a game. */
export function judgeGame({ game, clip, ledger, ends }: JudgedGame, { wrong, absent, looked }: Findings): void {
  const recorded = ends.find(({ endedAt }) => Date.parse(endedAt) === Date.parse(game.end));
  for (const check of ["game", "meters", "ledger"] as const) looked(check);
  if (recorded !== undefined) compare(game, recorded, wrong);
  else if (clip.segments.length === 0) absent("game", "noRecording");
  else wrong("game", "noSuchGame");

  const { stake, win, before, after } = game;
  const handPaid = game.handPaid ?? 0;
  if (stake === null || win === null || before === null || after === null) absent("meters", "machineSilent");
  else if (before - stake + win - handPaid !== after)
    wrong("meters", "metersDiffer", { before, stake, win, handPaid, after });

  if (ledger === null) return;
  if (stake === null || win === null) {
    absent("ledger", "machineSilent");
    return;
  }
  const own = ledger.booked.filter(({ isOfGame }) => isOfGame);
  const booked = own.reduce((sum, { from, amount }) => sum + (from === "house" ? amount : -amount), 0);
  const won = win - stake - handPaid;
  if (own.length > 1) wrong("ledger", "bookedTwice");
  if (booked !== won) wrong("ledger", "bookedOther", { booked, won });
}

/** What both say in the same words. */
const SAID_BY_BOTH = ["stake", "win", "before", "after", "handPaid"] as const;

function compare(game: PlayedGame, recorded: GameFacts, wrong: Findings["wrong"]): void {
  if (Date.parse(recorded.startedAt) !== Date.parse(game.start)) wrong("game", "otherBegin");
  for (const figure of SAID_BY_BOTH)
    if (game[figure] !== null && game[figure] !== recorded[figure])
      wrong("game", "otherFigure", { figure, played: game[figure], recorded: recorded[figure] });
}
