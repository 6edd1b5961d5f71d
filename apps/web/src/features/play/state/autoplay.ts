import type { Stop, Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { Panel } from "./panel.ts";
import type { PlayState } from "./play-state.ts";

/** What the player chose for autoplay. Amounts in minor units; undefined: never. */
export type AutoplayPlan = {
  /** Games to play; undefined: until the player stops. */
  readonly games: number | undefined;
  /** Stops when so much is lost since it began. */
  readonly lossReaches: number | undefined;
  /** Stops when one win is above this; 0: after any win. */
  readonly winAbove: number | undefined;
  /** Stops when the credit falls below this. */
  readonly creditBelow: number | undefined;
  /** Stops when the credit rises above this. */
  readonly creditAbove: number | undefined;
  /** Stops also when the machine begins free spins, which play by themselves. */
  readonly atFreeSpins: boolean;
};

/** The limits that are typed as amounts. */
export const MONEY_LIMITS = ["lossReaches", "winAbove", "creditBelow", "creditAbove"] as const;
export type MoneyLimit = (typeof MONEY_LIMITS)[number];

/** The counts that are offered; undefined: until the player stops. */
export const GAME_CHOICES: readonly (number | undefined)[] = [10, 25, 50, 100, undefined];

export const FIRST_PLAN: AutoplayPlan = {
  games: 10,
  lossReaches: undefined,
  winAbove: undefined,
  creditBelow: undefined,
  creditAbove: undefined,
  atFreeSpins: false,
};

/** Why autoplay ended, by its text key `play.autoEnd_…`. The player reads the reason of each end (player 15). */
export const AUTOPLAY_ENDS = [
  "done",
  "win",
  "loss",
  "credit",
  "creditAbove",
  "noCredit",
  "bonus",
  "freeSpins",
  "stake",
  "handPay",
  "locked",
  "link",
  "hidden",
  "transfer",
  "refused",
  "player",
  "leaving",
  "forbidden",
  "check",
] as const;
export type AutoplayEnd = (typeof AUTOPLAY_ENDS)[number];

/** Autoplay as the screen shows it. `left` and `total`: games; undefined: until the player stops. */
export type AutoplayNow = {
  readonly on: boolean;
  readonly left: number | undefined;
  readonly total: number | undefined;
  /** What may still be lost before it ends, minor units; undefined: the player set no such limit. */
  readonly lossLeft: number | undefined;
};

/** Between two games, ms: long enough to see the reels at rest, and after a win to read it. */
export const REST_MS = 300;
export const REST_AFTER_WIN_MS = 1_000;

/** A link too poor to play over pauses autoplay this long, ms, before it counts as lost. */
export const UNPLAYABLE_MS_MAX = 3_000;

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
  /** `begins` until the reels are at rest; `rests` before a press, `plays` from it to the end of its game. */
  step: "begins" | "rests" | "plays";
};

/**
 * Autoplay, driven by the page: one press for each completed game (contract.md section 3). It ends by itself at the first thing the
 * player should see or decide, and only the player starts it again.
 */
export class Autoplay {
  readonly state: Live<AutoplayNow>;
  /** Why it ended, or did not begin, until the player has read it. */
  readonly ended: Live<AutoplayEnd | undefined>;
  readonly #setState: (now: AutoplayNow) => void;
  readonly #setEnded: (end: AutoplayEnd | undefined) => void;
  readonly #timers: Timers;
  readonly #play: Live<PlayState>;
  readonly #panel: Pick<Panel, "reels" | "spin" | "readyInMs">;
  readonly #stops: Stop[];
  #run: Run | undefined;
  #stopRest: Stop = () => {};
  /** While the link is too poor to play over. */
  #stopUnplayable: Stop | undefined;

  constructor(timers: Timers, play: Live<PlayState>, panel: Pick<Panel, "reels" | "spin" | "readyInMs">) {
    this.#timers = timers;
    this.#play = play;
    this.#panel = panel;
    const state = createStore<AutoplayNow>(() => OFF);
    const ended = createStore<AutoplayEnd | undefined>(() => undefined);
    this.state = state;
    this.ended = ended;
    this.#setState = (now) => state.setState(now, true);
    this.#setEnded = (end) => ended.setState(end, true);
    this.#stops = [play.subscribe(() => this.#look()), panel.reels.subscribe(() => this.#look())];
  }

  /** Begins with the stake that is on the screen now; false when nothing can be played, and `ended` says why. */
  start(plan: AutoplayPlan): boolean {
    const now = this.#play.getState();
    const { meters } = now;
    this.#finish(undefined);
    if (meters === undefined || now.limits === undefined) return this.#refuse("link");
    // A machine that does not say its stake plays for no limit: there is no button for it either.
    if (meters.bet === undefined) return this.#refuse("stake");
    const obstacle = endsNow(now, plan, meters.bet) ?? (wouldLoseTooMuch(plan, 0, meters.bet) ? "loss" : undefined);
    if (obstacle !== undefined) return this.#refuse(obstacle);
    const { bet: stake, credit: creditBefore, gamesPlayed: gamesBefore } = meters;
    this.#run = { plan, stake, left: plan.games, lost: 0, creditBefore, gamesBefore, step: "begins" };
    this.#show(this.#run);
    this.#look();
    return true;
  }

  /** Ends it. The game that runs is played to its end. */
  stop(why: AutoplayEnd): void {
    this.#finish(why);
  }

  /** Does not begin, and shows why. */
  #refuse(why: AutoplayEnd): false {
    this.#setEnded(why);
    return false;
  }

  /** Without a reason only where autoplay begins anew, or where the screen itself ends, which has texts of its own. */
  #finish(why: AutoplayEnd | undefined): void {
    if (this.#run === undefined) return;
    this.#stopRest();
    this.#setPlayable(true);
    this.#run = undefined;
    this.#setState(OFF);
    this.#setEnded(why);
  }

  /** A press started no game. True when it was a press of autoplay, which then ends and shows the reason. */
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
    const now = this.#play.getState();
    const end = endsNow(now, run.plan, run.stake);
    if (end !== undefined) {
      this.stop(end);
      return;
    }
    const { turning, queued } = this.#panel.reels.getState();
    this.#setPlayable(now.playable);
    if (!now.playable || turning || queued || now.meters === undefined) {
      this.#stopRest();
      if (run.step === "rests") run.step = "begins";
    } else if (run.step === "plays") {
      // The press got no answer, and the machine counted no game: the player should see whether it still does.
      const uncounted = now.meters.gamesPlayed === run.gamesBefore;
      run.lost += run.creditBefore - now.meters.credit;
      run.creditBefore = now.meters.credit;
      const after = uncounted ? "refused" : endsAfterGame(now.meters, run.plan, run);
      if (after !== undefined) this.stop(after);
      else if (wouldLoseTooMuch(run.plan, run.lost, run.stake)) this.stop("loss");
      else this.#rest(run, (now.meters.win ?? 0) > 0 ? REST_AFTER_WIN_MS : REST_MS);
    } else if (run.step === "begins") this.#rest(run, 0);
  }

  #show({ plan, left, lost }: Run): void {
    const lossLeft = plan.lossReaches === undefined ? undefined : Math.max(0, plan.lossReaches - lost);
    this.#setState({ on: true, left, total: plan.games, lossLeft });
  }

  #setPlayable(playable: boolean): void {
    if (playable) {
      this.#stopUnplayable?.();
      this.#stopUnplayable = undefined;
    } else this.#stopUnplayable ??= this.#timers.after(UNPLAYABLE_MS_MAX, () => this.stop("link"));
  }

  #rest(run: Run, ms: number): void {
    run.step = "rests";
    this.#stopRest();
    this.#stopRest = this.#timers.after(Math.max(ms, this.#panel.readyInMs()), () => this.#pressSpin(run));
  }

  #pressSpin(run: Run): void {
    // A browser's timer may end a fraction of a millisecond before its clock says so.
    if (this.#panel.readyInMs() > 0) {
      this.#rest(run, 0);
      return;
    }
    run.step = "plays";
    const { meters } = this.#play.getState();
    run.gamesBefore = meters?.gamesPlayed ?? 0;
    run.creditBefore = meters?.credit ?? run.creditBefore;
    if (run.left !== undefined) run.left -= 1;
    const pressed = this.#panel.spin(true);
    if (this.#run !== run) return;
    if (pressed === "sent") this.#show(run);
    else this.stop(pressed === "noCredit" ? "noCredit" : "refused");
  }
}

type Now = Pick<PlayState, "phase" | "online" | "agentAway" | "limits" | "rules" | "check" | "meters">;

/** What ends autoplay at once, whatever the reels do. `stake`: what the player agreed to stake, minor units. */
function endsNow(now: Now, plan: AutoplayPlan, stake: number): AutoplayEnd | undefined {
  const { phase, online, agentAway, limits, rules, check, meters } = now;
  if (phase !== "playing") return "leaving";
  if (limits?.autoplay === false || rules?.autoplay === false) return "forbidden";
  if (check.state !== "none") return "check";
  if (!online || agentAway || meters === undefined) return "link";
  if (meters.handPay !== undefined) return "handPay";
  if (meters.lockup !== undefined) return "locked";
  // The machine does not report whether a bonus runs or waits for a choice, and the choice is the player's.
  if (meters.bonus) return "bonus";
  if ((meters.freeSpins ?? 0) > 0 && plan.atFreeSpins) return "freeSpins";
  return meters.bet === stake ? undefined : "stake";
}

/** The progress of a run. `left`: games still to play. `lost`: since it began, minor units; below zero: won. */
type RunNow = { readonly left: number | undefined; readonly lost: number };

/** What ends autoplay now that a game is complete; undefined: nothing. */
function endsAfterGame(
  { win, credit }: { readonly win?: number | undefined; readonly credit: number },
  { lossReaches, winAbove, creditBelow, creditAbove }: AutoplayPlan,
  { left, lost }: RunNow,
): AutoplayEnd | undefined {
  // A win that the machine does not say may be above the limit.
  if (winAbove !== undefined && (win === undefined || win > winAbove)) return "win";
  if (lossReaches !== undefined && lost >= lossReaches) return "loss";
  if (creditBelow !== undefined && credit < creditBelow) return "credit";
  if (creditAbove !== undefined && credit > creditAbove) return "creditAbove";
  return left === 0 ? "done" : undefined;
}

/** Whether the next stake could go beyond what the player agreed to lose. */
const wouldLoseTooMuch = ({ lossReaches }: AutoplayPlan, lost: number, stake: number): boolean =>
  lossReaches !== undefined && lost + stake > lossReaches;
