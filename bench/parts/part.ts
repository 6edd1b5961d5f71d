import type { Spread } from "../figures/spread.ts";
import type { Condition } from "../rig/conditions.ts";
import type { Rig } from "../rig/rig.ts";

/** One line of the results. */
export type Result = {
  readonly what: string;
  readonly condition: string;
  readonly unit: "ms" | "% of a core" | "MB" | "KB" | "a second" | "times" | "Mbit/s";
  readonly value: Spread | number | null;
};

/** A measurement that can be asked for by its name. Only some care about the ways between browser and agent that were asked for. */
export type Part = (rig: Rig, tell: (result: Result) => void, ways: readonly Condition[]) => Promise<void>;
