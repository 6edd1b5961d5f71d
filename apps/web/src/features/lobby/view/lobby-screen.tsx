import type { Brand } from "@longarm/contract/lobby-lists";
import { shownName } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { Link } from "@tanstack/react-router";
import { startTransition, useEffect, useState } from "react";
import { preload } from "react-dom";
import { useShallow } from "zustand/react/shallow";
import { paths } from "../../../shared/paths/paths.ts";
import { countFree } from "../filters.ts";
import type { MachinesNow } from "../machine-lists.ts";
import type { StatusMap } from "../machine-view.ts";
import { brandSign } from "../machine-view.ts";
import type { LobbyScreenProps } from "../use-lobby.ts";
import { Floor, Skeleton } from "./floor.tsx";
import { Jackpots, jackpotsOf, largestJackpots } from "./jackpots.tsx";
import css from "./lobby-screen.module.css";

export function LobbyScreen(props: LobbyScreenProps) {
  const { settings, brands, chosen, machines, failure, retry } = props;
  const hotAbove = settings.hotFlagLimit * 100;
  const { t } = useText();
  const has = useLive(machines, whatIsThere);
  const known = useLive(props.allMachines, (list) => list !== undefined);
  const isAwaited = failure === undefined && (props.brandsAwaited || (has === "nothing" && !known));
  const isShown = useShown(!isAwaited);
  // Signs and floor come together: each would push down what came before it.
  if (isAwaited || !isShown) {
    return <Skeleton withBrands={settings.showLobby} />;
  }
  const jackpots = chosen === undefined ? largestJackpots(brands, hotAbove) : jackpotsOf(chosen, hotAbove);
  return (
    <>
      {settings.showLobby && brands.length > 0 && <CountedBrands {...props} />}
      {settings.showLobby && <Jackpots jackpots={jackpots} brand={chosen && shownName(chosen)} />}
      {props.queue?.strip()}
      {has === "nothing" && failure === undefined && (
        <Skeleton withBrands={settings.showLobby && brands.length === 0} />
      )}
      {has === "nothing" && failure !== undefined && (
        <Notice title={t("lobby.failed")} body={failure}>
          <Key kind="line" onClick={retry}>
            {t("app.tryAgain")}
          </Key>
        </Notice>
      )}
      {has !== "nothing" && failure !== undefined && (
        <Stale onRetry={retry}>{`${t("lobby.failed")}: ${failure}`}</Stale>
      )}
      {has === "no machine" && <Notice title={t("lobby.emptyFloor")} body={t("lobby.emptyFloorBody")} />}
      {has === "some" && <Floor {...props} />}
    </>
  );
}

/**
 * Whether what has come is drawn. The whole floor in one task holds a phone up for a tenth of a second, so a transition draws the first one,
 * in short tasks; the page waits for that before it fetches what is not urgent (`useQuiet`).
 */
function useShown(isThere: boolean): boolean {
  const [isShown, setShown] = useState(isThere);
  useEffect(() => {
    if (isThere) startTransition(() => setShown(true));
  }, [isThere]);
  return isShown;
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

type BrandView = {
  readonly brand: Brand;
  /** Undefined while the machines are not known. */
  readonly free: number | undefined;
};

/** Filters and place on the page outlive the choice of a brand. Nothing of it can be fetched ahead. */
const KEEPING = { search: true, resetScroll: false, preload: false } as const;

/** Lit signs over the aisles. Choosing one filters the floor, and the address names it. */
function Brands({
  brands,
  total,
  chosen,
}: {
  brands: readonly BrandView[];
  total: number;
  chosen: string | undefined;
}) {
  const { t } = useText();
  return (
    <nav className={css["brands"]} aria-label={t("lobby.brands")}>
      <Link
        to={paths.lobby}
        className={`${css["brand"]} ${css["all"]}`}
        activeOptions={{ exact: true, includeSearch: false }}
        {...KEEPING}
      >
        <b>{t("lobby.all")}</b>
        <small className="num">{t("lobby.machines", { count: total })}</small>
      </Link>
      {brands.map(({ brand, free }) => (
        <Link
          key={brand.id}
          {...paths.brand(brand.id, brand.name)}
          className={css["brand"]}
          data-empty={brand.machineCount === 0 || undefined}
          {...KEEPING}
          aria-current={chosen === brand.id ? "true" : undefined}
        >
          <Art name={brand.name} />
          <b lang="tr">
            <bdi>{shownName(brand)}</bdi>
          </b>
          <small className="num">
            {t("lobby.machines", { count: brand.machineCount })}
            {free !== undefined && brand.machineCount > 0 && ` · ${t("lobby.free", { count: free })}`}
          </small>
        </Link>
      ))}
    </nav>
  );
}

/** The brand's own image, after the first machine's; a brand without one is a plain sign. */
function Art({ name }: { name: string }) {
  const source = brandSign(name);
  const [missing, setMissing] = useState<string>();
  if (missing === source) return null;
  preload(source, { as: "image", fetchPriority: "low" });
  return <img src={source} alt="" fetchPriority="low" onError={() => setMissing(source)} />;
}
