import { useEffect, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { useCurrency } from "../../../shared/money/currency.ts";
import { moneyText } from "../../../shared/money/format.ts";
import { useSecondsLeft } from "../../../shared/time/use-seconds-left.ts";
import { Key } from "../../../shared/ui/key.tsx";
import { Lamp } from "../../../shared/ui/lamp.tsx";
import { isLockup } from "../state/machine/lockup.ts";
import type { Missing } from "../state/machine/saying.ts";
import { isAside, missingOf } from "../state/machine/saying.ts";
import { Attendant } from "./attendant.tsx";
import { ConnectionOpener } from "./connection/connection-opener.tsx";
import { usePlay } from "./play-context.ts";
import css from "./state-line.module.css";

/** One lamp and one sentence over the picture while something is missing, what that means, and the way out where nothing else helps. */
export function StateLine() {
  const { t } = useText();
  const { session, sounds, preferences } = usePlay();
  const state = useLive(session.state);
  const missing = missingOf(state);
  const counting = state.countdown !== undefined;
  const [test, setTest] = useState<boolean>();
  const lost = missing?.is === "connectionLost";
  useEffect(() => {
    const { muted, volume } = preferences.now.getState();
    if (lost && !muted) sounds.attention(volume);
  }, [lost, sounds, preferences]);
  return (
    <div
      className={css["place"]}
      role="status"
      data-aside={(state.heldUntil === undefined && missing !== undefined && isAside(missing)) || undefined}
      data-counting={counting || undefined}
    >
      {state.heldUntil !== undefined && <Held until={state.heldUntil} />}
      {state.heldUntil === undefined && missing !== undefined && (
        <div className={css["line"]} data-missing={missing.is}>
          <Sentence missing={missing} />
          {(missing.mend === "renew" || missing.mend === "tcp") && (
            <Key kind="line" onClick={() => setTest(true)}>
              {t("play.whyNoPicture")}
            </Key>
          )}
          {isLockup(missing.is) && <Attendant quiet />}
          {(missing.is === "checking" || missing.is === "loading") && (
            <Key kind="line" onClick={() => session.leaveNow()}>
              {t("play.toLobby")}
            </Key>
          )}
        </div>
      )}
      <ConnectionOpener open={test} first="test" onClose={() => setTest(false)} />
    </div>
  );
}

/** The platform wants a pause before the seat is asked for again: how long it still is. */
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

const MENDS = { restart: "mendRestart", renew: "mendRenew", tcp: "mendTcp" } as const;

/** What it is, and for the player what becomes of the money. Who only watches is told no more than that the machine is locked. */
function Sentence({ missing: { is, lamp, owed, mend, because, playsOn } }: { missing: Missing }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { watching = false } = usePlay();
  const locked = isLockup(is);
  if (watching && locked) return <Said lamp={lamp} text={t("play.machineLocked")} />;
  if (because !== undefined) return <Said lamp={lamp} text={t(`play.${is}`)} about={because} />;
  if (mend !== undefined) {
    const kept = watching ? "" : ` ${t("play.machineAwayAbout")}`;
    return <Said lamp={lamp} text={t(`play.${is}`)} about={`${t(`play.${MENDS[mend]}`)}${kept}`} />;
  }
  if (playsOn && !watching) return <Said lamp={lamp} text={t(`play.${is}`)} about={t("play.playsOn")} />;
  const amount = moneyText(owed ?? 0, currency, language, true);
  const about = locked || is === "machineAway" ? t(`play.${is}About`) : undefined;
  return <Said lamp={lamp} text={t(`play.${is}`, { amount })} about={watching ? undefined : about} />;
}

function Said({ lamp, text, about }: { lamp: Missing["lamp"]; text: string; about?: string | undefined }) {
  return (
    <div>
      <Lamp status={lamp} className={css["said"] ?? ""}>
        {text}
      </Lamp>
      {about !== undefined && <p className={css["about"]}>{about}</p>}
    </div>
  );
}
