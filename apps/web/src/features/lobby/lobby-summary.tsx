import type { LobbyMachine } from "@longarm/contract/machine";
import { useText } from "../../shared/i18n/use-text.ts";
import { countFree } from "./model/filters.ts";
import type { StatusMap } from "./model/machine-view.ts";

/** "12 of 47 machines are free", under the page's title. */
export function LobbySummary({
  machines,
  statusMap,
}: {
  machines: readonly LobbyMachine[] | undefined;
  statusMap: StatusMap;
}) {
  const { t } = useText();
  if (machines === undefined || machines.length === 0) return null;
  const free = countFree(machines, statusMap);
  return <>{free === 0 ? t("lobby.noFree") : t("lobby.freeOf", { free, total: machines.length })}</>;
}
