import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useSecondsLeft } from "@longarm/ui/time/use-seconds-left.ts";
import { useEffect, useState } from "react";
import { pageNow } from "../../../shared/page-clock/page-clock.ts";
import type { CalledAway } from "../../../shared/play-deps.ts";
import css from "./countdown.module.css";
import { Ring } from "./countdown.tsx";
import { usePlay } from "./play-context.ts";

const PAGE_CLOCK = { now: pageNow };
const LAST_SECONDS = 10;

/** A machine whose turn has come while the player sits here: to go there, or to let it pass. Never over the glass. */
export function AwayBanner() {
  const { deps } = usePlay();
  const called = useLive(deps.calledAway);
  return called === undefined ? null : <Called key={called.machine.id} called={called} />;
}

function Called({ called: { machine, endsAt, ofMs, stay } }: { readonly called: CalledAway }) {
  const { t } = useText();
  const { session, deps, sounds, preferences } = usePlay();
  const seconds = useSecondsLeft(endsAt, PAGE_CLOCK, deps.timers);
  const inGame = useLive(session.state, ({ meters }) => meters?.inGame === true || meters?.bonus === true);
  const leaving = useLive(session.state, ({ phase }) => phase !== "playing");
  const [busy, setBusy] = useState(false);
  const isLast = seconds === LAST_SECONDS;
  const [began] = useState(seconds);
  const isFirst = seconds === began;
  useEffect(() => {
    const { muted, volume } = preferences.now.getState();
    if ((isFirst || isLast) && !muted && navigator.userActivation?.hasBeenActive) sounds.attention(volume);
  }, [isFirst, isLast, sounds, preferences]);
  async function pass(): Promise<void> {
    setBusy(true);
    const passed = await stay();
    setBusy(false);
    if (!passed) deps.say("bad", t("play.stayFailed"));
  }
  const sentence = t(inGame ? "play.calledAfter" : "play.calledNow", { machine: shownMachine(machine) });
  return (
    <>
      <p className="visually-hidden" role="alert">
        {t("play.calledNow", { machine: shownMachine(machine) })}
      </p>
      <div className={css["banner"]} role="timer" data-last={seconds <= LAST_SECONDS || undefined} data-away>
        <Ring count={seconds} usual={Math.ceil(ofMs / 1_000)} />
        <span>{sentence}</span>
        <Key busy={leaving} aria-label={t("play.moveThere")} onClick={() => session.leave(machine)}>
          <Short long={t("play.moveThere")} short={t("play.moveShort")} />
        </Key>
        <Key className={css["stay"]} busy={busy} aria-label={t("play.stayHere")} onClick={() => void pass()}>
          <Short long={t("play.stayHere")} short={t("play.stayShort")} />
        </Key>
      </div>
    </>
  );
}

/** The word of a key, and the shorter one of a phone. */
function Short({ long, short }: { readonly long: string; readonly short: string }) {
  return (
    <>
      <span className={css["long"]}>{long}</span>
      <span className={css["short"]}>{short}</span>
    </>
  );
}
