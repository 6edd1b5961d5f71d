import type { FloorMachine } from "@longarm/contract/staff-floor";
import type { Zoom } from "../../shared/floor/zoom.ts";
import { ZOOMS } from "../../shared/floor/zoom.ts";

export const FILTERS = ["all", "needs", "playing", "available", "waiting", "out"] as const;
export type Filter = (typeof FILTERS)[number];

/** What of the floor is shown and how: the page's address says it, so it can be sent to a colleague and kept as a view. */
export type FloorView = {
  readonly show: Filter;
  readonly group: string;
  readonly q: string;
  readonly zoom: Zoom | null;
};

const IS: Readonly<Record<Filter, (machine: FloorMachine) => boolean>> = {
  all: () => true,
  needs: ({ needs }) => needs.length > 0,
  playing: ({ lamp }) => lamp === "playing",
  available: ({ lamp }) => lamp === "available",
  waiting: ({ lamp }) => lamp === "waiting" || lamp === "reserved",
  out: ({ lamp }) => lamp === "notAvailable",
};
export const matches = (filter: Filter, machine: FloorMachine): boolean => IS[filter](machine);

const oneOf = <T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((one) => one === value);

/** Reads a view from the search part of an address; what is none of ours is left out. */
export function readView(search: Readonly<Record<string, unknown>>): FloorView {
  const text = (value: unknown): string => (value === undefined || value === null ? "" : String(value).slice(0, 100));
  return {
    show: oneOf(FILTERS, search["show"]) ?? "all",
    group: text(search["group"]),
    q: text(search["q"]),
    zoom: oneOf(ZOOMS, search["zoom"]) ?? null,
  };
}

/** The same for the address: nothing of what is so by itself. */
export function searchOf({ show, group, q, zoom }: FloorView): Record<string, string> {
  return {
    ...(show !== "all" && { show }),
    ...(group !== "" && { group }),
    ...(q !== "" && { q }),
    ...(zoom !== null && { zoom }),
  };
}

/** As one text, in one order: what a saved view keeps. */
export const viewText = (view: FloorView): string => new URLSearchParams(searchOf(view)).toString();

/** The machines of a view, of those that need a person first where the view says so by its filter. */
export function shownOf(machines: readonly FloorMachine[], { show, group, q }: FloorView): FloorMachine[] {
  const wanted = q.trim().toLocaleLowerCase();
  return machines.filter(
    (machine) =>
      matches(show, machine) &&
      (group === "" || machine.group === group) &&
      (wanted === "" ||
        [machine.name, machine.id, machine.brand, machine.player?.username ?? ""].some((word) =>
          word.toLocaleLowerCase().includes(wanted),
        )),
  );
}
