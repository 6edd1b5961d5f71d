import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { shownName } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useDeferredValue, useMemo, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { paths } from "../../../shared/paths/paths.ts";
import { countLamps, NO_FILTERS, shownIds } from "../filters.ts";
import type { MachinesNow } from "../machine-lists.ts";
import { isMine, viewMachine } from "../machine-view.ts";
import type { LobbyScreenProps } from "../use-lobby.ts";
import { FilterBar } from "./filter-bar.tsx";
import css from "./floor.module.css";
import { jackpotsOf } from "./jackpots.tsx";
import type { CardFloor } from "./machine-card.tsx";
import { MachineCard, MachineName, MachinePicture, SecondsLeft } from "./machine-card.tsx";
import { useGridWindow } from "./use-grid-window.ts";

/** Cards in a window before anybody scrolls: those of a phone, and the first row of a desk. */
const SEEN_AT_ONCE = 6;
const seenOf = (index: number) => {
  if (index === 0) return "first";
  return index < SEEN_AT_ONCE ? "at once" : undefined;
};

/** Loaded after the first machines are drawn. Without its chunk the floor has no choice of order, which is better than a broken page. */
const Choices = lazy(() =>
  import("./floor-choices.tsx").then(
    ({ Choices: part }) => ({ default: part }),
    () => ({ default: () => null }),
  ),
);
const NothingFound = lazy(() =>
  import("./floor-choices.tsx").then(
    ({ NothingFound: part }) => ({ default: part }),
    () => ({ default: () => null }),
  ),
);

const NONE: ReadonlySet<string> = new Set();

/** The machines, their filters and, on small screens, the dock. Each part draws again only when its own part of the list has changed. */
export function Floor(props: LobbyScreenProps) {
  const { onFilters, openSession, settings, clock, still, onSit, say, queue } = props;
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
    const { refusal, action, lamp, word, waits } = viewMachine(
      machine,
      statusMap,
      isMine(machine, openSession.getState()),
    );
    // Where the card has no key to wait, the cabinet is that key.
    if (queue && waits && (action === undefined || matchMedia(KEYLESS).matches)) {
      queue.wait(machine, lamp, t(word));
      return false;
    }
    if (refusal === undefined) return action === "watch" || onSit(machine);
    say(t(refusal, { name: shownName(machine) }));
    return false;
  }
  const floor: CardFloor = {
    ...{ machines, openSession, favourites: props.favourites, statusMap, clock, still, queue },
    onChoose: choose,
    onPoint: props.onPoint,
  };
  return (
    <>
      <CountedFilterBar {...props} />
      {props.chosen && queue?.pooled(props.chosen.name, machines)}
      <section aria-label={t("lobby.floor")}>
        <h2 className="visually-hidden">{t("lobby.floor")}</h2>
        <Cards ids={ids} floor={floor} />
        {ids.length === 0 && (
          <Suspense>
            <NothingFound filters={filters} brand={props.chosen} onClear={() => onFilters(NO_FILTERS)} />
          </Suspense>
        )}
      </section>
      {kept && <Dock machine={kept} clock={clock} still={still} />}
    </>
  );
}

/** As in machine-card.module.css: cards have no keys. */
const KEYLESS = "(max-width: 60rem)";

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

function CountedFilterBar(props: LobbyScreenProps) {
  const { machines, openSession, settings, filters, onFilters, recent, isQuiet } = props;
  const open = useLive(openSession);
  const statusMap = settings.machineStatus;
  const counts = useLive(
    machines,
    useShallow((list: MachinesNow) => countLamps(list ?? [], { statusMap, open })),
  );
  return (
    <FilterBar filters={filters} counts={counts} onChange={onFilters}>
      {isQuiet && (
        <Suspense>
          <Choices {...{ machines, recent, filters, onFilters }} />
        </Suspense>
      )}
    </FilterBar>
  );
}

/** A long floor draws only the cards near the window; screen readers get the position of each in the whole list. */
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

type DockProps = {
  readonly machine: LobbyMachine;
  readonly clock: { now(): number };
  readonly still: (image: string) => string | undefined;
};

/** Small screens: the seat kept for the player, always in reach of the thumb. */
function Dock({ machine, clock, still }: DockProps) {
  const { t } = useText();
  return (
    <aside className={css["dock"]} data-dock aria-label={t("lobby.waitingMine")}>
      <MachinePicture machine={machine} still={still} />
      <div>
        <b>
          <MachineName name={shownName(machine)} />
        </b>
        <Lamp status="waiting">
          {machine.until ? (
            <SecondsLeft until={machine.until} clock={clock} over={t("lobby.waitingMine")} />
          ) : (
            t("lobby.waitingMine")
          )}
        </Lamp>
      </div>
      <Link {...paths.game(machine.id, machine.name)} preload={false} className={keyClass({ kind: "brass" })}>
        {t("lobby.continue")}
      </Link>
    </aside>
  );
}

const CABINETS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const SIGNS = ["a", "b", "c", "d", "e"];

/** Dark signs and cabinets where brands and machines will be. */
export function Skeleton({ withBrands }: { withBrands: boolean }) {
  const { t } = useText();
  return (
    <div aria-busy="true">
      <p className="visually-hidden" role="status">
        {t("app.loading")}
      </p>
      {withBrands && (
        <ul className={css["darkSigns"]} aria-hidden="true">
          {SIGNS.map((place) => (
            <li key={place} />
          ))}
        </ul>
      )}
      <ul className={css["floor"]} data-loading aria-hidden="true">
        {CABINETS.map((place) => (
          <li key={place} className={css["dark"]} />
        ))}
      </ul>
    </div>
  );
}
