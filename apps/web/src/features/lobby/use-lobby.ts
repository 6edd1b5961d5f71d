import type { Brand, LobbyMachine } from "@longarm/contract/lobby-lists";
import type { OpenSession } from "@longarm/contract/notification-socket";
import type { Settings } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { Live } from "@longarm/ui/live.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { NotificationEvents } from "../../shared/sockets/notification-events.ts";
import type { Filters } from "./filters.ts";
import type { LobbySource, MachinesNow } from "./machine-lists.ts";
import { brandsQuery, liveList, machinesKey, machinesQuery, refreshMachines } from "./machine-lists.ts";
import type { Favourites, RecentMachines } from "./own-machines.ts";
import type { QueueParts } from "./queue-parts.ts";
import type { CardFloor } from "./view/machine-card.tsx";

/** What the notification socket brings while the lobby is open. */
export type LobbyPushes = {
  readonly events: NotificationEvents;
  readonly openSession: Live<OpenSession | undefined>;
};

/** The lists of the lobby as the screen gets them. */
export type LobbyData = {
  readonly brands: readonly Brand[];
  /** The brands have not arrived yet. */
  readonly brandsAwaited: boolean;
  readonly chosen: Brand | undefined;
  /** Machines to choose from: of the chosen brand, or all. Undefined while they load. */
  readonly machines: Live<MachinesNow>;
  /** All machines, for the counts on the brands' signs. */
  readonly allMachines: Live<MachinesNow>;
  /** Why the last request failed, as a sentence. */
  readonly failure: string | undefined;
  readonly retry: () => void;
};

/** What the lobby draws, and what a player can do there. */
export type LobbyScreenProps = LobbyData & {
  /** The first screen is drawn with its images: what it does not need may be fetched. */
  readonly isQuiet: boolean;
  readonly settings: Settings;
  readonly filters: Filters;
  readonly onFilters: (filters: Filters) => void;
  readonly openSession: Live<OpenSession | undefined>;
  readonly favourites: Favourites;
  readonly recent: RecentMachines;
  readonly clock: { now(): number };
  /** The whole address of an image; undefined when there is none. */
  readonly still: (image: string) => string | undefined;
  /** The player wants to sit down. False: the page stays. */
  readonly onSit: (machine: LobbyMachine) => boolean;
  /** As in `CardFloor`. */
  readonly onPoint?: CardFloor["onPoint"];
  /** Undefined: there are no queues, or their part is not loaded yet. */
  readonly queue?: QueueParts | undefined;
  readonly say: (text: string) => void;
};

/** The lists change many times a second: this hook draws again for failures only, and components read the lists live. */
const QUIET: ("error" | "isError")[] = ["error", "isError"];

/** The lobby's lists, kept fresh by the refresh interval and by the notification socket. */
export function useLobby(
  source: LobbySource,
  brandId: string | undefined,
  showBrands: boolean,
  { events, openSession }: LobbyPushes,
): LobbyData {
  const cache = useQueryClient();
  const { pushes } = source;
  const speech = useText();
  const brands = useQuery({ ...brandsQuery(source), enabled: showBrands });
  const chosen = brands.data?.find((brand) => brand.id === brandId);
  const all = useQuery({ ...machinesQuery(source, undefined), notifyOnChangeProps: QUIET });
  const ofBrand = useQuery({
    ...machinesQuery(source, brandId ?? ""),
    enabled: brandId !== undefined,
    notifyOnChangeProps: QUIET,
    // What is known of the brand's machines is shown at once; the brand's own list is requested all the same.
    initialData: () => {
      const known = liveList(cache, machinesKey(undefined))
        .getState()
        ?.filter(({ brand }) => brand === chosen?.name);
      return known === undefined || known.length === 0 ? undefined : known;
    },
    initialDataUpdatedAt: 0,
  });
  const listed = brandId === undefined ? all : ofBrand;
  const machines = useMemo(() => liveList(cache, machinesKey(brandId)), [cache, brandId]);
  const allMachines = useMemo(() => liveList(cache, machinesKey(undefined)), [cache]);

  useEffect(() => {
    const ends = [
      pushes.follow(events, cache),
      // A seat was kept or given up: only the list says until when.
      openSession.subscribe((open, was) => {
        if (open?.id !== was?.id || open?.machine_status !== was?.machine_status) refreshMachines(cache);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [cache, events, openSession, pushes]);

  const error = listed.error ?? (showBrands ? brands.error : null);
  return {
    brands: brands.data ?? [],
    brandsAwaited: showBrands && brands.isPending,
    chosen,
    machines,
    allMachines,
    failure: error instanceof ApiError ? failureText(speech, error.failure) : undefined,
    retry() {
      void listed.refetch();
      if (showBrands) void brands.refetch();
    },
  };
}
