import type { LobbyMachine } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { memo, useId } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import type { Live } from "../../../shared/live/live.ts";
import { useLive } from "../../../shared/live/live.ts";
import { useCurrency } from "../../../shared/money/currency.ts";
import { LOCALES, moneyText } from "../../../shared/money/format.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { keyClass } from "../../../shared/ui/key.tsx";
import { Lamp } from "../../../shared/ui/lamp.tsx";
import type { MachinesNow } from "../api/live-list.ts";
import type { Favourites } from "../model/favourites.ts";
import { machineIn } from "../model/machine-in.ts";
import type { StatusMap } from "../model/machine-view.ts";
import { isMine, reservedFor, reservedUntil, viewMachine } from "../model/machine-view.ts";
import { shownName } from "../model/shown-name.ts";
import css from "./machine-card.module.css";
import { MachinePicture } from "./machine-picture.tsx";
import { SecondsLeft } from "./seconds-left.tsx";

/** What all cards of a floor share. */
export type CardFloor = {
  readonly machines: Live<MachinesNow>;
  readonly openSession: Live<OpenSession | undefined>;
  readonly favourites: Favourites;
  readonly statusMap: StatusMap;
  readonly clock: { now(): number };
  /** The whole address of a picture; undefined when it is none. */
  readonly still: (image: string) => string | undefined;
  /** The cabinet was chosen. Returning false keeps the page where it is. */
  readonly onChoose: (machine: LobbyMachine) => boolean;
};

type CardProps = {
  readonly id: string;
  readonly floor: CardFloor;
  /** Seen before anybody scrolls; the first of all. */
  readonly seen?: "first" | "at once" | undefined;
};

/** The card of a machine, which reads its own machine out of the live list: a push draws one card again and no other. */
export const MachineCard = memo(function MachineCard({ id, floor, seen }: CardProps) {
  const machine = useLive(floor.machines, (list) => machineIn(list, id));
  // It left the floor, and the floor has not been drawn without it yet.
  if (machine === undefined) return null;
  return <Cabinet machine={machine} floor={floor} seen={seen} />;
});

/** A cabinet. Brightness says whether one can sit down; lamp and word say which state it is. The whole cabinet is one link. */
function Cabinet({ machine, floor, seen }: Omit<CardProps, "id"> & { readonly machine: LobbyMachine }) {
  const { statusMap, clock, still } = floor;
  const mine = useLive(floor.openSession, (open) => isMine(machine, open));
  const favourite = useLive(floor.favourites.ids, (ids) => ids.has(machine.id));
  const { t } = useText();
  const view = viewMachine(machine, statusMap, mine);
  const lampId = useId();
  const name = shownName(machine);
  return (
    <article
      className={css["cabinet"]}
      data-brand={machine.brand}
      data-lamp={view.lamp}
      data-mine={view.action === "continue" || undefined}
      data-machine={machine.id}
    >
      <div className={css["glass"]}>
        <MachinePicture machine={machine} still={still} seen={seen} />
        {view.action === "continue" && machine.until && (
          <SecondsLeft until={machine.until} clock={clock} className={`${css["count"]} ${css["mine"]}`} />
        )}
        {view.lamp === "reserved" && <Reservation machine={machine} />}
      </div>
      <div className={css["foot"]}>
        <h3>
          <Seat
            {...{ id: machine.id, name: machine.name, shown: name, lampId, floor }}
            to={view.action === "watch" ? "watch" : "game"}
            closed={view.action === undefined}
          />
        </h3>
        <Lamp status={view.lamp} id={lampId}>
          {t(view.word)}
          {view.action === "watch" && <span className={css["word"]}>· {t("lobby.watch")}</span>}
        </Lamp>
        {view.action !== undefined && (
          <span className={keyClass({ kind: view.action === "continue" ? "brass" : "plain" })} aria-hidden="true">
            {t(`lobby.${view.action}`)}
          </span>
        )}
        {machine.stakes && <StakeRange stakes={machine.stakes} />}
      </div>
      <button
        type="button"
        className={css["favourite"]}
        aria-pressed={favourite}
        aria-label={t("lobby.addFavourite", { name })}
        onClick={() => floor.favourites.toggle(machine.id)}
      >
        <Icon name="heart" filled={favourite} />
      </button>
    </article>
  );
}

type SeatProps = {
  readonly id: string;
  readonly name: string;
  readonly shown: string;
  readonly lampId: string;
  readonly floor: CardFloor;
  readonly to: "game" | "watch";
  readonly closed: boolean;
};

/** The way to the machine. A router's own link watches the address, and hundreds of them would be asked with each chip and letter. */
const Seat = memo(function Seat({ id, name, shown, lampId, floor, to, closed }: SeatProps) {
  const router = useRouter();
  const way = paths[to](id, name);
  function follow(event: MouseEvent) {
    const machine = machineIn(floor.machines.getState(), id);
    const stays = machine === undefined || !floor.onChoose(machine);
    // A new tab or window is the browser's business.
    if (!stays && (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)) return;
    event.preventDefault();
    if (!stays) void router.navigate(way);
  }
  return (
    <a
      href={router.buildLocation(way).href}
      data-closed={closed || undefined}
      aria-describedby={lampId}
      onClick={follow}
    >
      <MachineName name={shown} />
    </a>
  );
});

/** "Nar 07": the number stands quieter. */
export function MachineName({ name }: { name: string }) {
  const [, words = name, number = ""] = /^(.*\S)\s+(\d+)$/.exec(name) ?? [];
  return (
    <bdi>
      {words}
      {number !== "" && " "}
      {number !== "" && <span className="num">{number}</span>}
    </bdi>
  );
}

/** What one game may cost. */
function StakeRange({ stakes: { min, max } }: { stakes: NonNullable<LobbyMachine["stakes"]> }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const text = (minor: number) => moneyText(minor, currency, language, true);
  return (
    <small className={`${css["stakes"]} num`}>
      <span className="visually-hidden">{t("lobby.stake")} </span>
      <bdi>
        {text(min)}–{text(max)}
      </bdi>
    </small>
  );
}

function Reservation({ machine }: { machine: LobbyMachine }) {
  const { t, language } = useText();
  const until = Date.parse(reservedUntil(machine) ?? "");
  const name = reservedFor(machine);
  if (Number.isNaN(until)) return name === undefined ? null : <span className={css["count"]}>{name}</span>;
  const time = new Intl.DateTimeFormat(LOCALES[language], { timeStyle: "short", hourCycle: "h23" }).format(until);
  return <span className={`${css["count"]} num`}>{t("lobby.reservedUntil", { time })}</span>;
}
