import type { LobbyMachine } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { fold } from "../../../shared/i18n/fold.ts";
import type { LampStatus } from "../../../shared/ui/lamp.tsx";
import { keepLast } from "./keep-last.ts";
import type { StatusMap } from "./machine-view.ts";
import { isMine, viewMachine } from "./machine-view.ts";

/** Statuses that can be filtered by, in the order of their chips. */
export const FILTER_LAMPS = [
  "available",
  "playing",
  "waiting",
  "reserved",
  "off",
] as const satisfies readonly LampStatus[];
export type FilterLamp = (typeof FILTER_LAMPS)[number];

export type Filters = {
  readonly search: string;
  readonly favouritesOnly: boolean;
  /** Any of these; none chosen means all. */
  readonly lamps: readonly FilterLamp[];
};
export const NO_FILTERS: Filters = { search: "", favouritesOnly: false, lamps: [] };

/** What decides how a machine looks, beside the machine itself. */
export type Circumstances = { readonly statusMap: StatusMap; readonly open: OpenSession | undefined };

/** The ids of the machines to show: the player's kept seat first, everything else as the platform orders it. */
export function shownIds(
  machines: readonly LobbyMachine[],
  filters: Filters,
  favourites: ReadonlySet<string>,
  { statusMap, open }: Circumstances,
): readonly string[] {
  return idsOf(machines, filters, favourites, statusMap, open);
}

const idsOf = keepLast(walkIds);
function walkIds(
  machines: readonly LobbyMachine[],
  filters: Filters,
  favourites: ReadonlySet<string>,
  statusMap: StatusMap,
  open: OpenSession | undefined,
): readonly string[] {
  const search = fold(filters.search.trim());
  const kept: string[] = [];
  const others: string[] = [];
  for (const machine of machines) {
    const mine = isMine(machine, open);
    if (filters.favouritesOnly && !favourites.has(machine.id)) continue;
    if (search !== "" && !foldedOf(machine).includes(search)) continue;
    const passes =
      filters.lamps.length === 0 ||
      (filters.lamps as readonly LampStatus[]).includes(viewMachine(machine, statusMap, mine).lamp);
    if (passes) (mine ? kept : others).push(machine.id);
  }
  return [...kept, ...others];
}

/** How many machines show each lamp. */
export function countLamps(
  machines: readonly LobbyMachine[],
  { statusMap, open }: Circumstances,
): Readonly<Record<FilterLamp, number>> {
  return lampsOf(machines, statusMap, open);
}

const lampsOf = keepLast(walkLamps);
function walkLamps(
  machines: readonly LobbyMachine[],
  statusMap: StatusMap,
  open: OpenSession | undefined,
): Readonly<Record<FilterLamp, number>> {
  const counts: Record<FilterLamp, number> = { available: 0, playing: 0, waiting: 0, reserved: 0, off: 0 };
  for (const machine of machines) {
    const { lamp } = viewMachine(machine, statusMap, isMine(machine, open));
    if (lamp !== "fault") counts[lamp] += 1;
  }
  return counts;
}

/** Free seats of each brand, in one walk over the list. */
export const countFree = keepLast(walkFree);
function walkFree(machines: readonly LobbyMachine[], statusMap: StatusMap): ReadonlyMap<string, number> {
  const free = new Map<string, number>();
  for (const machine of machines) {
    if (viewMachine(machine, statusMap, false).lamp === "available") {
      free.set(machine.brand, (free.get(machine.brand) ?? 0) + 1);
    }
  }
  return free;
}

/** A machine object never changes, so what is searched in it is made once. */
const folded = new WeakMap<LobbyMachine, string>();
function foldedOf(machine: LobbyMachine): string {
  const known = folded.get(machine) ?? fold(`${machine.name} ${machine.brand}`);
  folded.set(machine, known);
  return known;
}
