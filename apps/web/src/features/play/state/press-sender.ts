import type { Press, PressReason } from "@longarm/contract/data-channel";
import { PRESS_GIVE_UP_MS, PRESS_REPEAT_MS, PressAnswer } from "@longarm/contract/data-channel";
import type { Answer } from "@longarm/link/answer";
import type { Stop, Timers } from "@longarm/link/socket";
import type { GameLink } from "./game-link.ts";
import type { MediaLink } from "./media/media-link.ts";

/** A press as the player made it. */
export type PressWish = {
  readonly button: string;
  /** The stake on the screen, minor units; goes with every wager. */
  readonly stake?: number;
  /** The page pressed by itself. */
  readonly auto?: boolean;
  /** Ms of the page's clock. */
  readonly pressedAt: number;
};

/** What became of a press. `unknown`: no answer arrived; the meters will show it. */
export type PressResult = {
  readonly outcome: PressAnswer["outcome"] | "unknown";
  /** When the machine received it, on the agent's clock. */
  readonly at?: number | undefined;
  readonly reason?: PressReason | undefined;
};

/** Presses that may wait for the one under way; more come from a stuck key. */
const WAITING_MAX = 6;
const UNKNOWN: PressResult = { outcome: "unknown" };

type Waiting = { readonly wish: PressWish; readonly settle: (result: PressResult) => void };
type UnderWay = Waiting & { readonly press: Press; overSocket: boolean; readonly stops: Stop[] };

/**
 * Sends presses to the agent, one at a time: two under way could overtake each other on an unordered channel, and the agent would refuse
 * the earlier one. Each is repeated under its number until it is answered, so it counts at most once however often it arrives.
 */
export class PressSender {
  readonly #timers: Timers;
  readonly #media: Pick<MediaLink, "channels" | "clock">;
  readonly #game: Pick<GameLink, "request">;
  #epoch: number | undefined;
  #seq = 0;
  #underWay: UnderWay | undefined;
  #waiting: Waiting[] = [];

  constructor(timers: Timers, media: Pick<MediaLink, "channels" | "clock">, game: Pick<GameLink, "request">) {
    this.#timers = timers;
    this.#media = media;
    this.#game = game;
  }

  /** The seat was taken (again): numbers start anew, and the outcome of a press under way stays unknown. */
  begin(epoch: number): void {
    this.end();
    this.#epoch = epoch;
    this.#seq = 0;
  }

  /** Every open press becomes unknown; nothing can be pressed until `begin`. */
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

  /** One frame of the `press` channel; late, repeated and foreign answers are dropped. */
  receive(frame: string): void {
    const answer = readAnswer(frame);
    if (answer !== undefined && answer.seq === this.#underWay?.press.seq) this.#settle(answer);
  }

  #next(): void {
    if (this.#underWay !== undefined || this.#epoch === undefined) return;
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#seq += 1;
    const { button, stake, pressedAt, auto } = waiting.wish;
    const at = this.#media.clock.toAgent(pressedAt);
    const press: Press = {
      ...{ epoch: this.#epoch, seq: this.#seq, button, at },
      ...(stake !== undefined && { stake }),
      ...(auto === true && { auto }),
    };
    const underWay: UnderWay = { ...waiting, press, overSocket: false, stops: [] };
    this.#underWay = underWay;
    for (const delayMs of PRESS_REPEAT_MS) underWay.stops.push(this.#timers.after(delayMs, () => this.#send(underWay)));
    underWay.stops.push(this.#timers.after(PRESS_GIVE_UP_MS, () => this.#giveUp(underWay)));
    this.#send(underWay);
  }

  /** Over the data channel, or by the platform while that is not open. */
  #send(underWay: UnderWay): void {
    if (underWay !== this.#underWay) return;
    if (this.#media.channels?.send("press", JSON.stringify(underWay.press)) === true || underWay.overSocket) return;
    underWay.overSocket = true;
    void this.#game.request("press", underWay.press).then((answer) => {
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
  return answer.is === "refused" ? { outcome: "refused", reason: "other" } : UNKNOWN;
}

function readAnswer(frame: string): PressAnswer | undefined {
  try {
    const parsed = PressAnswer.safeParse(JSON.parse(frame));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
