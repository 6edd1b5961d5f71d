import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { dayAndTime } from "@longarm/ui/time/time-text.ts";
import { useSecondsLeft } from "@longarm/ui/time/use-seconds-left.ts";
import { useEffect, useState } from "react";
import { codeText } from "../../../shared/i18n/problem-text.ts";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import type { Interruption, SpecialPlay } from "../state/interruption.ts";
import { interruptionOf, isAside, specialPlayOf } from "../state/interruption.ts";
import { isLockup } from "../state/play-state.ts";
import css from "./notices.module.css";
import { useClick, usePlay } from "./play-context.ts";
import { LateSheet } from "./sheets/late-sheet.tsx";

/** During an interruption: one lamp and one sentence over the video, what it means, and the exit where nothing else helps. */
export function StateLine() {
  const { t } = useText();
  const { session, sounds, preferences } = usePlay();
  const state = useLive(session.state);
  const interruption = interruptionOf(state);
  const counting = state.countdown !== undefined;
  const [test, setTest] = useState<boolean>();
  const lost = interruption?.is === "connectionLost";
  useEffect(() => {
    const { muted, volume } = preferences.now.getState();
    if (lost && !muted) sounds.attention(volume);
  }, [lost, sounds, preferences]);
  return (
    <div
      className={css["place"]}
      role="status"
      data-aside={(state.heldUntil === undefined && interruption !== undefined && isAside(interruption)) || undefined}
      data-counting={counting || undefined}
    >
      {state.heldUntil !== undefined && <Held until={state.heldUntil} />}
      {state.heldUntil === undefined && interruption !== undefined && (
        <div className={css["line"]} data-missing={interruption.is}>
          <Sentence interruption={interruption} />
          {(interruption.recovery === "renew" || interruption.recovery === "tcp") && (
            <Key kind="line" onClick={() => setTest(true)}>
              {t("play.whyNoPicture")}
            </Key>
          )}
          {isLockup(interruption.is) && <Attendant quiet />}
          {(interruption.is === "checking" || interruption.is === "loading") && (
            <Key kind="line" onClick={() => session.leaveNow()}>
              {t("play.toLobby")}
            </Key>
          )}
        </div>
      )}
      <LateSheet sheet="connection" open={test} first="test" onClose={() => setTest(false)} />
    </div>
  );
}

/** The platform rate-limits requests for the seat: the seconds until the next one. */
function Held({ until }: { until: number }) {
  const { t } = useText();
  const { session, deps } = usePlay();
  const seconds = useSecondsLeft(until, deps.clock, deps.timers);
  return (
    <div className={css["line"]} data-missing="held">
      <Said lamp="waiting" text={t("play.tooManyTries", { count: seconds })} />
      <Key kind="line" onClick={() => session.leaveNow()}>
        {t("play.toLobby")}
      </Key>
    </div>
  );
}

const RECOVERIES = {
  restart: "play.mendRestart",
  renew: "play.mendRenew",
  tcp: "play.mendTcp",
} as const satisfies Record<NonNullable<Interruption["recovery"]>, TextKey>;

/** The interruption, and for the player what happens to the money. A spectator reads only that the machine is locked. */
function Sentence({ interruption: { is, lamp, owed, recovery, because, playsOn } }: { interruption: Interruption }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { watching = false } = usePlay();
  const locked = isLockup(is);
  if (watching && locked) return <Said lamp={lamp} text={t("play.machineLocked")} />;
  if (because !== undefined) return <Said lamp={lamp} text={t(`play.${is}`)} about={because} />;
  if (recovery !== undefined) {
    const kept = watching ? "" : ` ${t("play.machineAwayAbout")}`;
    return <Said lamp={lamp} text={t(`play.${is}`)} about={`${t(RECOVERIES[recovery])}${kept}`} />;
  }
  if (playsOn && !watching) return <Said lamp={lamp} text={t(`play.${is}`)} about={t("play.playsOn")} />;
  const amount = moneyText(owed ?? 0, currency, language, true);
  const about = locked || is === "machineAway" ? t(`play.${is}About`) : undefined;
  return <Said lamp={lamp} text={t(`play.${is}`, { amount })} about={watching ? undefined : about} />;
}

function Said({ lamp, text, about }: { lamp: Interruption["lamp"]; text: string; about?: string | undefined }) {
  return (
    <div>
      <Lamp status={lamp} className={css["said"] ?? ""}>
        {text}
      </Lamp>
      {about !== undefined && <p className={css["about"]}>{about}</p>}
    </div>
  );
}

/**
 * A small plate over the machine's own buttons: free spins with those left, a bonus, a jackpot. A countdown replaces it.
 * Screen readers announce each when it begins, not every spin.
 */
export function SpecialPlayPlate() {
  const { session } = usePlay();
  const state = useLive(session.state);
  const special = state.countdown === undefined ? specialPlayOf(state) : undefined;
  return (
    <>
      <p className="visually-hidden" role="status">
        {special !== undefined && <BeginAnnouncement key={special.is} special={special} />}
      </p>
      {special?.is === "jackpot" && <Jackpot {...special} />}
      {special !== undefined && special.is !== "jackpot" && (
        <p className={css["plate"]} data-doing={special.is} aria-hidden="true">
          <SpecialPlayText special={special} />
        </p>
      )}
    </>
  );
}

/** A moment of its own: the jackpot's name and what it paid. */
function Jackpot({ name, amount }: { name: string; amount: number }) {
  const { t } = useText();
  return (
    <div className={css["jackpot"]} data-doing="jackpot" aria-hidden="true">
      <span className="plate">
        <bdi>{name === "" ? t("play.jackpot") : t("play.jackpotName", { name })}</bdi>
      </span>
      <Money minor={amount} tone="money" />
    </div>
  );
}

/** For screen readers: the text as it was at the beginning, so that a falling count announces nothing more. */
function BeginAnnouncement({ special }: { special: SpecialPlay }) {
  const [first] = useState(special);
  return <SpecialPlayText special={first} />;
}

function SpecialPlayText({ special }: { special: SpecialPlay }) {
  const { t, language } = useText();
  const currency = useCurrency();
  if (special.is === "bonus") return t("play.bonusOn");
  if (special.is === "freeSpins") return t("play.freeSpinsLeft", { count: special.left });
  const { name, amount: won } = special;
  const amount = moneyText(won, currency, language, true);
  return name === "" ? t("play.jackpotWon", { amount }) : t("play.jackpotOf", { name, amount });
}

/** The button that calls an attendant; while a call is open, its state instead. `quiet`: inside a notice, which is announced as a whole. */
export function Attendant({ quiet = false }: { quiet?: boolean }) {
  const speech = useText();
  const { t, language } = speech;
  const { session } = usePlay();
  const click = useClick();
  const online = useLive(session.state, (state) => state.online);
  const { offered, call, busy, failed } = useLive(session.attendant.state);
  if (!offered) return null;
  const said = call !== undefined && call.state !== "closed" ? call : undefined;
  return (
    <div className={css["attendant"]} data-call={call?.state}>
      <div role={quiet ? undefined : "status"}>
        {said && (
          <Lamp status={said.state === "answered" ? "available" : "waiting"} className={css["call"] ?? ""}>
            {t(said.state === "answered" ? "play.attendantComing" : "play.attendantCalled", {
              time: dayAndTime(Date.parse(said.answeredAt ?? said.calledAt), language)[1],
            })}
          </Lamp>
        )}
        {failed && (
          <p className={css["failed"]}>
            {(failed.code !== null && codeText(speech, failed.code, failed.params)) || t("play.attendantFailed")}
          </p>
        )}
      </div>
      {said === undefined && (
        <Key
          kind={quiet ? "line" : "plain"}
          icon="player"
          busy={busy}
          disabled={!online}
          onClick={() => {
            click("key");
            session.attendant.call();
          }}
        >
          {t("play.attendant")}
        </Key>
      )}
    </div>
  );
}
