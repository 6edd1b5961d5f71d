import type { Brand } from "@longarm/contract/lobby-lists";
import { shownName } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { paths } from "../../../shared/paths/paths.ts";
import type { Filters, Sort } from "../filters.ts";
import { SORTS } from "../filters.ts";
import { machineIn } from "../machine-view.ts";
import type { LobbyScreenProps } from "../use-lobby.ts";
import bar from "./filter-bar.module.css";
import { LAMP_WORDS } from "./filter-bar.tsx";
import css from "./floor.module.css";
import { MachineName } from "./machine-card.tsx";

const SORT_WORDS: Readonly<Record<Sort, TextKey>> = {
  recommended: "lobby.sortRecommended",
  jackpot: "lobby.sortJackpot",
  stake: "lobby.sortStake",
  name: "lobby.sortName",
  recent: "lobby.sortRecent",
};

/** Stakes to choose from, minor units; an address may name another one. */
const STAKES: readonly number[] = [200, 500, 1_000, 5_000, 10_000, 50_000, 100_000];
const stakesWith = (chosen: number | undefined): readonly number[] =>
  chosen === undefined || STAKES.includes(chosen) ? STAKES : [...STAKES, chosen].toSorted((a, b) => a - b);

type ChoicesProps = Pick<LobbyScreenProps, "machines" | "recent" | "filters" | "onFilters">;

/** The machines that were played, stake and order. */
export function Choices({ machines, recent, filters, onFilters: onChange }: ChoicesProps): ReactNode {
  const { t, language } = useText();
  const currency = useCurrency();
  const knowsStakes = useLive(machines, (list) => list?.some(({ stakes }) => stakes !== undefined) ?? false);
  return (
    <>
      <Recent machines={machines} recent={recent} />
      <span className={bar["choices"]}>
        {knowsStakes && (
          <select
            className={bar["chip"]}
            aria-label={t("lobby.stake")}
            value={filters.stake ?? ""}
            data-on={filters.stake !== undefined || undefined}
            onChange={({ target: { value } }) =>
              onChange({ ...filters, stake: value === "" ? undefined : Number(value) })
            }
          >
            <option value="">{t("lobby.anyStake")}</option>
            {stakesWith(filters.stake).map((stake) => (
              <option key={stake} value={stake}>
                {t("lobby.stakeOf", { stake: moneyText(stake, currency, language, true) })}
              </option>
            ))}
          </select>
        )}
        <select
          className={bar["chip"]}
          aria-label={t("lobby.sort")}
          value={filters.sort}
          data-on={filters.sort !== "recommended" || undefined}
          onChange={({ target: { value } }) =>
            onChange({ ...filters, sort: SORTS.find((sort) => sort === value) ?? "recommended" })
          }
        >
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {t(SORT_WORDS[sort])}
            </option>
          ))}
        </select>
      </span>
    </>
  );
}

/** How many machines the row of those that were played holds. */
const RECENT_SHOWN = 6;

/** The machines that the player has played, as the way back to them. */
function Recent({ machines, recent }: Pick<LobbyScreenProps, "machines" | "recent">) {
  const { t } = useText();
  const ids = useLive(recent.ids);
  const list = useLive(machines);
  const found = ids.flatMap((id) => machineIn(list, id) ?? []).slice(0, RECENT_SHOWN);
  if (found.length === 0) return null;
  return (
    <nav className={css["recent"]} aria-label={t("lobby.recent")}>
      <span>{t("lobby.recent")}</span>
      {found.map(({ id, name }) => (
        <Link key={id} {...paths.game(id, name)} preload={false}>
          <MachineName name={shownName({ id, name })} />
        </Link>
      ))}
    </nav>
  );
}

/** Says what was searched and which filters are on. */
export function NothingFound({
  filters,
  brand,
  onClear,
}: {
  filters: Filters;
  brand: Brand | undefined;
  onClear: () => void;
}): ReactNode {
  const { t, language } = useText();
  const currency = useCurrency();
  const on = [
    ...(brand === undefined ? [] : [shownName(brand)]),
    ...(filters.favouritesOnly ? [t("lobby.favourites")] : []),
    ...filters.lamps.map((lamp) => t(LAMP_WORDS[lamp])),
    ...(filters.stake === undefined
      ? []
      : [t("lobby.stakeOf", { stake: moneyText(filters.stake, currency, language, true) })]),
  ];
  const sentences = [
    ...(filters.search.trim() === "" ? [] : [t("lobby.searched", { search: filters.search.trim() })]),
    ...(on.length === 0 ? [] : [t("lobby.filtersOn", { filters: on.join(", ") })]),
  ];
  return (
    <Notice title={t("lobby.noMatch")} body={sentences.join(" ")}>
      <Key kind="line" onClick={onClear}>
        {t("lobby.clearFilters")}
      </Key>
      {brand !== undefined && (
        <Link to={paths.lobby} search resetScroll={false} preload={false} className={keyClass({ kind: "line" })}>
          {t("lobby.searchAll")}
        </Link>
      )}
    </Notice>
  );
}
