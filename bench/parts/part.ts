import type { Spread } from "../figures/spread.ts";
import type { Rig } from "../rig/rig.ts";

/** One line of the results. */
export type Result = {
  readonly what: string;
  readonly condition: string;
  readonly unit: "ms" | "% of a core" | "MB" | "a second" | "times";
  readonly value: Spread | number | null;
};

/** A measurement that can be asked for by its name. */
export type Part = (rig: Rig, tell: (result: Result) => void) => Promise<void>;
