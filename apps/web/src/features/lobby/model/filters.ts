import type { LobbyMachine } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import type { LampStatus } from "../../../shared/ui/lamp.tsx";
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

export type Floor = {
  readonly machines: readonly LobbyMachine[];
  readonly favourites: ReadonlySet<string>;
  readonly statusMap: StatusMap;
  readonly open: OpenSession | undefined;
};

/** The machines to show: the player's kept seat first, everything else as the platform orders it. */
export function shownMachines({ machines, favourites, statusMap, open }: Floor, filters: Filters): LobbyMachine[] {
  const search = fold(filters.search.trim());
  const passing = machines.filter((machine) => {
    if (filters.favouritesOnly && !favourites.has(machine.id)) return false;
    if (search !== "" && !fold(`${machine.name} ${machine.brand}`).includes(search)) return false;
    if (filters.lamps.length === 0) return true;
    const { lamp } = viewMachine(machine, statusMap, isMine(machine, open));
    return filters.lamps.some((wanted) => wanted === lamp);
  });
  const kept = passing.filter((machine) => isMine(machine, open));
  return kept.length === 0 ? passing : [...kept, ...passing.filter((machine) => !isMine(machine, open))];
}

/** How many machines show each lamp. */
export function countLamps({ machines, statusMap, open }: Floor): Readonly<Record<FilterLamp, number>> {
  const counts: Record<FilterLamp, number> = { available: 0, playing: 0, waiting: 0, reserved: 0, off: 0 };
  for (const machine of machines) {
    const { lamp } = viewMachine(machine, statusMap, isMine(machine, open));
    if (lamp !== "fault") counts[lamp] += 1;
  }
  return counts;
}

/** Free seats of a brand, counted in the list of all machines. */
export function countFree(machines: readonly LobbyMachine[], statusMap: StatusMap, brand?: string): number {
  const ofBrand = machines.filter((machine) => brand === undefined || machine.brand === brand);
  return ofBrand.filter((machine) => viewMachine(machine, statusMap, false).lamp === "available").length;
}

/** Letters without case, dots and accents, so that "pera", "PERA" and "İ", "i", "ı" all meet. */
export function fold(text: string): string {
  return text.toLocaleLowerCase("tr").replaceAll("ı", "i").normalize("NFD").replace(/\p{M}/gu, "");
}
