import type { Stop, Timers } from "@longarm/link/socket";
import { createStore } from "zustand/vanilla";
import type { Live } from "../../../../shared/live/live.ts";
import type { PlayState } from "../play-state.ts";
import type { Pressed, Reels } from "../press/panel.ts";
import type { AutoplayControl, AutoplayEnd, AutoplayNow } from "./control.ts";
import type { AutoplayPlan } from "./plan.ts";

export type AutoplayDeps = {
  readonly timers: Timers;
  readonly state: Live<PlayState>;
  readonly reels: Live<Reels>;
  /** Presses the wager key. */
  readonly spin: () => Pressed;
  /** Ms until the wager key may be pressed again. */
  readonly readyInMs: () => number;
};

/** Between two games, ms: long enough to see the reels stand, and after a win to read it. */
export const REST_MS = 300;
export const REST_AFTER_WIN_MS = 1_000;

/** A picture too poor to play by holds it this long, ms, before that counts as a lost link. */
export const UNFAIR_MS_MAX = 3_000;

const OFF: AutoplayNow = { on: false, left: undefined, total: undefined, lossLeft: undefined };
type Run = {
  readonly plan: AutoplayPlan;
  readonly stake: number;
  left: number | undefined;
  /** Staked less won since it began, minor units: a transfer ends autoplay, so nothing else moves the credit. */
  lost: number;
  /** Credit before the game that runs. */
  creditBefore: number;
  /** Games on the machine's counter at the last press. */
  gamesBefore: number;
  /** `begins` until the reels stand; `rests` before a press, `plays` from it to the end of its game. */
  step: "begins" | "rests" | "plays";
};

/**
 * Autoplay, driven by the page: one press for each completed game (contract.md section 3). It ends by itself at the first thing the
 * player should see or decide, and begins again only by the player.
 */
export class Autoplay implements AutoplayControl {
  readonly state: Live<AutoplayNow>;
  readonly ended: Live<AutoplayEnd | undefined>;
  readonly #setState: (now: AutoplayNow) => void;
  readonly #setEnded: (end: AutoplayEnd | undefined) => void;
  readonly #deps: AutoplayDeps;
  readonly #stops: Stop[];
  #run: Run | undefined;
  #stopRest: Stop = () => {};
  /** While the picture is too poor to play by. */
  #stopUnfair: Stop | undefined;

  constructor(deps: AutoplayDeps) {
    this.#deps = deps;
    const state = createStore<AutoplayNow>(() => OFF);
    const ended = createStore<AutoplayEnd | undefined>(() => undefined);
    this.state = state;
    this.ended = ended;
    this.#setState = (now) => state.setState(now, true);
    this.#setEnded = (end) => ended.setState(end, true);
    this.#stops = [deps.state.subscribe(() => this.#look()), deps.reels.subscribe(() => this.#look())];
  }

  start(plan: AutoplayPlan): boolean {
    const now = this.#deps.state.getState();
    const { meters } = now;
    this.#finish(undefined);
    if (meters === undefined || now.limits === undefined) return this.#refuse("link");
    const against = endsNow(now, plan, meters.bet) ?? (wouldLoseTooMuch(plan, 0, meters.bet) ? "loss" : undefined);
    if (against !== undefined) return this.#refuse(against);
    const { bet: stake, credit: creditBefore, gamesPlayed: gamesBefore } = meters;
    this.#run = { plan, stake, left: plan.games, lost: 0, creditBefore, gamesBefore, step: "begins" };
    this.#show(this.#run);
    this.#look();
    return true;
  }

  stop(why: AutoplayEnd): void {
    this.#finish(why);
  }

  /** Does not begin, and says why. */
  #refuse(why: AutoplayEnd): false {
    this.#setEnded(why);
    return false;
  }

  /** Without a reason only where autoplay begins anew or the screen itself goes, which has words of its own. */
  #finish(why: AutoplayEnd | undefined): void {
    if (this.#run === undefined) return;
    this.#stopRest();
    this.#fair(true);
    this.#run = undefined;
    this.#setState(OFF);
    this.#setEnded(why);
  }

  /** A press of this autoplay that started no game. Whether that was one: the reason is said here then. */
  refused(changed: boolean): boolean {
    if (this.#run?.step !== "plays") return false;
    this.stop(changed ? "stake" : "refused");
    return true;
  }

  clearEnded(): void {
    this.#setEnded(undefined);
  }

  /** The play session is over. */
  end(): void {
    this.#finish(undefined);
    for (const stop of this.#stops) stop();
  }

  #look(): void {
    const run = this.#run;
    if (run === undefined) return;
    const now = this.#deps.state.getState();
    const end = endsNow(now, run.plan, run.stake);
    if (end !== undefined) {
      this.stop(end);
      return;
    }
    const { turning, queued } = this.#deps.reels.getState();
    this.#fair(now.fair);
    if (!now.fair || turning || queued || now.meters === undefined) {
      this.#stopRest();
      if (run.step === "rests") run.step = "begins";
    } else if (run.step === "plays") {
      // Nobody answered the press, and the machine counted no game: whether it will, the player should see.
      const none = now.meters.gamesPlayed === run.gamesBefore;
      run.lost += run.creditBefore - now.meters.credit;
      run.creditBefore = now.meters.credit;
      const after = none ? "refused" : endsAfterGame(now.meters, run.plan, run);
      if (after !== undefined) this.stop(after);
      else if (wouldLoseTooMuch(run.plan, run.lost, run.stake)) this.stop("loss");
      else this.#rest(run, now.meters.win > 0 ? REST_AFTER_WIN_MS : REST_MS);
    } else if (run.step === "begins") this.#rest(run, 0);
  }

  #show({ plan, left, lost }: Run): void {
    const lossLeft = plan.lossReaches === undefined ? undefined : Math.max(0, plan.lossReaches - lost);
    this.#setState({ on: true, left, total: plan.games, lossLeft });
  }

  #fair(fair: boolean): void {
    if (fair) {
      this.#stopUnfair?.();
      this.#stopUnfair = undefined;
    } else this.#stopUnfair ??= this.#deps.timers.after(UNFAIR_MS_MAX, () => this.stop("link"));
  }

  #rest(run: Run, ms: number): void {
    run.step = "rests";
    this.#stopRest();
    this.#stopRest = this.#deps.timers.after(Math.max(ms, this.#deps.readyInMs()), () => this.#play(run));
  }

  #play(run: Run): void {
    // A browser's timer may end a fraction of a millisecond before its clock says so.
    if (this.#deps.readyInMs() > 0) {
      this.#rest(run, 0);
      return;
    }
    run.step = "plays";
    const { meters } = this.#deps.state.getState();
    run.gamesBefore = meters?.gamesPlayed ?? 0;
    run.creditBefore = meters?.credit ?? run.creditBefore;
    if (run.left !== undefined) run.left -= 1;
    const pressed = this.#deps.spin();
    if (this.#run !== run) return;
    if (pressed === "sent") this.#show(run);
    else this.stop(pressed === "noCredit" ? "noCredit" : "refused");
  }
}

type Now = Pick<PlayState, "phase" | "online" | "agentAway" | "limits" | "meters">;

/** What ends autoplay at once, whatever the reels do. `stake`: what the player agreed to stake, minor units. */
function endsNow(now: Now, plan: AutoplayPlan, stake: number): AutoplayEnd | undefined {
  const { phase, online, agentAway, limits, meters } = now;
  if (phase !== "playing") return "leaving";
  if (limits?.autoplay === false) return "forbidden";
  if (!online || agentAway || meters === undefined) return "link";
  if (meters.handPay !== undefined) return "handPay";
  if (meters.lockup !== undefined) return "locked";
  // The machine does not tell whether a bonus runs or waits for a choice: the choice is the player's.
  if (meters.bonus) return "bonus";
  if (meters.freeSpins > 0 && plan.atFreeSpins) return "freeSpins";
  return meters.bet === stake ? undefined : "stake";
}

/** How far a run has come. `left`: games still to play. `lost`: since it began, minor units; below zero: won. */
type RunNow = { readonly left: number | undefined; readonly lost: number };

/** What ends autoplay now that a game is complete; undefined: nothing. */
function endsAfterGame(
  { win, credit }: { readonly win: number; readonly credit: number },
  { lossReaches, winAbove, creditBelow, creditAbove }: AutoplayPlan,
  { left, lost }: RunNow,
): AutoplayEnd | undefined {
  if (winAbove !== undefined && win > winAbove) return "win";
  if (lossReaches !== undefined && lost >= lossReaches) return "loss";
  if (creditBelow !== undefined && credit < creditBelow) return "credit";
  if (creditAbove !== undefined && credit > creditAbove) return "creditAbove";
  return left === 0 ? "done" : undefined;
}

/** Whether the next stake could go beyond what the player agreed to lose. */
const wouldLoseTooMuch = ({ lossReaches }: AutoplayPlan, lost: number, stake: number): boolean =>
  lossReaches !== undefined && lost + stake > lossReaches;
