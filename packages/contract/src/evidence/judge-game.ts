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
  else if (clip.segments.length === 0) absent("game", "There is no recording.");
  else wrong("game", "The recording has no game that ended when this one did.");

  const { stake, win, before, after } = game;
  const handPaid = game.handPaid ?? 0;
  if (stake === null || win === null || before === null || after === null)
    absent("meters", "The machine does not say what the game cost and won.");
  else if (before - stake + win - handPaid !== after)
    wrong("meters", `Credit ${before} − stake ${stake} + win ${win} − paid by hand ${handPaid} is not ${after}.`);

  if (ledger === null) return;
  if (stake === null || win === null) {
    absent("ledger", "The machine does not say what the game cost and won.");
    return;
  }
  const own = ledger.booked.filter(({ isOfGame }) => isOfGame);
  const booked = own.reduce((sum, { from, amount }) => sum + (from === "house" ? amount : -amount), 0);
  const won = win - stake - handPaid;
  if (own.length > 1) wrong("ledger", "The ledger has the game more than once.");
  if (booked !== won) wrong("ledger", `The ledger has ${booked} for the game, the machine ${won}.`);
}

/** What both say in the same words. */
const SAID_BY_BOTH = ["stake", "win", "before", "after", "handPaid"] as const;

function compare(game: PlayedGame, recorded: GameFacts, wrong: Findings["wrong"]): void {
  if (Date.parse(recorded.startedAt) !== Date.parse(game.start))
    wrong("game", "The game began at another time by the recording.");
  for (const figure of SAID_BY_BOTH)
    if (game[figure] !== null && game[figure] !== recorded[figure])
      wrong("game", `${figure} is ${game[figure]}, by the recording ${recorded[figure]}.`);
}
