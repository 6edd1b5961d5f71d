import type { Brand, LobbyMachine } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import type { Settings } from "@longarm/contract/settings";
import type { Live } from "../../../shared/live/live.ts";
import type { MachinesNow } from "../api/live-list.ts";
import type { Favourites } from "../model/favourites.ts";
import type { Filters } from "../model/filters.ts";
import type { RecentMachines } from "../model/recent.ts";

/** What the lobby draws: its data, wherever it came from, and what it may do. */
export type LobbyScreenProps = {
  readonly settings: Settings;
  readonly brands: readonly Brand[];
  /** Nothing has been answered for the brands yet. */
  readonly brandsAwaited: boolean;
  /** Machines to choose from: of the chosen brand, or all. Undefined while they load. */
  readonly machines: Live<MachinesNow>;
  /** All machines, for the counts on the brands' signs. */
  readonly allMachines: Live<MachinesNow>;
  readonly chosen: Brand | undefined;
  readonly filters: Filters;
  readonly onFilters: (filters: Filters) => void;
  /** Why the last asking brought nothing, as a sentence. */
  readonly failure: string | undefined;
  readonly onRetry: () => void;
  readonly openSession: Live<OpenSession | undefined>;
  readonly favourites: Favourites;
  readonly recent: RecentMachines;
  readonly clock: { now(): number };
  /** The whole address of a picture; undefined when it is none. */
  readonly still: (image: string) => string | undefined;
  /** The player wants to sit down. False: the page stays. */
  readonly onSit: (machine: LobbyMachine) => boolean;
  readonly say: (text: string) => void;
};
