import type { Brand, LobbyMachine } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { useCurrency } from "../../../shared/money/currency.ts";
import { moneyText } from "../../../shared/money/format.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { Key, keyClass } from "../../../shared/ui/key.tsx";
import { Notice } from "../../../shared/ui/notice.tsx";
import type { MachinesNow } from "../api/live-list.ts";
import type { Filters } from "../model/filters.ts";
import { countLamps, NO_FILTERS, shownIds } from "../model/filters.ts";
import { jackpotsOf } from "../model/jackpots.ts";
import { machineIn } from "../model/machine-in.ts";
import { isMine, viewMachine } from "../model/machine-view.ts";
import { shownName } from "../model/shown-name.ts";
import { Dock } from "./dock.tsx";
import { FilterBar, LAMP_WORDS } from "./filter-bar.tsx";
import css from "./floor.module.css";
import type { LobbyScreenProps } from "./lobby-screen-props.ts";
import type { CardFloor } from "./machine-card.tsx";
import { MachineCard, MachineName } from "./machine-card.tsx";
import { useGridWindow } from "./use-grid-window.ts";

/** Cards in a window before anybody scrolls: those of a phone, and the first row of a desk. */
const SEEN_AT_ONCE = 6;
const seenOf = (index: number) => {
  if (index === 0) return "first";
  return index < SEEN_AT_ONCE ? "at once" : undefined;
};

const NONE: ReadonlySet<string> = new Set();

/** The machines, their filters and, on small screens, the dock. Each part draws again only when its own part of the list has changed. */
export function Floor(props: LobbyScreenProps) {
  const { onFilters, openSession, settings, clock, still, onSit, say } = props;
  const { t } = useText();
  const open = useLive(openSession);
  const statusMap = settings.machineStatus;
  // A chip, a letter or a sign is drawn at once, and the cabinets that it leaves after it.
  const filters = useDeferredValue(props.filters);
  const machines = useDeferredValue(props.machines);
  // Where they decide nothing, a heart is drawn alone.
  const favourites = useLive(props.favourites.ids, (all) => (filters.favouritesOnly ? all : NONE));
  const recent = useLive(props.recent.ids);
  const jackpots = useJackpots(props.brands);
  const ids = useLive(
    machines,
    useShallow((list: MachinesNow) => shownIds(list ?? [], filters, favourites, { statusMap, open, recent, jackpots })),
  );
  const kept = useLive(machines, (list) => keptIn(list, open));

  function choose(machine: LobbyMachine): boolean {
    const { refusal, action } = viewMachine(machine, statusMap, isMine(machine, openSession.getState()));
    if (refusal === undefined) return action === "watch" || onSit(machine);
    say(t(refusal, { name: shownName(machine) }));
    return false;
  }
  const floor: CardFloor = {
    ...{ machines, openSession, favourites: props.favourites, statusMap, clock, still },
    onChoose: choose,
  };
  return (
    <>
      <CountedFilterBar {...props} />
      <section aria-label={t("lobby.floor")}>
        <h2 className="visually-hidden">{t("lobby.floor")}</h2>
        <Cards ids={ids} floor={floor} />
        {ids.length === 0 && (
          <NothingFound filters={filters} brand={props.chosen} onClear={() => onFilters(NO_FILTERS)} />
        )}
      </section>
      {kept && <Dock machine={kept} clock={clock} still={still} />}
    </>
  );
}

/** The machine whose seat is kept for the player. */
function keptIn(list: MachinesNow, open: OpenSession | undefined): LobbyMachine | undefined {
  return list?.find((machine) => isMine(machine, open));
}

/** The largest jackpot of each brand, by the name that its machines carry. */
function useJackpots(brands: LobbyScreenProps["brands"]): ReadonlyMap<string, number> {
  return useMemo(
    () => new Map(brands.map((brand) => [brand.name, Math.max(0, ...jackpotsOf(brand, 0).map(({ minor }) => minor))])),
    [brands],
  );
}

function CountedFilterBar({ machines, openSession, settings, filters, onFilters, recent }: LobbyScreenProps) {
  const open = useLive(openSession);
  const statusMap = settings.machineStatus;
  const counts = useLive(
    machines,
    useShallow((list: MachinesNow) => countLamps(list ?? [], { statusMap, open })),
  );
  const knowsStakes = useLive(machines, (list) => list?.some(({ stakes }) => stakes !== undefined) ?? false);
  return (
    <FilterBar filters={filters} counts={counts} knowsStakes={knowsStakes} onChange={onFilters}>
      <Recent machines={machines} recent={recent} />
    </FilterBar>
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

/** A long floor draws only the cards near the window; screen readers are told the place of each in the whole. */
function Cards({ ids, floor }: { ids: readonly string[]; floor: CardFloor }) {
  const [focusedId, setFocusedId] = useState<string>();
  const focused = useMemo(() => (focusedId === undefined ? -1 : ids.indexOf(focusedId)), [ids, focusedId]);
  const { list, probe, places, rowsStyle } = useGridWindow(ids.length, focused);
  const long = places !== undefined;
  return (
    <>
      <div ref={probe} className={css["floor"]} aria-hidden="true" />
      <ul
        ref={list}
        className={css["floor"]}
        style={rowsStyle === undefined ? undefined : { gridTemplateRows: rowsStyle }}
        onFocus={(event) => setFocusedId(event.target.closest<HTMLElement>("[data-machine]")?.dataset["machine"])}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) setFocusedId(undefined);
        }}
      >
        {(places ?? ids.map((_, index) => ({ index, row: undefined, column: undefined }))).map(
          ({ index, row, column }) => {
            const id = ids[index];
            if (id === undefined) return null;
            return (
              <li
                key={id}
                style={row === undefined ? undefined : { gridRowStart: row, gridColumnStart: column }}
                aria-posinset={long ? index + 1 : undefined}
                aria-setsize={long ? ids.length : undefined}
              >
                <MachineCard id={id} floor={floor} seen={seenOf(index)} />
              </li>
            );
          },
        )}
      </ul>
    </>
  );
}

/** Says what was searched and which filters are on. */
function NothingFound({
  filters,
  brand,
  onClear,
}: {
  filters: Filters;
  brand: Brand | undefined;
  onClear: () => void;
}) {
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
