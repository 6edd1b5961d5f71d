import type { QueueAnswer, QueuePlace, QueueWish } from "@longarm/contract/player-queue";
import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import { useEffect } from "react";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import { useOutlook } from "../outlooks.ts";
import { brandInstead, endText, rangeText, wishText } from "../place-text.ts";
import type { QueueDeps } from "../queue-deps.ts";
import { Picture } from "./picture.tsx";
import css from "./places-list.module.css";
import { useAct } from "./use-act.ts";
import { Wheel } from "./wheel.tsx";

/** My places with their states and ways out, and what ended in the last hour. */
export function PlacesList({ deps, onLobby }: { readonly deps: QueueDeps; readonly onLobby: () => void }) {
  const speech = useText();
  const { t } = speech;
  const { queues } = deps;
  const { answer, failure } = useLive(queues.now);
  const online = useLive(deps.online);
  useEffect(() => void queues.load(), [queues]);
  const toLobby = (
    <Key kind="line" onClick={onLobby}>
      {t("queue.toLobby")}
    </Key>
  );
  if (answer === "absent") return <Notice title={t("queue.absent")}>{toLobby}</Notice>;
  if (answer === undefined && failure !== undefined)
    return (
      <Notice title={t("queue.failed")} body={failureText(speech, failure)}>
        <Key kind="line" onClick={() => void queues.load()}>
          {t("app.tryAgain")}
        </Key>
      </Notice>
    );
  if (answer === undefined)
    return (
      <p role="status" className={css["fine"]}>
        {t("queue.loading")}
      </p>
    );
  const { places, any, ended } = answer;
  return (
    <div className={css["panel"]}>
      {!online && (
        <p role="status" className={css["offline"]}>
          {t("queue.offline")}
        </p>
      )}
      {places.length === 0 && (
        <Notice title={t("queue.empty")} body={t("queue.emptyBody")}>
          {toLobby}
        </Notice>
      )}
      {places.length > 0 && (
        <ul className={css["places"]}>
          {places.map((place) => (
            <Place key={place.id} {...{ deps, place, any }} />
          ))}
        </ul>
      )}
      {ended.length > 0 && <Ended {...{ deps, ended }} />}
      <p className={css["fine"]}>{t("queue.kept")}</p>
    </div>
  );
}

const LAMPS: Readonly<Record<QueuePlace["state"], LampStatus>> = {
  waiting: "playing",
  called: "available",
  funds: "waiting",
  held: "waiting",
  fault: "fault",
  closed: "off",
};

type PlaceProps = { readonly deps: QueueDeps; readonly place: QueuePlace; readonly any: QueueAnswer["any"] };

function Place({ deps, place, any }: PlaceProps) {
  const speech = useText();
  const { t } = speech;
  const { busy, act } = useAct(deps);
  const { state, ahead, chosen } = place;
  const [machine] = place.machines;
  const currency = useCurrency();
  const wish = wishText(speech, currency, place.wish, machine?.name ?? "");
  const brand = brandInstead(place, any);
  const wider = useOutlook(deps.outlooks, brand === undefined ? undefined : { brand });
  const isOut = state === "fault" || state === "closed";
  const back = chosen && wishText(speech, currency, chosen, nameOf(place, chosen));
  const isNext = state === "waiting" && ahead === 0;
  return (
    <li className={css["place"]} data-dark={state === "closed" || undefined}>
      <Picture className={css["picture"] ?? ""} pictures={machine ? deps.picturesOf(machine) : []} />
      <div>
        <h2>{wish}</h2>
        <Lamp status={isNext ? "waiting" : LAMPS[state]}>{wordOf(t, place)}</Lamp>
        <p>{state === "waiting" ? rangeText(speech, place.wait, true) : t(`queue.${state}Body`)}</p>
        {state === "waiting" && place.wait !== null && <p>{t("queue.source", { count: place.wait.sittings })}</p>}
      </div>
      <Wheel place={ahead + 1} />
      <div className={css["acts"]}>
        {brand !== undefined && wider !== undefined && wider.machines > place.machines.length && (
          <Key
            {...(!isOut && { kind: "line" })}
            busy={busy === "move"}
            onClick={() =>
              void act("move", () => deps.queues.move(place.id, "brand"), {
                done: t("queue.moved", { brand: shownMachine({ name: brand, id: "" }) }),
              })
            }
          >
            {t("queue.moveToAny", { brand: shownMachine({ name: brand, id: "" }) })}
          </Key>
        )}
        {back !== undefined && state !== "called" && (
          <Key
            kind="line"
            busy={busy === "move"}
            onClick={() =>
              void act("move", () => deps.queues.move(place.id, "chosen"), {
                done: t("queue.movedBack", { wish: back }),
              })
            }
          >
            {t("queue.moveBack", { wish: back })}
          </Key>
        )}
        <Key
          kind="bare"
          busy={busy === "leave"}
          aria-label={t("queue.leaveFor", { wish })}
          onClick={() => void act("leave", () => deps.queues.leave(place.id), { done: t("queue.left", { wish }) })}
        >
          {t("queue.leave")}
        </Key>
      </div>
    </li>
  );
}

/** What the one machine of a wish is called; empty where it names several, or none that the place shows. */
const nameOf = ({ machines }: QueuePlace, wish: QueueWish): string =>
  ("machine" in wish && machines.find(({ id }) => id === wish.machine)?.name) || "";

function wordOf(t: ReturnType<typeof useText>["t"], { state, ahead }: QueuePlace): string {
  if (state === "called") return t("queue.turn");
  if (state !== "waiting") return t(`queue.state_${state}`);
  return ahead === 0 ? t("queue.next") : t("queue.before", { count: ahead });
}

/** What ended by something else than the player's own act, and the way to wait again. */
function Ended({ deps, ended }: { readonly deps: QueueDeps; readonly ended: QueueAnswer["ended"] }) {
  const speech = useText();
  const { t, language } = speech;
  const currency = useCurrency();
  const { busy, act } = useAct(deps);
  return (
    <section aria-labelledby="queue-ended" className={css["ended"]}>
      <h2 id="queue-ended">{t("queue.endedTitle")}</h2>
      <ul>
        {ended.map(({ id, wish, machine, reason, at }) => {
          const name = wishText(speech, currency, wish, machine);
          const { text, again } = endText(speech, reason);
          return (
            <li key={id}>
              <p>
                <b>{name}</b>
                <small className="num">{dateTimeText(at, language)}</small>
                {text}
              </p>
              {again && (
                <Key
                  busy={busy === id}
                  onClick={() =>
                    void act(id, () => deps.queues.join(wish), { done: t("queue.joined", { wish: name }) })
                  }
                >
                  {t("queue.again")}
                </Key>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
