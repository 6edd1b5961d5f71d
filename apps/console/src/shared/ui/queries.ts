import type { StaffCallName } from "@longarm/contract/staff";
import { useQuery } from "@tanstack/react-query";
import type { Given } from "../api.ts";
import { useConsole } from "../console.ts";

/** How often what a page shows is read again while it is looked at, ms: pushes come sooner, and what is pushed whole seldom needs it. */
const AGAIN_MS = 10_000;
const SELDOM_MS = 60_000;
/** Also what changes slowly and reads much. */
const SELDOM: ReadonlySet<StaffCallName> = new Set([
  "floor",
  "tasks",
  "report",
  "reportGames",
  "reportTransfers",
  "reportShifts",
  "reportProviders",
  "paytables",
]);

/** What a reading call answers, read again while the page is looked at. */
export function useRead<Name extends StaffCallName>(name: Name, given: Given<Name> = {}, enabled = true) {
  const { api } = useConsole();
  return useQuery({
    queryKey: [name, given.params ?? {}, given.query ?? {}],
    queryFn: () => api.call(name, given),
    refetchInterval: SELDOM.has(name) ? SELDOM_MS : AGAIN_MS,
    enabled,
  });
}
