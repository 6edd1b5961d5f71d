import type { Random } from "@longarm/reels/game/random";
import type { Clock } from "./sas/link-layer.ts";
import type { Unit } from "./sas/nine-bit.ts";

/** Damage of one direction of the line: characters of a thousand that are lost, changed in one bit, doubled or late. */
export type LineFaults = {
  readonly drop: number;
  readonly flip: number;
  readonly double: number;
  readonly late: number;
  /** How late, ms. */
  readonly lateMs: number;
  /** A front end or an adapter that loses the ninth bit, or sets it on every character. */
  readonly wakeup: "kept" | "lost" | "stuck";
  /** With the wrong speed each character is a framing error at the other end. */
  readonly speed: "right" | "wrong";
};
export const WHOLE_LINE: LineFaults = {
  ...{ drop: 0, flip: 0, double: 0, late: 0, lateMs: 20, wakeup: "kept", speed: "right" },
};

const THOUSAND = 1_000;
const GAP_MAX = 127;
const FRAMING_ERROR = 1;

/** One direction of the line. What is late is announced by a gap, as a front end does, and everything behind it waits. */
export class DamagedLine {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #deliver: (units: readonly Unit[]) => void;
  #waiting: Unit[] = [];
  faults: LineFaults = WHOLE_LINE;

  constructor(clock: Clock, random: Random, deliver: (units: readonly Unit[]) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#deliver = deliver;
  }

  send(units: readonly Unit[]): void {
    const free = this.#waiting.length === 0;
    this.#waiting.push(...units.flatMap((unit) => this.#damage(unit)));
    if (free) this.#flush();
  }
  #happens(ofThousand: number): boolean {
    return ofThousand > 0 && this.#random.whole(THOUSAND) < ofThousand;
  }
  #damage(unit: Unit): Unit[] {
    if (unit.is !== "character") return [unit];
    if (this.#happens(this.faults.drop)) return [];
    if (this.faults.speed === "wrong") return [{ is: "receiveError", kind: FRAMING_ERROR }];
    const flipped = this.#happens(this.faults.flip);
    const wakeup = { kept: unit.wakeup, lost: false, stuck: true }[this.faults.wakeup];
    const one = { ...unit, wakeup, byte: flipped ? unit.byte ^ (1 << this.#random.whole(8)) : unit.byte };
    return this.#happens(this.faults.double) ? [one, one] : [one];
  }
  #flush(): void {
    const ready: Unit[] = [];
    while (this.#waiting.length > 0) {
      const [unit] = this.#waiting;
      if (unit?.is === "character" && this.#happens(this.faults.late)) {
        if (ready.length > 0) this.#deliver(ready);
        this.#clock.after(this.faults.lateMs, () => {
          this.#waiting.shift();
          this.#deliver([{ is: "gap", ms: Math.min(GAP_MAX, this.faults.lateMs) }, unit]);
          this.#flush();
        });
        return;
      }
      if (unit !== undefined) ready.push(unit);
      this.#waiting.shift();
    }
    if (ready.length > 0) this.#deliver(ready);
  }
}
