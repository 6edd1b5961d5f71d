import { useShallow } from "zustand/react/shallow";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { Key } from "../../../shared/ui/key.tsx";
import { Notice } from "../../../shared/ui/notice.tsx";
import type { MachinesNow } from "../api/live-list.ts";
import { countFree } from "../model/filters.ts";
import { jackpotsOf, largestJackpots } from "../model/jackpots.ts";
import { shownName } from "../model/shown-name.ts";
import { Brands } from "./brands.tsx";
import { Floor } from "./floor.tsx";
import { Jackpots } from "./jackpots.tsx";
import css from "./lobby-screen.module.css";
import type { LobbyScreenProps } from "./lobby-screen-props.ts";
import { Skeleton } from "./skeleton.tsx";

export function LobbyScreen(props: LobbyScreenProps) {
  const { settings, brands, chosen, machines, failure, onRetry } = props;
  const hotAbove = settings.hotFlagLimit * 100;
  const { t } = useText();
  const has = useLive(machines, whatIsThere);
  const known = useLive(props.allMachines, (list) => list !== undefined);
  // Signs and floor come together: each would push down what came before it.
  if (failure === undefined && (props.brandsAwaited || (has === "nothing" && !known))) {
    return <Skeleton withBrands={settings.showLobby} />;
  }
  const jackpots = chosen === undefined ? largestJackpots(brands, hotAbove) : jackpotsOf(chosen, hotAbove);
  return (
    <>
      {settings.showLobby && brands.length > 0 && <CountedBrands {...props} />}
      {settings.showLobby && <Jackpots jackpots={jackpots} brand={chosen && shownName(chosen)} />}
      {has === "nothing" && failure === undefined && (
        <Skeleton withBrands={settings.showLobby && brands.length === 0} />
      )}
      {has === "nothing" && failure !== undefined && (
        <Notice title={t("lobby.failed")} body={failure}>
          <Key kind="line" onClick={onRetry}>
            {t("app.tryAgain")}
          </Key>
        </Notice>
      )}
      {has !== "nothing" && failure !== undefined && (
        <Stale onRetry={onRetry}>{`${t("lobby.failed")}: ${failure}`}</Stale>
      )}
      {has === "no machine" && <Notice title={t("lobby.emptyFloor")} body={t("lobby.emptyFloorBody")} />}
      {has === "some" && <Floor {...props} />}
    </>
  );
}

function whatIsThere(list: MachinesNow): "nothing" | "no machine" | "some" {
  if (list === undefined) return "nothing";
  return list.length === 0 ? "no machine" : "some";
}

/** What is seen may be old, and why. */
function Stale({ children, onRetry }: { children: string; onRetry: () => void }) {
  const { t } = useText();
  return (
    <div className={css["stale"]} role="status">
      <Icon name="offline" />
      <p>{children}</p>
      <Key kind="line" onClick={onRetry}>
        {t("app.tryAgain")}
      </Key>
    </div>
  );
}

/** The brands' signs, drawn again only when a count on them has changed. */
function CountedBrands({ brands, chosen, allMachines, settings }: LobbyScreenProps) {
  const free = useLive(
    allMachines,
    useShallow((list: MachinesNow) => {
      const counted = list && countFree(list, settings.machineStatus);
      return brands.map(({ name }) => counted && (counted.get(name) ?? 0));
    }),
  );
  const known = useLive(allMachines, (list) => list?.length);
  const views = brands.map((brand, index) => ({ brand, free: free[index] }));
  const total = known ?? brands.reduce((sum, brand) => sum + brand.machineCount, 0);
  return <Brands brands={views} total={total} chosen={chosen?.id} />;
}
