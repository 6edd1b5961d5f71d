import type { Brand } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { useText } from "../../shared/i18n/use-text.ts";
import type { Live } from "../../shared/live/live.ts";
import type { NotificationEvents } from "../../shared/sockets/events.ts";
import type { MachinesNow } from "./api/live-list.ts";
import { liveList } from "./api/live-list.ts";
import type { LobbySource } from "./api/machines.ts";
import { brandsQuery, machinesKey, machinesQuery, refreshMachines, writeStatuses } from "./api/machines.ts";

/** What is told while the lobby is open. */
export type LobbyPushes = {
  readonly events: NotificationEvents;
  readonly openSession: Live<OpenSession | undefined>;
};

export type LobbyData = {
  readonly brands: readonly Brand[];
  /** Nothing has been answered for the brands yet. */
  readonly brandsAwaited: boolean;
  readonly chosen: Brand | undefined;
  /** Machines to choose from: of the chosen brand, or all. */
  readonly machines: Live<MachinesNow>;
  readonly allMachines: Live<MachinesNow>;
  /** Why the last asking brought nothing, as a sentence. */
  readonly failure: string | undefined;
  readonly retry: () => void;
};

/** The lists change many times a second: whoever asks for them hears of failures only, and what is drawn reads them live. */
const QUIET: ("error" | "isError")[] = ["error", "isError"];

/** The lobby's lists, kept fresh by the refresh interval and by what the notification socket tells. */
export function useLobby(
  source: LobbySource,
  brandId: string | undefined,
  showBrands: boolean,
  { events, openSession }: LobbyPushes,
): LobbyData {
  const cache = useQueryClient();
  const { pushed } = source;
  const speech = useText();
  const brands = useQuery({ ...brandsQuery(source), enabled: showBrands });
  const chosen = brands.data?.find((brand) => brand.id === brandId);
  const all = useQuery({ ...machinesQuery(source, undefined), notifyOnChangeProps: QUIET });
  const ofBrand = useQuery({
    ...machinesQuery(source, brandId ?? ""),
    enabled: brandId !== undefined,
    notifyOnChangeProps: QUIET,
    // What is known of the brand's machines stands at once; the brand's own list is asked for all the same.
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
    const pushes = gatherPushes((statuses) => writeStatuses(cache, statuses));
    const ends = [
      events.on("machine", ({ id, status }) => {
        pushed.add(id, status);
        pushes.add(id, status);
      }),
      // A seat was kept or given up: only the list says until when.
      openSession.subscribe((open, was) => {
        if (open?.id !== was?.id || open?.machine_status !== was?.machine_status) refreshMachines(cache);
      }),
      () => pushes.end(),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [cache, events, openSession, pushed]);

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

/** From one drawing of pushed statuses to the next, at least, ms. */
const GAP_MS = 100;

/**
 * Gathers pushed statuses, so that hundreds a second cost ten drawings a second. The first after a rest is handed over with the next
 * frame; of one machine only the newest counts.
 */
export function gatherPushes(hand: (statuses: ReadonlyMap<string, number>) => void): {
  add(id: string, status: number): void;
  /** Hands over what still waits, and ends. */
  end(): void;
} {
  let waiting = new Map<string, number>();
  let frame: number | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;

  function handOver(): void {
    const told = waiting;
    waiting = new Map();
    if (told.size > 0) hand(told);
  }
  function nextFrame(): void {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      rest = setTimeout(rested, GAP_MS);
      handOver();
    });
  }
  function rested(): void {
    rest = undefined;
    if (waiting.size > 0) nextFrame();
  }
  return {
    add(id, status) {
      waiting.set(id, status);
      if (rest === undefined) nextFrame();
    },
    end() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      clearTimeout(rest);
      handOver();
    },
  };
}
