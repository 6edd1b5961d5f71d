import type { Button, MachineLimits, Meters } from "@longarm/contract/machine";
import type { Stop, Timers } from "@longarm/link/socket";
import { createStore } from "zustand/vanilla";
import type { Live } from "../../../../shared/live/live.ts";
import { lockupOf } from "../machine/lockup.ts";
import { STOP } from "./panel-keys.ts";
import type { PressResult, PressWish } from "./press-sender.ts";

/** SPIN as the player feels it. `turning` from the press to the end of the game; `queued`: one more game is asked for. */
export type Reels = { readonly turning: boolean; readonly queued: boolean };

/** What a press on a key did, for the key to answer in the same frame. `stopped`: SPIN stopped autoplay; `locked`: the machine takes none. */
export type Pressed = "sent" | "queued" | "noCredit" | "stopped" | "locked" | "idle";

/** One press that was answered, or was not. Times are ms of the page's clock. */
export type PressTold = PressResult & { readonly button: string; readonly pressedAt: number };

export type PanelDeps = {
  readonly timers: Timers;
  /** Ms of the page's clock. */
  readonly now: () => number;
  readonly send: (wish: PressWish) => Promise<PressResult>;
  /** Least time between two presses of SPIN, ms (`throttleMs` of the settings). */
  readonly throttleMs: number;
  readonly told: (press: PressTold) => void;
};

/** A game whose end nobody told is taken for over after this time, ms: the meters do not come while the agent is away. */
const UNTOLD_GAME_MS = 8_000;

type Game = { readonly pressedAt: number; readonly gamesBefore: number; phase: "asked" | "started"; startedAt: number };

/** The wager key that was pressed for the next game, and the stake that the player saw, minor units. */
type Queued = { readonly wager: Button; readonly stake: number };

const hasStake = ({ credit, bet, freeSpins }: Meters): boolean => credit >= bet || freeSpins > 0;

/** The keys of the machine's panel: what may be pressed now, and when the reels turn. */
export class Panel {
  readonly reels: Live<Reels>;
  readonly #setReels: (reels: Reels) => void;
  readonly #deps: PanelDeps;
  readonly #lastPress = new Map<string, number>();
  #buttons: readonly Button[] = [];
  #minCycleMs = 0;
  #meters: Meters | undefined;
  #game: Game | undefined;
  #queued: Queued | undefined;
  #stopWait: Stop = () => {};

  constructor(deps: PanelDeps) {
    this.#deps = deps;
    const reels = createStore<Reels>(() => ({ turning: false, queued: false }));
    this.reels = reels;
    this.#setReels = (next) => {
      const { turning, queued } = reels.getState();
      if (turning !== next.turning || queued !== next.queued) reels.setState(next, true);
    };
  }

  /** The seat was taken (again). */
  begin(buttons: readonly Button[], limits: MachineLimits | undefined): void {
    this.#buttons = buttons;
    this.#minCycleMs = limits?.minCycleMs ?? 0;
    this.forget();
  }

  /** The link was lost: what was queued is not pressed by surprise later. */
  forget(): void {
    this.#stopWait();
    this.#game = undefined;
    this.#queued = undefined;
    this.#show();
  }

  /** The player does not see the game, or has turned to the money or the door: what was queued is not pressed. */
  unqueue(): void {
    this.#queued = undefined;
    this.#show();
  }

  /** The machine's meters as just told. They alone end a game that started. */
  heard(meters: Meters): void {
    this.#meters = meters;
    this.#look();
  }

  /** Ms until SPIN may be pressed again. */
  readyInMs(): number {
    const wager = this.#wagerKey();
    const last = wager && this.#lastPress.get(wager.id);
    return wager === undefined || last === undefined ? 0 : Math.max(0, last + this.#gapOf(wager) - this.#deps.now());
  }

  /** Presses SPIN. While the reels turn the press is kept, once, for the next game; in a bonus it is the player's choice. */
  spin(): Pressed {
    const wager = this.#wagerKey();
    return wager === undefined ? "idle" : this.#play(wager);
  }

  #play(wager: Button): Pressed {
    const meters = this.#meters;
    if (meters === undefined || this.#tooSoon(wager.id, this.#gapOf(wager))) return "idle";
    if (meters.bonus) return this.#send(wager, meters.bet);
    if (this.#turning()) {
      if (this.#queued !== undefined) return "idle";
      this.#note(wager.id);
      this.#queued = { wager, stake: meters.bet };
      this.#show();
      return "queued";
    }
    if (!hasStake(meters)) return "noCredit";
    this.#note(wager.id);
    this.#wager(wager, meters);
    return "sent";
  }

  /** Presses any other key: bet, band, service. None but a stop is taken while the reels turn, as on the machine. */
  press(id: string): Pressed {
    const button = this.#buttons.find((each) => each.id === id);
    if (button === undefined) return "idle";
    if (button.kind === "wager") return this.#play(button);
    if (button.kind === "select" && (button.id === STOP) !== this.#turning()) return "idle";
    return this.#tooSoon(id, button.minGapMs) ? "idle" : this.#send(button);
  }

  /** A press that starts no game. */
  #send({ id }: Button, stake?: number): Pressed {
    this.#note(id);
    const pressedAt = this.#deps.now();
    void this.#deps
      .send({ button: id, pressedAt, ...(stake !== undefined && { stake }) })
      .then((result) => this.#deps.told({ ...result, button: id, pressedAt }));
    return "sent";
  }

  #wager(wager: Button, meters: Meters): void {
    const pressedAt = this.#deps.now();
    const game: Game = { pressedAt, gamesBefore: meters.gamesPlayed, phase: "asked", startedAt: pressedAt };
    this.#game = game;
    this.#show();
    void this.#deps.send({ button: wager.id, stake: meters.bet, pressedAt }).then((result) => {
      this.#deps.told({ ...result, button: wager.id, pressedAt });
      if (this.#game === game) this.#answered(game, result);
    });
  }

  #answered(game: Game, { outcome }: PressResult): void {
    if (outcome === "started") {
      game.phase = "started";
      game.startedAt = this.#deps.now();
    } else this.#game = undefined;
    // A refusal is news to the player: the next game is theirs to ask for again.
    if (outcome !== "started" && outcome !== "unknown") this.#queued = undefined;
    this.#look();
  }

  /** Whether the game is over, and what comes next. */
  #look(): void {
    this.#stopWait();
    const game = this.#game;
    if (game?.phase === "started") {
      const over = this.#meters !== undefined && !this.#meters.inGame && this.#meters.gamesPlayed > game.gamesBefore;
      const endsAt = game.startedAt + (over ? this.#minCycleMs : Math.max(UNTOLD_GAME_MS, this.#minCycleMs));
      const leftMs = endsAt - this.#deps.now();
      if (leftMs > 0) {
        this.#stopWait = this.#deps.timers.after(leftMs, () => this.#look());
        this.#show();
        return;
      }
      this.#game = undefined;
    }
    if (this.#queued !== undefined && !this.#turning()) this.#playQueued(this.#queued, this.#meters);
    this.#show();
  }

  /** Only the game that was asked for: no choice in a bonus, no other stake, nothing at a machine that is locked. */
  #playQueued({ wager, stake }: Queued, meters: Meters | undefined): void {
    this.#queued = undefined;
    if (meters === undefined || meters.bonus || lockupOf(meters) !== undefined) return;
    if (meters.bet === stake && hasStake(meters)) this.#wager(wager, meters);
  }

  #wagerKey(): Button | undefined {
    return this.#buttons.find(({ kind }) => kind === "wager");
  }

  /** The settings' least gap is a floor for the keys that cost money (decision D-40). */
  #gapOf({ minGapMs }: Button): number {
    return Math.max(this.#deps.throttleMs, minGapMs);
  }

  #turning(): boolean {
    return this.#game !== undefined || this.#meters?.inGame === true;
  }

  #show(): void {
    this.#setReels({ turning: this.#turning(), queued: this.#queued !== undefined });
  }

  #note(id: string): void {
    this.#lastPress.set(id, this.#deps.now());
  }

  #tooSoon(id: string, gapMs: number): boolean {
    const last = this.#lastPress.get(id);
    return last !== undefined && this.#deps.now() - last < gapMs;
  }
}
