import type { FloorMachine } from "@longarm/contract/staff-floor";

/** How closely machines are looked at, on the console and on a wall. */
export const ZOOMS = ["near", "middle", "plan"] as const;
export type Zoom = (typeof ZOOMS)[number];

/** So many machines are looked at near and in the middle; more are shown as a plan. */
const NEAR_MAX = 12;
const MIDDLE_MAX = 48;
/** The nearest zoom in which all fit on a desk's screen. */
export function zoomFor(count: number): Zoom {
  if (count <= NEAR_MAX) return "near";
  return count <= MIDDLE_MAX ? "middle" : "plan";
}

/** The island of a machine on the plan: its group, else its brand. */
const islandOf = ({ group, brand }: Pick<FloorMachine, "group" | "brand">): string => group ?? brand;

/** Machines by island, in the order of their first one. */
export function islandsOf<Machine extends Pick<FloorMachine, "group" | "brand">>(
  machines: readonly Machine[],
): readonly (readonly [island: string, machines: readonly Machine[]])[] {
  return [...Map.groupBy(machines, islandOf)];
}
