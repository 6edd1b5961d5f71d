import type { Brand, LobbyMachine } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import type { Settings } from "@longarm/contract/settings";
import { useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import type { Live } from "../../../shared/live/live.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { Key } from "../../../shared/ui/key.tsx";
import { Notice } from "../../../shared/ui/notice.tsx";
import type { Favourites } from "../model/favourites.ts";
import type { Filters } from "../model/filters.ts";
import { countFree, countLamps, NO_FILTERS, shownMachines } from "../model/filters.ts";
import { jackpotsOf, largestJackpots } from "../model/jackpots.ts";
import { isMine, viewMachine } from "../model/machine-view.ts";
import { Brands } from "./brands.tsx";
import { Dock } from "./dock.tsx";
import { FilterBar, LAMP_WORDS } from "./filter-bar.tsx";
import { Jackpots } from "./jackpots.tsx";
import css from "./lobby-screen.module.css";
import { MachineCard } from "./machine-card.tsx";

/** What the lobby draws: its data, wherever it came from, and what it may do. */
export type LobbyScreenProps = {
  readonly settings: Settings;
  readonly brands: readonly Brand[];
  /** Machines to choose from: of the chosen brand, or all. Undefined while they load. */
  readonly machines: readonly LobbyMachine[] | undefined;
  /** All machines, for the counts on the brands' signs. */
  readonly allMachines: readonly LobbyMachine[] | undefined;
  readonly chosen: Brand | undefined;
  /** Why there is no list, as a sentence. */
  readonly failure: string | undefined;
  readonly onRetry: () => void;
  readonly online: Live<boolean>;
  readonly openSession: Live<OpenSession | undefined>;
  readonly favourites: Favourites;
  readonly clock: { now(): number };
  readonly still: (image: string) => string;
  /** The player wants to sit down. False: the page stays. */
  readonly onSit: (machine: LobbyMachine) => boolean;
  readonly say: (text: string) => void;
};

export function LobbyScreen(props: LobbyScreenProps) {
  const { settings, brands, chosen, allMachines, machines } = props;
  const hotAbove = settings.hotFlagLimit * 100;
  const online = useLive(props.online);
  const { t } = useText();
  const jackpots = chosen === undefined ? largestJackpots(brands, hotAbove) : jackpotsOf(chosen, hotAbove);
  const views = brands.map((brand) => ({
    brand,
    free: allMachines && countFree(allMachines, settings.machineStatus, brand.name),
    hot: jackpotsOf(brand, hotAbove).some((jackpot) => jackpot.hot),
  }));
  const total = allMachines?.length ?? brands.reduce((sum, brand) => sum + brand.machineCount, 0);
  return (
    <>
      {settings.showLobby && brands.length > 0 && <Brands brands={views} total={total} chosen={chosen?.id} />}
      {settings.showLobby && <Jackpots jackpots={jackpots} brand={chosen?.name} />}
      {!online && (
        <p className={css["offline"]} role="status">
          <Icon name="offline" />
          {t("lobby.offline")}
        </p>
      )}
      {machines === undefined && props.failure === undefined && <Skeleton />}
      {machines === undefined && props.failure !== undefined && (
        <Notice title={t("lobby.failed")} body={props.failure}>
          <Key kind="line" onClick={props.onRetry}>
            {t("app.tryAgain")}
          </Key>
        </Notice>
      )}
      {machines !== undefined && <FloorWithFilters {...props} machines={machines} />}
    </>
  );
}

function FloorWithFilters(props: LobbyScreenProps & { machines: readonly LobbyMachine[] }) {
  const { machines, settings, clock, still, say, onSit } = props;
  const { t } = useText();
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const favourites = useLive(props.favourites.ids);
  const open = useLive(props.openSession);
  const statusMap = settings.machineStatus;
  const floor = { machines, favourites, statusMap, open };
  const shown = shownMachines(floor, filters);
  const kept = machines.find((machine) => viewMachine(machine, statusMap, isMine(machine, open)).action === "continue");

  function choose(machine: LobbyMachine): boolean {
    const { refusal } = viewMachine(machine, statusMap, isMine(machine, open));
    if (refusal === undefined) return onSit(machine);
    say(t(refusal, { name: machine.name }));
    return false;
  }
  if (machines.length === 0) return <Notice title={t("lobby.emptyFloor")} body={t("lobby.emptyFloorBody")} />;
  return (
    <>
      <FilterBar filters={filters} counts={countLamps(floor)} onChange={setFilters} />
      <section aria-label={t("lobby.floor")}>
        <h2 className="visually-hidden">{t("lobby.floor")}</h2>
        <ul className={css["floor"]}>
          {shown.map((machine) => (
            <li key={machine.id}>
              <MachineCard
                machine={machine}
                mine={isMine(machine, open)}
                favourite={favourites.has(machine.id)}
                statusMap={statusMap}
                clock={clock}
                still={still}
                onFavourite={props.favourites.toggle}
                onChoose={choose}
              />
            </li>
          ))}
        </ul>
        {shown.length === 0 && <NothingFound filters={filters} onClear={() => setFilters(NO_FILTERS)} />}
      </section>
      {kept && <Dock machine={kept} clock={clock} still={still} />}
    </>
  );
}

/** Says what was searched and which filters are on. */
function NothingFound({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  const { t } = useText();
  const on = [
    ...(filters.favouritesOnly ? [t("lobby.favourites")] : []),
    ...filters.lamps.map((lamp) => t(LAMP_WORDS[lamp])),
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
    </Notice>
  );
}

/** Dark cabinets where the machines will stand. */
function Skeleton() {
  const { t } = useText();
  return (
    <div aria-busy="true">
      <p className="visually-hidden" role="status">
        {t("app.loading")}
      </p>
      <ul className={css["floor"]} data-loading aria-hidden="true">
        {["a", "b", "c", "d", "e", "f", "g", "h"].map((place) => (
          <li key={place} className={css["empty"]} />
        ))}
      </ul>
    </div>
  );
}
