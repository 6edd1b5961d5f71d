import type { Lockup } from "@longarm/contract/machine";
import type { Spin } from "@longarm/reels/game/draw";
import type { Stage } from "@longarm/reels/game/reveal";
import { freeSpinsLeft, seenWin } from "@longarm/reels/game/reveal";
import type { GlassView } from "@longarm/reels/picture/view";
import type { EgmMeters, EgmTotals } from "../../ports/egm.ts";
import { faultNotice, gravest } from "./faults.ts";
import { handPayFacts } from "./memory/apply.ts";
import type { MachineState, OpenGame } from "./memory/state.ts";
import { JACKPOT_SCALE } from "./memory/state.ts";
import { stakeOf } from "./panel.ts";

/** The simulated machine says everything of its game. */
export type WholeMeters = Omit<EgmMeters, "totals"> &
  Required<Pick<EgmMeters, "bet" | "win" | "freeSpins" | "bonus" | "activeBand" | "jackpots">> & {
    totals: WholeTotals;
  };
export type WholeTotals = Omit<EgmTotals, "other">;

/** What the picture and the sound need to know, without waiting. */
export type MachineView = GlassView & {
  readonly meters: WholeMeters;
  readonly attendant: boolean;
};

/** `last`: the last turn of the game before, while none is in progress; null after power up. */
export function metersOf(
  state: MachineState,
  stage: Stage | null,
  { outOfService, spin: last }: { outOfService: boolean; spin: Spin | null },
): WholeMeters {
  const { game, totals } = state;
  const live = game !== null && stage !== null ? { game, stage } : null;
  const lockup = lockupOf(state, outOfService);
  return {
    credit: state.credit,
    bet: stakeOf(state.band, state.step),
    win: live === null ? state.win : seenWin(live.game, live.stage),
    winLines: seenLines(live, last),
    freeSpins: live === null ? 0 : freeSpinsLeft(live.game, live.stage),
    bonus: stage?.is === "bonus",
    inGame: game !== null,
    gamesPlayed: state.gamesPlayed,
    activeBand: String(state.band),
    handPays: state.handPay === null ? [] : [handPayFacts(state.handPay)],
    jackpots: state.jackpots.map(({ name, scaled }) => ({ name, amount: Math.floor(scaled / JACKPOT_SCALE) })),
    // The simulated machine has no bill acceptor and no printer, and its credits cannot be cancelled by hand.
    totals: { ...totals, otherInTotal: 0, otherOutTotal: 0 },
    ...(lockup === null ? {} : { lockup }),
  };
}

/** Lines count from 1 for people. While the reels turn nothing has won yet. */
function seenLines(live: { game: OpenGame; stage: Stage } | null, last: Spin | null): readonly number[] {
  if (live !== null && live.stage.is !== "rest") return [];
  const seen = live?.stage.is === "rest" ? live.game.outcome.spins[live.stage.spin] : last;
  return seen?.lines.map(({ line }) => line + 1) ?? [];
}

function lockupOf(state: MachineState, outOfService: boolean): Lockup | null {
  if (outOfService) return "outOfService";
  if (state.handPay !== null) return "handPay";
  return gravest(state.faults) ?? (state.disabled ? "disabled" : null);
}

export function viewOf(
  state: MachineState,
  stage: Stage | null,
  rest: { restAt: number; spinAt: number; spin: Spin | null; presses: number; outOfService: boolean },
): MachineView {
  const meters = metersOf(state, stage, rest);
  const spins = state.game?.outcome.spins ?? [];
  const index = stage === null || stage.is === "bonus" ? 0 : stage.spin;
  const spin = stage === null ? rest.spin : (spins[index] ?? null);
  return {
    meters,
    notice: faultNotice(state.faults),
    stage,
    freeSpinsTotal: Math.max(spins.length - 1, 0),
    fromStops: index > 0 ? (spins[index - 1]?.stops ?? state.stops) : state.stops,
    stops: stage === null ? state.stops : (spin?.stops ?? state.stops),
    spin,
    picks: stage?.is === "bonus" ? (state.game?.outcome.picks.slice(0, stage.picked) ?? []) : [],
    turnAt: stage === null ? rest.spinAt : stage.spinAt,
    restAt: rest.restAt,
    attendant: state.attendant,
    presses: rest.presses,
  };
}
