import type { Brand, LobbyMachine } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { useText } from "../../shared/i18n/use-text.ts";
import type { Live } from "../../shared/live/live.ts";
import type { NotificationEvents } from "../../shared/sockets/events.ts";
import type { LobbySource } from "./api/machines.ts";
import { brandsQuery, machinesQuery, refreshMachines, writeStatus } from "./api/machines.ts";

/** What is told while the lobby is open. */
export type LobbyPushes = {
  readonly events: NotificationEvents;
  readonly openSession: Live<OpenSession | undefined>;
  readonly online: Live<boolean>;
};

export type LobbyData = {
  readonly brands: readonly Brand[];
  readonly chosen: Brand | undefined;
  readonly machines: readonly LobbyMachine[] | undefined;
  readonly allMachines: readonly LobbyMachine[] | undefined;
  readonly failure: string | undefined;
  readonly retry: () => void;
};

/** The lobby's lists, kept fresh by the refresh interval and by what the notification socket tells. */
export function useLobby(
  source: LobbySource,
  brandId: string | undefined,
  showBrands: boolean,
  { events, openSession, online }: LobbyPushes,
): LobbyData {
  const cache = useQueryClient();
  const { pushed } = source;
  const speech = useText();
  const brands = useQuery({ ...brandsQuery(source), enabled: showBrands });
  const all = useQuery(machinesQuery(source, undefined));
  const ofBrand = useQuery({ ...machinesQuery(source, brandId ?? ""), enabled: brandId !== undefined });
  const listed = brandId === undefined ? all : ofBrand;

  useEffect(() => {
    const ends = [
      events.on("machine", ({ id, status }) => {
        pushed.add(id, status);
        writeStatus(cache, id, status);
      }),
      // A seat was kept or given up: only the list says until when.
      openSession.subscribe((open, was) => {
        if (open?.id !== was?.id || open?.machine_status !== was?.machine_status) refreshMachines(cache);
      }),
      // What happened during an outage is in no push.
      online.subscribe((up, was) => {
        if (up && !was) refreshMachines(cache);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [cache, events, openSession, online, pushed]);

  const error = listed.error ?? (showBrands ? brands.error : null);
  return {
    brands: brands.data ?? [],
    chosen: brands.data?.find((brand) => brand.id === brandId),
    machines: listed.data,
    allMachines: all.data,
    failure: error instanceof ApiError ? failureText(speech, error.failure) : undefined,
    retry() {
      void listed.refetch();
      if (showBrands) void brands.refetch();
    },
  };
}
