import type { Damage } from "../../e2e/damage/udp-relay.ts";
import { LOSSY, NARROW } from "../../e2e/damage/udp-relay.ts";

/** A way between browser and agent; null damage: straight. */
export type Condition = { readonly name: string; readonly damage: Damage | null };

export const CONDITIONS: readonly Condition[] = [
  { name: "clean", damage: null },
  { name: "3 % loss, 40 ms each way", damage: LOSSY },
  { name: "1.5 Mbit/s, 20 ms each way", damage: NARROW },
];
