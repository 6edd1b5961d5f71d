import type { PlayRules } from "@longarm/contract/player-protection";
import { gameEndIn } from "../journal/records.ts";
import type { MachineMemory } from "../journal/state.ts";
import type { Clock } from "../ports/clock.ts";

/** A game of the machine, stake and win in minor units. `endSeq`: the journal's number of its end; undefined: it has not ended. */
type KeptGame = { readonly stake: number; readonly win: number; readonly endSeq: number | undefined };

/** A press may have started a game that the machine has not reported yet. It is believed for so long, ms; a later report counts all the same. */
const BELIEVED_MS = 5_000;
/** Far more games than fit between two renewals of a grant. */
const GAMES_KEPT = 1_000;

/**
 * What limits of stakes and loss leave at a machine, counted down from the grant game by game: the platform has counted the events up to the number that
 * the grant names, and this the games after it. No renewal, old or new, in whatever order, gives back what a game has cost.
 */
export interface Allowance {
  /** What the next game may stake at most, minor units; undefined: nothing limits it. 0 also where games were missed: the next renewal counts them. */
  left(rules: PlayRules): number | undefined;
  /** A press may have started a game of this stake. */
  started(stake: number): void;
  /** The machine reported a start. */
  reported(game: { readonly gameNumber: number; readonly stake: number }): void;
  /** The machine reported an end, which has this number in the journal. */
  ended(game: { readonly gameNumber: number; readonly stake: number; readonly win: number }, seq: number): void;
}

export type AllowanceDeps = {
  readonly clock: Clock;
  /** The machine's journal as it was opened. */
  readonly memory: Pick<MachineMemory, "waiting" | "lastSeq">;
};

export function createAllowance({ clock, memory: { waiting, lastSeq } }: AllowanceDeps): Allowance {
  const games = new Map<number, KeptGame>();
  let believed: readonly { readonly stake: number; readonly at: number }[] = [];
  /** Ends up to this number are not in `games`. */
  let forgottenTo = (waiting[0]?.seq ?? lastSeq + 1) - 1;

  function ended({ gameNumber, stake, win }: Parameters<Allowance["ended"]>[0], seq: number): void {
    games.delete(gameNumber);
    games.set(gameNumber, { stake, win, endSeq: seq });
    for (const [number, { endSeq }] of games) {
      if (games.size <= GAMES_KEPT) return;
      games.delete(number);
      forgottenTo = Math.max(forgottenTo, endSeq ?? 0);
    }
  }

  /** The games that the platform has not counted, in the order of their ends. Where it has counted one, it has done with all before it. */
  function uncounted(countedTo: number): readonly KeptGame[] {
    const all = [...games.values()];
    return all.slice(all.findLastIndex(({ endSeq }) => endSeq !== undefined && endSeq <= countedTo) + 1);
  }

  for (const event of waiting) {
    const end = gameEndIn(event);
    if (end !== undefined) ended(end.game, end.seq);
  }

  return {
    left({ allowance }) {
      if (allowance === undefined) return undefined;
      const { stakes = Number.POSITIVE_INFINITY, loss = Number.POSITIVE_INFINITY, countedTo } = allowance;
      if (countedTo < forgottenTo) return 0;
      believed = believed.filter(({ at }) => clock.now() - at < BELIEVED_MS);
      const open = [...uncounted(countedTo), ...believed.map(({ stake }) => ({ stake, win: 0 }))];
      const staked = open.reduce((sum, { stake }) => sum + stake, 0);
      const won = open.reduce((sum, { win }) => sum + win, 0);
      return Math.max(0, Math.min(stakes - staked, loss - staked + won));
    },
    started(stake) {
      believed = [...believed, { stake, at: clock.now() }].slice(-GAMES_KEPT);
    },
    reported({ gameNumber, stake }) {
      believed = believed.slice(1);
      if (!games.has(gameNumber)) games.set(gameNumber, { stake, win: 0, endSeq: undefined });
    },
    ended,
  };
}
