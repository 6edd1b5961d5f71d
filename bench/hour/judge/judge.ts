import type { Look } from "./look.ts";
import type { Rule } from "./rules.ts";
import { RULES } from "./rules.ts";

export type Seen = {
  readonly look: Look;
  /** Ms of a clock that only goes forward. */
  readonly at: number;
  /** For how long nothing has been broken on purpose around this player, ms; 0 while something is. */
  readonly calmMs: number;
  /** How much slower than usual the computer is; limits are that much longer. 1 or more. */
  readonly patience: number;
};

/** Finds, in what one player's screen says again and again, what it must not say. Each fault is told once while it lasts. */
export type Judge = {
  see(seen: Seen): string[];
  /** Another page takes the place of the one that was seen. */
  newPage(): void;
};

/** What a page sees by itself waits for no other program. */
export const PAGE_PATIENCE_MAX = 2;

type Holding = { since: number; told: boolean };

export function createJudge(rules: readonly Rule[] = RULES): Judge {
  let before: Look | undefined;
  let holding = new Map<Rule, Holding>();
  return {
    see({ look, at, calmMs, patience }) {
      const faults = look.unanswered.map((state) => `a press on SPIN (${state}) had no answer`);
      for (const rule of rules) {
        if (!rule.holds(look, before)) {
          holding.delete(rule);
          continue;
        }
        const held = holding.get(rule) ?? { since: at, told: false };
        holding.set(rule, held);
        const heldMs = rule.always ? at - held.since : Math.min(at - held.since, calmMs);
        const slow = rule.always ? Math.min(patience, PAGE_PATIENCE_MAX) : patience;
        if (held.told || heldMs <= rule.limitMs * slow) continue;
        held.told = true;
        faults.push(rule.name);
      }
      before = look;
      return faults;
    },
    newPage() {
      before = undefined;
      holding = new Map();
    },
  };
}
