import type { RealityCheck } from "@longarm/contract/player-protection";
import { CHECK_MINUTES, CheckMinutes } from "@longarm/contract/player-protection";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { dayAndTime, elapsedText } from "@longarm/ui/time/time-text.ts";
import { useNow } from "@longarm/ui/time/use-now.ts";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import * as z from "zod/mini";
import { paths } from "../../../../shared/paths/paths.ts";
import { usePlay } from "../play-context.ts";
import css from "./check-sheet.module.css";

/** Its keys listen after this, ms: a finger that was on its way to SPIN must not answer it. */
const LISTENS_AFTER_MS = 1_000;

/** The reality check: what was played, and whether to continue. Nothing but an answer closes it (RTS 13B). */
export function CheckSheet({ open }: { open: boolean }) {
  const speech = useText();
  const { t, language } = speech;
  const { session, deps } = usePlay();
  const now = useNow(deps.clock, deps.timers);
  const check = useLive(session.state, ({ check }) => check.check);
  // What it showed stays while it closes.
  const [shown, setShown] = useState<RealityCheck>();
  if (check !== undefined && check !== shown) setShown(check);
  const [, clock] = dayAndTime(now, language);
  return (
    <Sheet
      alert
      open={open && shown !== undefined}
      title={shown === undefined ? "" : titleOf(speech, shown.playedMs)}
      className={css["sheet"] ?? ""}
      head={
        <p className={css["head"]}>
          <span className="plate">{t("play.checkName")}</span>
          <bdi className="num" dir="ltr">
            {clock}
          </bdi>
        </p>
      }
      finalFocus={() => document.querySelector<HTMLElement>("[data-spin]") ?? true}
    >
      {shown !== undefined && <Contents key={`${shown.id} ${open}`} shown={shown} />}
    </Sheet>
  );
}

const MINUTE_MS = 60_000;
const HOUR_MIN = 60;
/** Whole hours that are written out. */
const WHOLE_HOURS = [
  "play.checkTitle1",
  "play.checkTitle2",
  "play.checkTitle3",
  "play.checkTitle4",
  "play.checkTitle5",
  "play.checkTitle6",
] as const;

/** "You have played for one hour", and figures where it is not a whole hour. */
function titleOf({ t }: Pick<Speech, "t">, playedMs: number): string {
  const all = Math.floor(playedMs / MINUTE_MS);
  const [hours, minutes] = [Math.floor(all / HOUR_MIN), all % HOUR_MIN];
  const whole = WHOLE_HOURS[hours - 1];
  if (minutes === 0 && whole !== undefined) return t(whole);
  const time =
    hours === 0 ? t("play.checkMinutes", { count: minutes }) : t("play.checkHoursMinutes", { hours, minutes });
  return t("play.checkTitle", { time });
}

function Contents({ shown }: { shown: RealityCheck }) {
  const { t } = useText();
  const { session, deps } = usePlay();
  const { phase, online, meters } = useLive(session.state);
  const listens = useListens();
  const [busy, setBusy] = useState(false);
  const credit = meters?.credit ?? 0;
  const keep = async (): Promise<void> => {
    setBusy(true);
    const kept = await session.keepPlaying();
    setBusy(false);
    if (!kept) deps.say("bad", t("play.checkFailed"));
  };
  return (
    <div className={css["contents"]}>
      <dl className={css["figures"]}>
        <Figure name={t("play.checkTime")}>
          <bdi className="num" dir="ltr">
            {elapsedText(shown.playedMs)}
          </bdi>
        </Figure>
        <Figure name={t("play.checkGames")}>
          <span className="num">{shown.games}</span>
        </Figure>
        <Figure name={t("play.checkWagered")}>
          <Money minor={shown.wagered} tone="ink" />
        </Figure>
        <Figure name={t("play.checkWon")}>
          <Money minor={shown.won} tone="ink" />
        </Figure>
        <Figure name={t("play.checkNet")} whole>
          <Money minor={shown.won - shown.wagered} signed tone="ink" />
        </Figure>
      </dl>
      <p>{credit > 0 ? <Credit minor={credit} /> : t("play.checkNoCredit")}</p>
      {/* Equal in size, kind and weight; to stop comes first. */}
      <div className={css["twin"]}>
        <Key
          big
          busy={phase === "leaving"}
          aria-disabled={!listens || undefined}
          disabled={!online}
          onClick={() => listens && session.leave()}
        >
          {t("play.checkLeave")}
        </Key>
        <Key
          big
          busy={busy}
          aria-disabled={!listens || undefined}
          disabled={!online}
          onClick={() => void (listens && keep())}
        >
          {t("play.checkKeep")}
        </Key>
      </div>
      <Next />
    </div>
  );
}

const PLACE = "{amount}";

/** The credit that waits, in its own colour within the sentence. */
function Credit({ minor }: { minor: number }) {
  const { t } = useText();
  const [before, after] = t("play.checkCredit", { amount: PLACE }).split(PLACE);
  return (
    <>
      {before}
      <b>
        <Money minor={minor} />
      </b>
      {after}
    </>
  );
}

function Figure({ name, whole = false, children }: { name: string; whole?: boolean; children: ReactNode }) {
  return (
    <div data-whole={whole || undefined}>
      <dt className="plate">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function useListens(): boolean {
  const { deps } = usePlay();
  const [listens, setListens] = useState(false);
  useEffect(() => deps.timers.after(LISTENS_AFTER_MS, () => setListens(true)), [deps]);
  return listens;
}

/** The games of this player, and when the next check comes. */
function Next() {
  const { t } = useText();
  const { session, deps } = usePlay();
  const check = useLive(session.state, ({ rules }) => rules?.check);
  const [choosing, setChoosing] = useState(false);
  const everyMin = check?.everyMin ?? null;
  const { longestMin = null, mayBeOff = true } = check ?? {};
  const choices = CHECK_MINUTES.filter((minutes) => longestMin === null || minutes <= longestMin);
  const choose = async (value: string): Promise<void> => {
    const minutes = z.safeParse(CheckMinutes, Number(value));
    if (!(await session.chooseCheck(minutes.success ? minutes.data : null))) deps.say("bad", t("play.checkFailed"));
  };
  return (
    <div className={css["quiet"]}>
      {choosing ? (
        <Segment
          label={t("play.checkEvery")}
          value={String(everyMin)}
          onChange={choose}
          options={[
            ...choices.map((minutes) => ({ value: String(minutes), label: t("play.checkMin", { minutes }) })),
            ...(mayBeOff ? [{ value: "null", label: t("play.checkOff") }] : []),
          ]}
        />
      ) : (
        <>
          <a className={keyClass({ kind: "bare" })} href={paths.slotSessions} target="_blank" rel="noreferrer">
            {t("play.checkSeeGames")}
          </a>
          <Key kind="bare" onClick={() => setChoosing(true)}>
            {everyMin === null ? t("play.checkNextOff") : t("play.checkNext", { minutes: everyMin })}
          </Key>
        </>
      )}
    </div>
  );
}
