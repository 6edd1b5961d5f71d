import type { OwnLimit, OwnLimits } from "@longarm/contract/player-limits";
import type { LimitSubject } from "@longarm/contract/player-protection";
import { LimitSubject as Subjects } from "@longarm/contract/player-protection";
import type { Script } from "./answers.ts";
import { ok, refused } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";

const HOUR_MS = 3_600_000;

/** `[used, limit]`, minor units or minutes. */
type Figures = Readonly<Partial<Record<LimitSubject, readonly [number, number]>>>;

const FIGURES: Figures = {
  "loss.day": [61_550, 200_000],
  "loss.week": [284_000, 500_000],
  "cashIn.day": [500_000, 1_000_000],
  "cashIn.week": [1_800_000, 2_500_000],
  "wager.month": [9_640_000, 15_000_000],
  "deposit.day": [0, 250_000],
  "deposit.week": [250_000, 500_000],
  "deposit.month": [450_000, 500_000],
  "time.day": [72, 120],
  "time.week": [400, 600],
};

/** A player's limits as a platform keeps them: a stricter one holds at once, a looser one waits for a day and a yes. */
export class ScriptedLimits {
  readonly #limits = new Map<LimitSubject, OwnLimit>();
  rules: OwnLimits["rules"] = {
    asksAgain: true,
    autoplay: false,
    minCycleMs: 2_500,
    maxStake: 4_000,
    check: { everyMin: 30, longestMin: null, mayBeOff: false },
  };
  /** The market wants an answer whether the player would like limits. */
  offered = false;
  /** Looser limits that have begun, which the player has not read of. */
  begun: NonNullable<OwnLimits["begun"]> = [];
  readonly nowMs: number;

  constructor(nowMs: number, figures: Figures = FIGURES) {
    this.nowMs = nowMs;
    for (const key of Subjects.options) {
      const [used = 0, value = null] = figures[key] ?? [];
      const left = value === null ? null : Math.max(0, value - used);
      this.change(key, {
        ...{ key, value, mine: value, used, left, frees: null, required: false, waiting: null },
        owner: value === null ? null : "player",
        looserFrom: this.at(24),
      });
    }
  }

  /** An instant so many hours from now. */
  at(hours: number): string {
    return new Date(this.nowMs + hours * HOUR_MS).toISOString();
  }

  change(key: LimitSubject, change: Partial<OwnLimit>): void {
    this.#limits.set(key, { ...(this.#limits.get(key) as OwnLimit), ...change });
  }

  /** A looser limit waits since `24 - hours` hours ago. */
  wait(key: LimitSubject, value: number | null, hours: number): void {
    this.change(key, { waiting: { id: "7", value, from: this.at(hours), answerUntil: this.at(hours + 168) } });
  }

  get now(): OwnLimits {
    return {
      now: new Date(this.nowMs).toISOString(),
      limits: [...this.#limits.values()],
      rules: this.rules,
      offered: this.offered,
      begun: this.begun,
    };
  }

  /** Answers the calls of a back end. */
  serve(backEnd: ScriptedBackEnd): void {
    backEnd.script("GET /v1/player/limits", () => ok(this.now));
    backEnd.script("GET /v1/player/means", () => ok({ wanted: false, declared: null, counts: null }));
    backEnd.script("POST /v1/player/limits", this.#set);
    backEnd.script("POST /v1/player/limits/check", ({ body }) => {
      const { minutes } = body as { minutes: number | null };
      this.rules = { ...this.rules, check: { everyMin: minutes, longestMin: null, mayBeOff: false } };
      return ok(this.now);
    });
    backEnd.script("POST /v1/player/limits/preview", () =>
      ok({ from: this.at(0), isLooser: false, asksAgain: false, frees: this.at(20) }),
    );
    backEnd.script("POST /v1/player/limits/read", ({ body }) => {
      this.begun = this.begun.filter(({ id }) => id !== (body as { id: string }).id);
      return ok(this.now);
    });
    backEnd.script("POST /v1/player/limits/not-now", () => {
      this.offered = false;
      return ok(this.now);
    });
    backEnd.script("POST /v1/player/limits/take-back", () => this.#end((limit) => limit.mine));
    backEnd.script("POST /v1/player/limits/answer", ({ body }) =>
      this.#end((limit) => ((body as { wanted: boolean }).wanted ? (limit.waiting?.value ?? null) : limit.mine)),
    );
  }

  readonly #set: Script = ({ body }) => {
    const { key, value } = body as { key: LimitSubject; value: number | null };
    const limit = this.#limits.get(key);
    if (limit === undefined) return refused(400, 40000);
    this.offered = false;
    if (limit.mine !== null && (value === null || value > limit.mine)) this.wait(key, value, 24);
    else this.#hold(limit, value);
    return ok(this.now);
  };

  #end(kept: (limit: OwnLimit) => number | null) {
    const waits = [...this.#limits.values()].find(({ waiting }) => waiting !== null);
    if (waits === undefined) return refused(409, 60067);
    this.#hold(waits, kept(waits));
    return ok(this.now);
  }

  #hold({ key, used }: OwnLimit, value: number | null): void {
    const left = value === null ? null : Math.max(0, value - used);
    this.change(key, { value, mine: value, left, owner: value === null ? null : "player", waiting: null });
  }
}
