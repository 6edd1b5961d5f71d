import type { Held } from "../figures/reach.ts";
import type { Spread } from "../figures/spread.ts";
import type { Condition } from "../rig/conditions.ts";
import type { Rig } from "../rig/rig.ts";

/** One line of the results. */
export type Result = {
  readonly what: string;
  readonly condition: string;
  readonly unit: "ms" | "% of a core" | "points" | "MB" | "KB" | "KiB" | "a second" | "times" | "Mbit/s" | "of 100";
  readonly value: Spread | number | null;
  /** What it is held against and what is wanted of it; a figure without one only explains others. */
  readonly held?: Held;
};

/** A measurement that can be asked for by its name. Only some care about the ways between browser and agent that were asked for. */
export type Part = (rig: Rig, tell: (result: Result) => void, ways: readonly Condition[]) => Promise<void>;
