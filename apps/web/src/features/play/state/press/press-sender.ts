import type { Press } from "@longarm/contract/data-channel";
import { PRESS_GIVE_UP_MS, PRESS_REPEAT_MS, PressAnswer } from "@longarm/contract/data-channel";
import type { Answer } from "@longarm/link/answer";
import type { Stop, Timers } from "@longarm/link/socket";

/** A press as the player made it. */
export type PressWish = {
  readonly button: string;
  /** The stake on the screen, minor units; goes with every wager. */
  readonly stake?: number;
  /** Ms of the page's clock. */
  readonly pressedAt: number;
};

/** What became of a press. `unknown`: no answer came; the meters tell. */
export type PressResult = {
  readonly outcome: PressAnswer["outcome"] | "unknown";
  /** When the machine took it, on the agent's clock. */
  readonly at?: number | undefined;
  readonly reason?: string | undefined;
};

export type PressSenderDeps = {
  readonly timers: Timers;
  /** A moment of the page on the agent's clock. */
  readonly toAgent: (pageMs: number) => number;
  /** Sends over the `press` channel; false while it is not open. */
  readonly channel: (frame: string) => boolean;
  /** Asks over the game socket, for as long as the channel is not open. */
  readonly socket: (press: Press) => Promise<Answer<PressAnswer>>;
};

/** Presses that may wait for the one under way; more are a stuck key. */
const WAITING_MAX = 6;
const UNKNOWN: PressResult = { outcome: "unknown" };

type Waiting = { readonly wish: PressWish; readonly settle: (result: PressResult) => void };
type UnderWay = Waiting & { readonly press: Press; overSocket: boolean; readonly stops: Stop[] };

/**
 * Brings presses to the agent, one at a time: two under way could overtake each other on an unordered channel, and the agent refuses
 * the earlier then. Each is repeated under its number until it is answered, so it counts at most once however often it arrives.
 */
export class PressSender {
  readonly #deps: PressSenderDeps;
  #epoch: number | undefined;
  #seq = 0;
  #underWay: UnderWay | undefined;
  #waiting: Waiting[] = [];

  constructor(deps: PressSenderDeps) {
    this.#deps = deps;
  }

  /** The seat was taken (again): numbers start anew, and what was under way is not learned any more. */
  begin(epoch: number): void {
    this.end();
    this.#epoch = epoch;
    this.#seq = 0;
  }

  /** Everything open becomes unknown; nothing can be pressed until `begin`. */
  end(): void {
    this.#epoch = undefined;
    const open = [this.#underWay, ...this.#waiting];
    this.#stopTimers();
    this.#underWay = undefined;
    this.#waiting = [];
    for (const each of open) each?.settle(UNKNOWN);
  }

  press(wish: PressWish): Promise<PressResult> {
    if (this.#epoch === undefined || this.#waiting.length >= WAITING_MAX)
      return Promise.resolve({ outcome: "ignored", reason: "not sent" });
    return new Promise((settle) => {
      this.#waiting.push({ wish, settle });
      this.#next();
    });
  }

  /** One frame of the `press` channel; late, doubled and foreign answers are dropped. */
  heard(frame: string): void {
    const answer = readAnswer(frame);
    if (answer !== undefined && answer.seq === this.#underWay?.press.seq) this.#settle(answer);
  }

  #next(): void {
    if (this.#underWay !== undefined || this.#epoch === undefined) return;
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#seq += 1;
    const { button, stake, pressedAt } = waiting.wish;
    const at = this.#deps.toAgent(pressedAt);
    const press: Press = { epoch: this.#epoch, seq: this.#seq, button, at, ...(stake !== undefined && { stake }) };
    const underWay: UnderWay = { ...waiting, press, overSocket: false, stops: [] };
    this.#underWay = underWay;
    for (const delayMs of PRESS_REPEAT_MS)
      underWay.stops.push(this.#deps.timers.after(delayMs, () => this.#send(underWay)));
    underWay.stops.push(this.#deps.timers.after(PRESS_GIVE_UP_MS, () => this.#giveUp(underWay)));
    this.#send(underWay);
  }

  #send(underWay: UnderWay): void {
    if (underWay !== this.#underWay || this.#deps.channel(JSON.stringify(underWay.press))) return;
    if (underWay.overSocket) return;
    underWay.overSocket = true;
    void this.#deps.socket(underWay.press).then((answer) => {
      if (underWay === this.#underWay) this.#settle(resultOf(answer));
    });
  }

  /** The socket has a deadline of its own. */
  #giveUp(underWay: UnderWay): void {
    if (underWay === this.#underWay && !underWay.overSocket) this.#settle(UNKNOWN);
  }

  #settle(result: PressResult): void {
    const settled = this.#underWay;
    this.#stopTimers();
    this.#underWay = undefined;
    settled?.settle(result);
    this.#next();
  }

  #stopTimers(): void {
    for (const stop of this.#underWay?.stops ?? []) stop();
  }
}

function resultOf(answer: Answer<PressAnswer>): PressResult {
  if (answer.is === "done") return answer.data;
  return answer.is === "refused" ? { outcome: "refused", reason: answer.refusal.reason } : UNKNOWN;
}

function readAnswer(frame: string): PressAnswer | undefined {
  try {
    const parsed = PressAnswer.safeParse(JSON.parse(frame));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
