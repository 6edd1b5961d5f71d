import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { SearchField } from "@longarm/ui/search-field.tsx";
import type { ReactNode } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import type { FilterLamp, Filters } from "../filters.ts";
import { FILTER_LAMPS, SEARCH_MAX } from "../filters.ts";
import css from "./filter-bar.module.css";

/** The short word of each lamp's chip. */
export const LAMP_WORDS: Readonly<Record<FilterLamp, TextKey>> = {
  available: "lobby.available",
  playing: "lobby.playing",
  waiting: "lobby.waitingShort",
  reserved: "lobby.reserved",
  off: "lobby.notAvailable",
};

type FilterBarProps = {
  readonly filters: Filters;
  readonly counts: Readonly<Record<FilterLamp, number>>;
  readonly onChange: (filters: Filters) => void;
  /** Stake, order and the machines that were played: they come after the first machines are drawn. */
  readonly children?: ReactNode;
};

/** Favourites, statuses (several mean any of them) and search. */
export function FilterBar({ filters, counts, onChange, children }: FilterBarProps) {
  const { t } = useText();
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
        <SearchField
          label={t("lobby.search")}
          clearLabel={t("lobby.clearSearch")}
          wellClass={css["well"]}
          value={filters.search}
          maxLength={SEARCH_MAX}
          onText={(search) => onChange({ ...filters, search })}
          onClear={() => onChange({ ...filters, search: "" })}
        />
      </div>
      <div className={css["second"]}>{children}</div>
    </search>
  );
}
