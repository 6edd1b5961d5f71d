import type { QueuePlace } from "@longarm/contract/player-queue";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { rangeText, wishText } from "../place-text.ts";
import type { QueueDeps } from "../queue-deps.ts";
import { placesIn } from "../queues.ts";
import { Picture } from "./picture.tsx";
import css from "./ticket.module.css";
import { useAct } from "./use-act.ts";
import { Wheel } from "./wheel.tsx";

type TicketsProps = {
  readonly deps: QueueDeps;
  /** Goes to the page of places. */
  readonly onShow: () => void;
};
type StripProps = TicketsProps & {
  /** What belongs to all places. */
  readonly children?: ReactNode;
};

/** My places below the jackpots: picture, wheel, range, and the key to leave. Absent without any. */
export function Strip({ deps, onShow, children }: StripProps) {
  const { t } = useText();
  const now = useLive(deps.queues.now);
  const online = useLive(deps.online);
  const places = placesIn(now);
  if (places.length === 0 || now.answer === undefined || now.answer === "absent") return null;
  const { placesMax } = now.answer;
  return (
    <section className={css["strip"]} aria-labelledby="queue-strip" data-queue-strip>
      <h2 id="queue-strip">
        <button type="button" onClick={onShow}>
          {t("queue.title")}
        </button>
        <small className="num">
          {online ? t("queue.about", { used: places.length, most: placesMax }) : t("queue.offline")}
        </small>
      </h2>
      <ul>
        {places.map((place) => (
          <li key={place.id} className={css["ticket"]}>
            <Ticket {...{ deps, place }} />
            <Leave {...{ deps, place }} />
          </li>
        ))}
      </ul>
      {children}
      <Changes places={places} />
    </section>
  );
}

/** On a phone, and beside pages other than the lobby: the nearest turn, in reach of the thumb. */
export function Dock({ deps, onShow, inLobby }: TicketsProps & { readonly inLobby: boolean }) {
  const { t } = useText();
  const places = placesIn(useLive(deps.queues.now));
  const online = useLive(deps.online);
  const nearest = places.toSorted((one, other) => one.ahead - other.ahead)[0];
  if (nearest === undefined) return null;
  const more = places.length - 1;
  return (
    <aside className={css["dock"]} data-lobby={inLobby || undefined} data-queue-dock aria-label={t("queue.title")}>
      <Ticket
        {...{ deps, place: nearest }}
        more={[more > 0 && t("queue.more", { count: more }), !online && t("queue.offline")].filter(Boolean).join(" · ")}
      />
      <Key onClick={onShow}>{t("queue.show")}</Key>
    </aside>
  );
}

type TicketProps = {
  readonly deps: QueueDeps;
  readonly place: QueuePlace;
  /** In a narrow dock: what the wheel shows is not said again, but this is. */
  readonly more?: string;
};

function Ticket({ deps, place, more }: TicketProps) {
  const speech = useText();
  const currency = useCurrency();
  const [machine] = place.machines;
  const about =
    more === undefined || place.state !== "waiting" ? standing(speech, place) : rangeText(speech, place.wait);
  return (
    <>
      <Picture className={css["picture"] ?? ""} pictures={machine ? deps.picturesOf(machine) : []} />
      <Wheel place={place.ahead + 1} />
      <div>
        <b>{wishText(speech, currency, place.wish, machine?.name ?? "")}</b>
        <small>{[about, more].filter(Boolean).join(" · ")}</small>
      </div>
    </>
  );
}

/** Where a place is, in few words. */
function standing(speech: Pick<ReturnType<typeof useText>, "t">, place: QueuePlace): string {
  const { t } = speech;
  if (place.state === "called") return t("queue.turn");
  if (place.state !== "waiting") return t(`queue.state_${place.state}`);
  const before = place.ahead === 0 ? t("queue.next") : t("queue.before", { count: place.ahead });
  return `${before} · ${rangeText(speech, place.wait)}`;
}

function Leave({ deps, place }: { readonly deps: QueueDeps; readonly place: QueuePlace }) {
  const speech = useText();
  const { t } = speech;
  const { busy, act } = useAct(deps);
  const wish = wishText(speech, useCurrency(), place.wish, place.machines[0]?.name ?? "");
  return (
    <IconButton
      icon="close"
      label={t("queue.leaveFor", { wish })}
      aria-busy={busy !== undefined || undefined}
      onClick={() => void act("leave", () => deps.queues.leave(place.id), { done: t("queue.left", { wish }) })}
    />
  );
}

/** How often a changed place is announced at most, ms. */
const ANNOUNCED_EVERY_MS = 60_000;

/** A changed place for screen readers: politely, and at most once a minute. */
function Changes({ places }: { readonly places: readonly QueuePlace[] }) {
  const speech = useText();
  const currency = useCurrency();
  const text = places
    .map(
      (place) =>
        `${wishText(speech, currency, place.wish, place.machines[0]?.name ?? "")}: ${speech.t("queue.place", { place: place.ahead + 1 })}`,
    )
    .join(", ");
  const [said, setSaid] = useState(text);
  const [rests, setRests] = useState(true);
  useEffect(() => {
    if (!rests) return;
    const timer = setTimeout(() => setRests(false), ANNOUNCED_EVERY_MS);
    return () => clearTimeout(timer);
  }, [rests]);
  if (!rests && said !== text) {
    setSaid(text);
    setRests(true);
  }
  const [first] = useState(text);
  return (
    <span className="visually-hidden" role="status">
      {said === first ? "" : said}
    </span>
  );
}
