import type { ReactNode } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useCurrency } from "../../../shared/money/currency.ts";
import { moneyText } from "../../../shared/money/format.ts";
import { Field } from "../../../shared/ui/field.tsx";
import { Icon } from "../../../shared/ui/icon.tsx";
import { IconButton } from "../../../shared/ui/key.tsx";
import { Lamp } from "../../../shared/ui/lamp.tsx";
import type { FilterLamp, Filters } from "../model/filters.ts";
import { FILTER_LAMPS } from "../model/filters.ts";
import { SEARCH_MAX } from "../model/filters-in-address.ts";
import type { Sort } from "../model/sort-machines.ts";
import { SORTS } from "../model/sort-machines.ts";
import css from "./filter-bar.module.css";

/** The short word of each lamp's chip. */
export const LAMP_WORDS: Readonly<Record<FilterLamp, TextKey>> = {
  available: "lobby.available",
  playing: "lobby.playing",
  waiting: "lobby.waitingShort",
  reserved: "lobby.reserved",
  off: "lobby.notAvailable",
};

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

type FilterBarProps = {
  readonly filters: Filters;
  readonly counts: Readonly<Record<FilterLamp, number>>;
  /** Some machine says what a game costs. */
  readonly knowsStakes: boolean;
  readonly onChange: (filters: Filters) => void;
  /** Beside stake and order. */
  readonly children?: ReactNode;
};

/** Favourites, statuses (several mean any of them), stake, order and search. */
export function FilterBar({ filters, counts, knowsStakes, onChange, children }: FilterBarProps) {
  const { t, language } = useText();
  const currency = useCurrency();
  const toggle = (lamp: FilterLamp) => {
    const lamps = filters.lamps.includes(lamp) ? filters.lamps.filter((on) => on !== lamp) : [...filters.lamps, lamp];
    onChange({ ...filters, lamps });
  };
  return (
    <search className={css["filters"]} aria-label={t("lobby.filters")}>
      <button
        type="button"
        className={css["chip"]}
        aria-pressed={filters.favouritesOnly}
        onClick={() => onChange({ ...filters, favouritesOnly: !filters.favouritesOnly })}
      >
        <Icon name="heart" />
        {t("lobby.favourites")}
      </button>
      {FILTER_LAMPS.map((lamp) => (
        <button
          key={lamp}
          type="button"
          className={css["chip"]}
          aria-pressed={filters.lamps.includes(lamp)}
          onClick={() => toggle(lamp)}
        >
          <Lamp status={lamp} quiet>
            {t(LAMP_WORDS[lamp])}
          </Lamp>
          <b className="num">{counts[lamp]}</b>
        </button>
      ))}
      <div className={css["search"]}>
        <Field
          label={t("lobby.search")}
          bareLabel
          wellClass={css["well"] ?? ""}
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          placeholder={t("lobby.search")}
          value={filters.search}
          maxLength={SEARCH_MAX}
          onChange={(event) => onChange({ ...filters, search: event.target.value })}
          before={<Icon name="search" />}
          after={
            filters.search !== "" && (
              <IconButton
                icon="close"
                label={t("lobby.clearSearch")}
                className={css["clear"] ?? ""}
                onClick={() => onChange({ ...filters, search: "" })}
              />
            )
          }
        />
      </div>
      <div className={css["second"]}>
        {children}
        <span className={css["choices"]}>
          {knowsStakes && (
            <select
              className={css["chip"]}
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
            className={css["chip"]}
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
      </div>
    </search>
  );
}
