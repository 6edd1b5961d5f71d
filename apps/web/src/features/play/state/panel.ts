import type { PressReason } from "@longarm/contract/data-channel";
import type { Band, Button, LockupRefusal, Meters } from "@longarm/contract/machine";
import { isLockupRefusal } from "@longarm/contract/machine";
import type { Stop, Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { PlayState, PressNote } from "./play-state.ts";
import { isStakeAbove, lockupOf, mayPress } from "./play-state.ts";
import type { PressResult, PressSender } from "./press-sender.ts";

/** SPIN as the player feels it. `turning` from the press to the end of the game; `queued`: one more game was requested. */
export type Reels = {
  readonly turning: boolean;
  readonly queued: boolean;
  /** The game is over, and the rules let the next one begin only after this; undefined: now. */
  readonly cycle: Cycle | undefined;
};

/** What is left of the least time from game to game when the reels have stopped, and all of it, ms. */
export type Cycle = { readonly leftMs: number; readonly wholeMs: number };

/** What a press on a button did, for the button to show in the same frame. `stopped`: SPIN stopped autoplay; `locked`: the machine accepts no press. */
export type Pressed = "sent" | "queued" | "noCredit" | "stopped" | "locked" | "idle";

/** One press that was answered, or was not. Times are ms of the page's clock. */
export type PressOutcome = PressResult & { readonly button: string; readonly pressedAt: number };

export type PanelDeps = {
  readonly timers: Timers;
  /** Ms of the page's clock. */
  readonly now: () => number;
  /** Minimum time between two presses of SPIN, ms (`throttleMs` of the settings). */
  readonly throttleMs: number;
};

/** A game without a reported end counts as over after this time, ms: no meters arrive while the agent is away. */
const UNREPORTED_GAME_MS = 8_000;

type Game = {
  readonly pressedAt: number;
  readonly gamesBefore: number;
  phase: "requested" | "started";
  startedAt: number;
};

/** The wager button that was pressed for the next game, and the stake that the player saw, minor units; undefined: the machine says none. */
type Queued = { readonly wager: Button; readonly stake: number | undefined };

/** A machine that does not say its stake refuses by itself what the credit does not cover. */
const hasStake = ({ credit, bet = 1, freeSpins = 0 }: Meters): boolean => credit >= bet || freeSpins > 0;

/** The buttons of the machine's panel: whether the player may press now, what a press does, and when the reels turn. */
export class Panel {
  readonly reels: Live<Reels>;
  /** The last press that went wrong, until the player has read it. */
  readonly note: Live<PressNote | undefined>;
  readonly #note = createStore<PressNote | undefined>(() => undefined);
  readonly #setReels: (reels: Reels) => void;
  readonly #deps: PanelDeps;
  readonly #play: Live<PlayState>;
  readonly #sender: Pick<PressSender, "press">;
  readonly #settled: (press: PressOutcome) => void;
  readonly #lastPress = new Map<string, number>();
  #game: Game | undefined;
  #queued: Queued | undefined;
  #stopWait: Stop = () => {};
  /** Since when the last game ran, while the rules keep the next one from beginning. */
  #cycle: Cycle | undefined;
  #cycleEndsAt = 0;
  #stopCycle: Stop = () => {};

  /** `settled` receives the outcome of every press. */
  constructor(
    deps: PanelDeps,
    play: Live<PlayState>,
    sender: Pick<PressSender, "press">,
    settled: (press: PressOutcome) => void,
  ) {
    this.#deps = deps;
    this.#play = play;
    this.note = this.#note;
    this.#sender = sender;
    this.#settled = settled;
    const reels = createStore<Reels>(() => ({ turning: false, queued: false, cycle: undefined }));
    this.reels = reels;
    this.#setReels = (next) => {
      const { turning, queued, cycle } = reels.getState();
      if (turning !== next.turning || queued !== next.queued || cycle !== next.cycle) reels.setState(next, true);
    };
  }

  /** The link was lost, or the seat was taken (again): a queued press must not come as a surprise later. */
  forget(): void {
    this.#stopWait();
    this.#endCycle();
    this.#game = undefined;
    this.#queued = undefined;
    this.#show();
  }

  /** The player does not see the game, or is moving money or leaving: drops the queued press. */
  unqueue(): void {
    this.#queued = undefined;
    this.#show();
  }

  /** The play state has newer meters. Only they end a game that started. */
  metersChanged(): void {
    this.#look();
  }

  /** Shows the player why a press did nothing, unless the machine's video shows it. */
  explain(press: PressOutcome): void {
    const note = noteOf(press);
    if (note !== undefined) this.#note.setState(note, true);
  }

  clearNote(): void {
    this.#note.setState(undefined, true);
  }

  /** Ms until SPIN may be pressed again. */
  readyInMs(): number {
    const wager = this.#wagerButton();
    const last = wager && this.#lastPress.get(wager.id);
    const gapEndsAt = wager === undefined || last === undefined ? 0 : last + this.#gapOf(wager);
    return Math.max(0, Math.max(gapEndsAt, this.#cycleEndsAt) - this.#deps.now());
  }

  /** Presses SPIN. While the reels turn one press is queued for the next game; in a bonus it is the player's choice. `auto`: the page presses by itself. */
  spin(auto = false): Pressed {
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) return obstacle;
    const wager = this.#wagerButton();
    return wager === undefined ? "idle" : this.#playGame(wager, auto);
  }

  #playGame(wager: Button, auto = false): Pressed {
    const now = this.#play.getState();
    const { meters, rules, check } = now;
    if (meters === undefined || this.#isTooSoon(wager.id, this.#gapOf(wager))) return "idle";
    if (meters.bonus) return this.#send(wager, meters.bet);
    // The agent would refuse it: the page says why, or shows it already.
    if (check.state !== "none" || this.#cycle !== undefined) return "idle";
    if (isStakeAbove(now)) {
      this.#note.setState("stakeAbove", true);
      return "locked";
    }
    if (this.#turning()) {
      // Where a rule wants each game begun by itself, nothing is requested in advance.
      if (this.#queued !== undefined || rules?.releaseToPress === true || (rules?.minCycleMs ?? 0) > 0) return "idle";
      this.#remember(wager.id);
      this.#queued = { wager, stake: meters.bet };
      this.#show();
      return "queued";
    }
    if (!hasStake(meters)) return "noCredit";
    this.#remember(wager.id);
    this.#wager(wager, meters, auto);
    return "sent";
  }

  /** Presses any other button: bet, band, service. While the reels turn only a stop is accepted, as on the machine. */
  press(id: string): Pressed {
    const button = this.#play.getState().buttons.find((each) => each.id === id);
    // A locked machine still accepts a call.
    const obstacle = button?.kind === "service" ? undefined : this.#obstacle();
    if (obstacle !== undefined) return obstacle;
    if (button === undefined) return "idle";
    if (button.kind === "wager") return this.#playGame(button);
    if (button.kind === "select" && (button.id === STOP) !== this.#turning()) return "idle";
    return this.#isTooSoon(id, button.minGapMs) ? "idle" : this.#send(button);
  }

  /** Why nothing may be pressed now; a lockup is noted for the player. */
  #obstacle(): "locked" | "idle" | undefined {
    const now = this.#play.getState();
    if (now.meters !== undefined && lockupOf(now.meters) !== undefined) {
      this.#note.setState("locked", true);
      return "locked";
    }
    return mayPress(now) ? undefined : "idle";
  }

  /** A press that starts no game. */
  #send({ id }: Button, stake?: number): Pressed {
    this.#remember(id);
    const pressedAt = this.#deps.now();
    void this.#sender
      .press({ button: id, pressedAt, ...(stake !== undefined && { stake }) })
      .then((result) => this.#settled({ ...result, button: id, pressedAt }));
    return "sent";
  }

  #wager(wager: Button, meters: Meters, auto = false): void {
    const pressedAt = this.#deps.now();
    const game: Game = { pressedAt, gamesBefore: meters.gamesPlayed, phase: "requested", startedAt: pressedAt };
    this.#game = game;
    this.#show();
    const stake = meters.bet;
    const wish = { button: wager.id, pressedAt, ...(stake !== undefined && { stake }), ...(auto && { auto }) };
    void this.#sender.press(wish).then((result) => {
      this.#settled({ ...result, button: wager.id, pressedAt });
      if (this.#game === game) this.#gameAnswered(game, result);
    });
  }

  #gameAnswered(game: Game, { outcome }: PressResult): void {
    // An unconfirmed press may have started a game: the meters decide, and nothing is pressed until then.
    if (outcome === "started" || outcome === "unconfirmed") {
      game.phase = "started";
      game.startedAt = this.#deps.now();
    } else this.#game = undefined;
    // The player does not know of the refusal yet: the next game needs a new press.
    if (outcome !== "started" && outcome !== "unknown") this.#queued = undefined;
    this.#look();
  }

  /** Whether the game is over, and what comes next. */
  #look(): void {
    this.#stopWait();
    const { meters, limits } = this.#play.getState();
    const game = this.#game;
    if (game?.phase === "started") {
      const over = meters !== undefined && !meters.inGame && meters.gamesPlayed > game.gamesBefore;
      const minCycleMs = limits?.minCycleMs ?? 0;
      const endsAt = game.startedAt + (over ? minCycleMs : Math.max(UNREPORTED_GAME_MS, minCycleMs));
      const leftMs = endsAt - this.#deps.now();
      if (leftMs > 0) {
        this.#stopWait = this.#deps.timers.after(leftMs, () => this.#look());
        this.#show();
        return;
      }
      this.#game = undefined;
      this.#beginCycle(game);
    }
    if (this.#queued !== undefined && !this.#turning()) this.#playQueued(this.#queued, meters);
    this.#show();
  }

  /** The reels have stopped: what is left of the rules' least time runs as a ring around SPIN. */
  #beginCycle({ startedAt }: Game): void {
    const wholeMs = this.#play.getState().rules?.minCycleMs ?? 0;
    const leftMs = startedAt + wholeMs - this.#deps.now();
    if (leftMs <= 0) return;
    this.#endCycle();
    this.#cycle = { leftMs, wholeMs };
    this.#cycleEndsAt = startedAt + wholeMs;
    this.#stopCycle = this.#deps.timers.after(leftMs, () => {
      this.#endCycle();
      this.#show();
    });
  }

  #endCycle(): void {
    this.#stopCycle();
    this.#cycle = undefined;
    this.#cycleEndsAt = 0;
  }

  /** Plays only the game that was requested: no choice in a bonus, no other stake, nothing on a locked machine. */
  #playQueued({ wager, stake }: Queued, meters: Meters | undefined): void {
    this.#queued = undefined;
    if (meters === undefined || meters.bonus || lockupOf(meters) !== undefined) return;
    if (meters.bet === stake && hasStake(meters)) this.#wager(wager, meters);
  }

  #wagerButton(): Button | undefined {
    return this.#play.getState().buttons.find(({ kind }) => kind === "wager");
  }

  /** The settings' minimum gap is a floor for the buttons that cost money (decision D-40). */
  #gapOf({ minGapMs }: Button): number {
    return Math.max(this.#deps.throttleMs, minGapMs);
  }

  #turning(): boolean {
    return this.#game !== undefined || this.#play.getState().meters?.inGame === true;
  }

  #show(): void {
    this.#setReels({ turning: this.#turning(), queued: this.#queued !== undefined, cycle: this.#cycle });
  }

  #remember(id: string): void {
    this.#lastPress.set(id, this.#deps.now());
  }

  #isTooSoon(id: string, gapMs: number): boolean {
    const last = this.#lastPress.get(id);
    return last !== undefined && this.#deps.now() - last < gapMs;
  }
}

/** What the player reads of a press by its outcome. `byReason`: the agent gives a reason. */
const NOTE_OF_OUTCOME = {
  started: undefined,
  done: undefined,
  ignored: undefined,
  unknown: "pressUnknown",
  unconfirmed: "pressUnknown",
  changed: "stakeChanged",
  refused: "byReason",
  late: "byReason",
  stale: "byReason",
} as const satisfies Record<PressOutcome["outcome"], PressNote | "byReason" | undefined>;

/** Undefined where the player sees the reason on the machine a moment later. Every lockup is `locked`. */
const NOTE_OF_REASON = {
  locked: "locked",
  inGame: undefined,
  noCredit: "noCredit",
  stakeAboveLimit: "stakeAbove",
  stakeChanged: "stakeChanged",
  atLimit: "pressRefused",
  "too soon": undefined,
  "unknown button": "pressRefused",
  malformed: "pressRefused",
  "stale epoch": "pressRefused",
  "seat not granted": "pressRefused",
  "lease expired": "pressRefused",
  "transfer in progress": "pressRefused",
  "too many presses": undefined,
  "a wager needs the stake that was seen": "pressRefused",
  "the agent cannot keep records now": "pressRefused",
  "too many events wait for the platform": "pressRefused",
  "no autoplay": "noAutoplay",
  "picture too old": "unseen",
  "play not recorded": "unrecorded",
  "reality check": "checkHolds",
  "limit reached": "limitHolds",
  "stake was above": "stakeHolds",
  break: "breakHolds",
  "turn over": "turnHolds",
  "not sent": undefined,
  other: "pressRefused",
} as const satisfies Record<Exclude<PressReason, LockupRefusal>, PressNote | undefined>;

/** What the player reads of a press; undefined when the machine's video shows it. */
function noteOf({ outcome, reason = "other" }: PressOutcome): PressNote | undefined {
  const note = NOTE_OF_OUTCOME[outcome];
  if (note !== "byReason") return note;
  return isLockupRefusal(reason) ? "locked" : NOTE_OF_REASON[reason];
}

/** The buttons of a machine's panel by what the page draws for them; a button without a place of its own is drawn by its label. */
export type PanelButtons = {
  /** SPIN: the first button that starts a game. */
  readonly wager: Button | undefined;
  readonly less: Button | undefined;
  readonly more: Button | undefined;
  readonly max: Button | undefined;
  /** The button of a band, by the band's id. */
  readonly bands: ReadonlyMap<string, Button>;
  /** What else the machine has (collect, stop, lines, a second wager button), in the machine's order. */
  readonly others: readonly Button[];
  /** Buttons that call for something and play nothing; the side bar draws them. */
  readonly services: readonly Button[];
};

/** Buttons whose meaning is in their id (contract.md section 3). */
const LESS = "betDown";
const MORE = "betUp";
const MAX = "maxBet";
/** Stops the reels: the one selection that the machine accepts while they turn. */
export const STOP = "stop";

/** Sorts the buttons that a machine reports, so that no machine needs code of its own. */
export function sortButtons(buttons: readonly Button[], bands: readonly Band[]): PanelButtons {
  const byId = new Map(buttons.map((button) => [button.id, button]));
  const wager = buttons.find(({ kind }) => kind === "wager");
  const select = (id: string): Button | undefined => {
    const button = byId.get(id);
    return button?.kind === "select" ? button : undefined;
  };
  const bandButtons = new Map<string, Button>();
  for (const { id } of bands) {
    const button = select(`band:${id}`);
    if (button !== undefined) bandButtons.set(id, button);
  }
  const [less, more, max] = [select(LESS), select(MORE), select(MAX)];
  const placed = new Set([wager, less, more, max, ...bandButtons.values()]);
  return {
    wager,
    less,
    more,
    max,
    bands: bandButtons,
    others: buttons.filter((button) => button.kind !== "service" && !placed.has(button)),
    services: buttons.filter(({ kind }) => kind === "service"),
  };
}
