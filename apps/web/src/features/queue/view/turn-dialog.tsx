import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { MoneySaid } from "@longarm/ui/money/money.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useSecondsLeft } from "@longarm/ui/time/use-seconds-left.ts";
import type { KeyboardEvent } from "react";
import { useEffect, useEffectEvent, useState } from "react";
import type { ApiFailure } from "../../../shared/api/failure.ts";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import type { QueueDeps } from "../queue-deps.ts";
import type { CalledPlace } from "../queues.ts";
import { Picture } from "./picture.tsx";
import glass from "./sheet-glass.module.css";
import css from "./turn-dialog.module.css";
import { useRinging } from "./use-ringing.ts";
import { useWeakLink } from "./use-weak-link.ts";

/** Its keys listen after this, ms: a finger that was on its way to something else must not answer it. */
const LISTENS_AFTER_MS = 600;
/** From here on the ring is amber. */
const LAST_SECONDS = 10;
/** Seconds that a screen reader announces beside the beginning. */
const ANNOUNCED: readonly number[] = [10, 5];
/** Without news the dialog stays so long after its time: the platform waits a little longer than the page shows. */
const STAYS_MS = 6_000;

export type TurnDialogProps = {
  readonly deps: QueueDeps;
  /** Undefined: no call; the dialog closes. */
  readonly called: CalledPlace | undefined;
  /** Goes to the machine and sits down; a failure is why the other machine was not left first. */
  readonly onSit: (called: CalledPlace) => Promise<ApiFailure | undefined>;
  /** The attention sound. */
  readonly ring: () => void;
};

/** My turn: over everything but a running game of mine, until it is answered, here or on another device, or its time is over. */
export function TurnDialog({ deps, called, onSit, ring }: TurnDialogProps) {
  const { t } = useText();
  // What it showed stays while it closes.
  const [shown, setShown] = useState(called);
  if (called !== undefined && called !== shown) setShown(called);
  const [overFor, setOverFor] = useState<string>();
  const key = called && `${called.place.id} ${called.call.machineId}`;
  if (key === undefined && overFor !== undefined) setOverFor(undefined);
  if (shown === undefined) return null;
  const machine = nameOf(shown);
  return (
    <Sheet
      alert
      open={called !== undefined && overFor !== key}
      title={t("queue.yours", { machine })}
      className={css["sheet"] ?? ""}
      head={
        <>
          <Picture className={`${glass["glass"]} ${css["picture"]}`} pictures={deps.picturesOf(machineOf(shown))} />
          <Head key={key} {...{ deps, shown, machine, ring }} isOpen={called !== undefined} />
        </>
      }
    >
      <Contents key={key} {...{ deps, shown, onSit }} onOver={() => setOverFor(key)} />
    </Sheet>
  );
}

const nameOf = ({ call }: CalledPlace): string => shownMachine({ name: call.machine, id: call.machineId });
const machineOf = ({ place, call }: CalledPlace) =>
  place.machines.find(({ id }) => id === call.machineId) ?? { id: call.machineId, brand: "" };

type HeadProps = Pick<TurnDialogProps, "deps" | "ring"> & {
  readonly shown: CalledPlace;
  readonly machine: string;
  readonly isOpen: boolean;
};

/** The lamp and the ring, which also ring. */
function Head({ deps: { clock, timers }, shown: { call, endsAt }, machine, isOpen, ring }: HeadProps) {
  const { t } = useText();
  const seconds = useSecondsLeft(endsAt, clock, timers);
  useRinging({ seconds, title: `${t("queue.turn")} · ${machine}`, isOn: isOpen, atSecond: LAST_SECONDS, ring });
  return (
    <div className={css["head"]}>
      <Lamp status="available">{t("queue.turn")}</Lamp>
      <span
        className={`num ${css["ring"]}`}
        role="timer"
        aria-label={t("queue.seconds", { count: seconds })}
        data-last={seconds <= LAST_SECONDS || undefined}
        style={{ "--left": `${Math.min(100, (100_000 * seconds) / call.ofMs)}%` } as React.CSSProperties}
      >
        {seconds}
      </span>
    </div>
  );
}

type ContentsProps = Pick<TurnDialogProps, "deps" | "onSit"> & {
  readonly shown: CalledPlace;
  readonly onOver: () => void;
};

function Contents({ deps, shown, onSit, onOver }: ContentsProps) {
  const speech = useText();
  const { t } = speech;
  const { queues, clock, timers, wallet } = deps;
  const { place, call, endsAt } = shown;
  const seconds = useSecondsLeft(endsAt, clock, timers);
  const weakMs = useWeakLink(deps);
  const roundTripMs = useLive(queues.now, (now) => now.roundTripMs);
  const why = weakMs !== undefined && place.linkPass && !call.elsewhere ? "link" : undefined;
  const timeOver = useEffectEvent(() => {
    // Who could not have played does not miss the call; the platform waits a little longer than the page.
    if (why !== undefined) void queues.pass(place.id, why);
  });
  useEffect(() => timers.after(Math.max(0, endsAt - clock.now()), timeOver), [timers, clock, endsAt]);
  const listens = useListens(deps);
  const [busy, setBusy] = useState<string>();
  const balance = useLive(wallet, (now) => now?.balance);
  useEffect(() => timers.after(Math.max(0, endsAt - clock.now()) + STAYS_MS, onOver), [timers, clock, endsAt, onOver]);
  async function act(name: string, run: () => Promise<ApiFailure | undefined>): Promise<void> {
    if (!listens || busy !== undefined) return;
    setBusy(name);
    const failure = await run();
    setBusy(undefined);
    if (failure !== undefined) deps.say("bad", failureText(speech, failure));
  }
  const then = why === undefined ? thenText(shown) : "queue.thenLink";
  const keyOf = (name: string, run: () => Promise<ApiFailure | undefined>, isOff = false) => ({
    busy: busy === name,
    "aria-disabled": !listens || isOff || undefined,
    onClick: () => void (isOff || act(name, run)),
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps the space bar from its keys.
    <div className={css["body"]} onKeyDown={ignoreSpace} onKeyUp={ignoreSpace}>
      <p className={css["said"]}>
        {seconds > 0 ? `${t("queue.sitWithin", { count: seconds })} ${t(then)}` : t("queue.timeOver")}
      </p>
      <Announcement seconds={seconds} then={t(then)} />
      {weakMs !== undefined && (
        <p role="alert" className={css["weak"]}>
          {t("queue.weak")}
        </p>
      )}
      {call.elsewhere && <p className={css["said"]}>{t("queue.atOther")}</p>}
      <dl className={css["facts"]}>
        <div>
          <dt className="plate">{t("queue.wallet")}</dt>
          <dd>
            <MoneySaid minor={balance} />
          </dd>
        </div>
        {roundTripMs !== undefined && (
          <div>
            <dt className="plate">{t("queue.link")}</dt>
            <dd className="num">
              <bdi dir="ltr">{t("queue.linkMs", { ms: Math.round(roundTripMs) })}</bdi>
            </dd>
          </div>
        )}
      </dl>
      <div className={css["keys"]}>
        <Key kind="brass" big {...keyOf("sit", () => onSit(shown), weakMs !== undefined)}>
          {t(call.elsewhere ? "queue.sitFrom" : "queue.sit")}
        </Key>
        {(place.passesLeft > 0 || call.elsewhere || why !== undefined) && (
          <Key {...keyOf("pass", () => queues.pass(place.id, why))}>
            {t(call.elsewhere ? "queue.stay" : "queue.pass")}
          </Key>
        )}
        <Key {...keyOf("leave", () => queues.leave(place.id))}>{t("queue.leave")}</Key>
      </div>
    </div>
  );
}

/** What comes when no answer does. */
function thenText({ place, call }: CalledPlace) {
  if (call.elsewhere) return "queue.thenNothing";
  return place.misses > 0 ? "queue.thenEnds" : "queue.thenBack";
}

/** The sentence at the beginning, and the seconds near the end; each only while it is new, so that it is read once. */
function Announcement({ seconds, then }: { readonly seconds: number; readonly then: string }) {
  const { t } = useText();
  const [began] = useState(seconds);
  const isNear = ANNOUNCED.includes(seconds);
  return (
    <>
      <span className="visually-hidden" role="status">
        {seconds === began && !isNear && `${t("queue.sitWithin", { count: seconds })} ${then}`}
      </span>
      <span className="visually-hidden" role="alert">
        {isNear && t("queue.seconds", { count: seconds })}
      </span>
    </>
  );
}

function useListens({ timers }: QueueDeps): boolean {
  const [listens, setListens] = useState(false);
  useEffect(() => timers.after(LISTENS_AFTER_MS, () => setListens(true)), [timers]);
  return listens;
}

/** The space bar plays games: a press that comes too late must not answer a call. */
function ignoreSpace(event: KeyboardEvent): void {
  if (event.code === "Space") event.preventDefault();
}
