import { useShallow } from "zustand/react/shallow";
import { useText } from "../../shared/i18n/use-text.ts";
import type { Live } from "../../shared/live/live.ts";
import { useLive } from "../../shared/live/live.ts";
import type { MachinesNow } from "./api/live-list.ts";
import { countFree } from "./model/filters.ts";
import type { StatusMap } from "./model/machine-view.ts";

/** "12 of 47 machines are free", under the page's title. */
export function LobbySummary({ machines, statusMap }: { machines: Live<MachinesNow>; statusMap: StatusMap }) {
  const { t } = useText();
  const { free, total } = useLive(
    machines,
    useShallow((list: MachinesNow) => ({
      free: [...countFree(list ?? [], statusMap).values()].reduce((sum, each) => sum + each, 0),
      total: list?.length ?? 0,
    })),
  );
  if (total === 0) return null;
  return <>{free === 0 ? t("lobby.noFree") : t("lobby.freeOf", { free, total })}</>;
}
