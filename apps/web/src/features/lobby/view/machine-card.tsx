import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { shownName } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { keyClass } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { LOCALES, moneyText } from "@longarm/ui/money/format.ts";
import { useSecondsLeft } from "@longarm/ui/time/use-seconds-left.ts";
import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode, RefObject } from "react";
import { memo, useEffect, useId, useRef, useState } from "react";
import { preload } from "react-dom";
import { paths } from "../../../shared/paths/paths.ts";
import type { MachinesNow } from "../machine-lists.ts";
import type { StatusMap } from "../machine-view.ts";
import { isMine, machineIn, picturesOf, reservedFor, reservedUntil, viewMachine } from "../machine-view.ts";
import type { Favourites } from "../own-machines.ts";
import type { QueueParts } from "../queue-parts.ts";
import css from "./machine-card.module.css";

/** What all cards of a floor share. */
export type CardFloor = {
  readonly machines: Live<MachinesNow>;
  readonly openSession: Live<OpenSession | undefined>;
  readonly favourites: Favourites;
  readonly statusMap: StatusMap;
  readonly clock: { now(): number };
  /** The whole address of an image; undefined when there is none. */
  readonly still: (image: string) => string | undefined;
  /** The cabinet was chosen. Returning false keeps the page where it is. */
  readonly onChoose: (machine: LobbyMachine) => boolean;
  /** A pointer or the focus came to a cabinet that can be entered; undefined: it left, or the cabinet was chosen. */
  readonly onPoint?: ((way?: MachineWay) => void) | undefined;
  readonly queue?: QueueParts | undefined;
};

/** Where a cabinet leads. */
export type MachineWay = ReturnType<(typeof paths)["game" | "watch"]>;

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
  const { statusMap, clock, still, queue } = floor;
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
        {machine.simulated && (
          <small id={`${lampId}s`} className={css["simulated"]}>
            {t("app.simulated")}
          </small>
        )}
        {view.action === "continue" && machine.until && (
          <SecondsLeft until={machine.until} clock={clock} className={`${css["count"]} ${css["mine"]}`} />
        )}
        {view.lamp === "reserved" && <Reservation machine={machine} />}
        {view.waits && view.lamp !== "reserved" && queue?.cardGlass(machine)}
      </div>
      <div className={css["foot"]}>
        <h3>
          <Seat
            {...{ id: machine.id, name: machine.name, shown: name, floor }}
            saidBy={machine.simulated ? `${lampId} ${lampId}s` : lampId}
            to={view.action === "watch" ? "watch" : "game"}
            closed={view.action === undefined && !view.waits}
          />
        </h3>
        <Lamp status={view.lamp} id={lampId}>
          {t(view.word)}
          {view.action === "watch" && !view.waits && <span className={css["word"]}>· {t("lobby.watch")}</span>}
        </Lamp>
        {view.waits && <span className={css["own"]}>{queue?.cardKey(machine, view.lamp, t(view.word))}</span>}
        {view.action !== undefined && !view.waits && (
          <span className={keyClass({ kind: view.action === "continue" ? "brass" : "plain" })} aria-hidden="true">
            {t(`lobby.${view.action}`)}
          </span>
        )}
        {/* What the machine's card states, a line each. */}
        <div className={css["facts"]}>{machine.stakes && <StakeRange stakes={machine.stakes} />}</div>
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
  /** Ids of the elements that describe it. */
  readonly saidBy: string;
  readonly floor: CardFloor;
  readonly to: "game" | "watch";
  readonly closed: boolean;
};

/** The link to the machine. A router's own link watches the address, and hundreds of them would run with each chip and letter. */
const Seat = memo(function Seat({ id, name, shown, saidBy, floor, to, closed }: SeatProps) {
  const router = useRouter();
  const way = paths[to](id, name);
  const point = () => floor.onPoint?.(closed ? undefined : way);
  const left = () => floor.onPoint?.();
  function follow(event: MouseEvent) {
    const machine = machineIn(floor.machines.getState(), id);
    const stays = machine === undefined || !floor.onChoose(machine);
    // A new tab or window is the browser's business.
    if (!stays && (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)) return;
    event.preventDefault();
    left();
    if (!stays) void router.navigate(way);
  }
  return (
    <a
      href={router.buildLocation(way).href}
      data-closed={closed || undefined}
      aria-describedby={saidBy}
      onClick={follow}
      onPointerEnter={point}
      onPointerLeave={left}
      onFocus={point}
      onBlur={left}
    >
      <MachineName name={shown} />
    </a>
  );
});

/** "Nar 07": the number is drawn quieter. */
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
    <small className="num">
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

/** An image is refreshed while it is this near the window. */
const NEAR = "200px";
/** The first of all is what a start is waited for; the others come after it. */
const PRIORITY = { first: "high", "at once": "low" } as const;

type MachinePictureProps = {
  readonly machine: LobbyMachine;
  /** The whole address of an image; undefined when there is none. */
  readonly still: (image: string) => string | undefined;
  /** Seen before anybody scrolls: it does not wait for the page to be laid out, and the first of all comes before what else is fetched. */
  readonly seen?: "first" | "at once" | undefined;
};

/** What the machine shows: its still, else its brand's image, else dark glass. */
export function MachinePicture({ machine, still, seen }: MachinePictureProps) {
  const pictures = picturesOf(machine, still);
  const wanted = pictures[0];
  const picture = useRef<HTMLImageElement>(null);
  const [shown, setShown] = useState(() => {
    // Requested while the first cards are drawn, before they are in the page (record 0276).
    if (seen !== undefined && wanted !== undefined) preload(wanted, { as: "image", fetchPriority: "low" });
    return wanted;
  });
  const tried = useRef(wanted);
  useEffect(() => {
    if (wanted === tried.current) return;
    if (wanted === undefined || picture.current === null) {
      tried.current = wanted;
      setShown(wanted);
      return;
    }
    return whenReady(
      picture as RefObject<HTMLImageElement>,
      wanted,
      () => {
        tried.current = wanted;
      },
      setShown,
    );
  }, [wanted]);

  if (shown === undefined) return <div className={css["noPicture"]} />;
  return (
    <img
      ref={picture}
      src={shown}
      alt=""
      width="640"
      height="400"
      loading={seen === undefined ? "lazy" : "eager"}
      fetchPriority={seen === undefined ? "auto" : PRIORITY[seen]}
      decoding="async"
      onError={() => setShown(pictures[pictures.indexOf(shown) + 1])}
    />
  );
}

/** Fetches and decodes the next image once the present one is near the window, so that it is replaced without a flicker. A failure leaves the old one. */
function whenReady(
  present: RefObject<HTMLImageElement>,
  next: string,
  onTry: () => void,
  onReady: (next: string) => void,
): () => void {
  let over = false;
  const watch = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      watch.disconnect();
      onTry();
      const image = new Image();
      image.src = next;
      image.decode().then(
        () => over || onReady(next),
        () => {},
      );
    },
    { rootMargin: NEAR },
  );
  watch.observe(present.current);
  return () => {
    over = true;
    watch.disconnect();
  };
}

/** Seconds until a kept seat is given up; once they are over, what replaces them. */
export function SecondsLeft({
  until,
  clock,
  className = "",
  over = null,
}: {
  until: string;
  clock: { now(): number };
  className?: string;
  over?: ReactNode;
}) {
  const { t } = useText();
  const seconds = useSecondsLeft(Date.parse(until), clock);
  if (!(seconds > 0)) return over;
  return <span className={`${className} num`}>{t("lobby.secondsToContinue", { seconds })}</span>;
}
