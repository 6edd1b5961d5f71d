import type { Damage } from "../../e2e/damage/udp-relay.ts";
import { LOSSY, NARROW } from "../../e2e/damage/udp-relay.ts";

/** A way between browser and agent; null damage: straight. */
export type Condition = {
  /** What it is asked for by. */
  readonly id: "clean" | "lossy" | "narrow";
  readonly name: string;
  readonly damage: Damage | null;
};

export const CLEAN_WAY: Condition = { id: "clean", name: "clean", damage: null };
export const LOSSY_WAY: Condition = { id: "lossy", name: "3 % loss, 40 ms each way", damage: LOSSY };
export const NARROW_WAY: Condition = { id: "narrow", name: "1.5 Mbit/s, 20 ms each way", damage: NARROW };

export const CONDITIONS: readonly Condition[] = [CLEAN_WAY, LOSSY_WAY, NARROW_WAY];
