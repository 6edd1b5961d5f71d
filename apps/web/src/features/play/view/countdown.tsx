import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useEffect, useState } from "react";
import { codeText } from "../../../shared/i18n/problem-text.ts";
import css from "./countdown.module.css";
import { usePlay } from "./play-context.ts";

/** Screen readers announce the beginning and these seconds, not every one. */
const ANNOUNCED: readonly number[] = [30, 10, 5];
const LAST_SECONDS = 10;
/** The usual length of a countdown, s; a longer one sets the full ring itself. */
const WHOLE = 60;

/** Seconds left to deposit, to go on, or until the end, with what can be done about it. */
export function CountdownBanner() {
  const { t } = useText();
  const { session, openMoney, sounds, preferences } = usePlay();
  const { countdown, code, count, sentence } = useCountdown();
  useEffect(() => {
    const { muted, volume } = preferences.now.getState();
    if (count === LAST_SECONDS && !muted) sounds.attention(volume);
  }, [count, sounds, preferences]);
  return (
    <>
      <Announcement code={code} count={count} sentence={sentence} />
      {countdown && (
        <div className={css["banner"]} role="timer" data-last={count <= LAST_SECONDS || undefined} data-code={code}>
          <Ring count={count} />
          <span>{sentence}</span>
          {code === "CODE_18800" && <Key onClick={() => openMoney("cashIn")}>{t("play.deposit")}</Key>}
          {code === "CODE_18802" && <Key onClick={() => session.goOn()}>{t("play.continue")}</Key>}
        </div>
      )}
    </>
  );
}

/** The same at the top of a sheet, which covers the banner. It has no second button for what the sheet itself offers. */
export function SheetCountdown() {
  const { t } = useText();
  const { session } = usePlay();
  const { countdown, code, count, sentence } = useCountdown();
  return (
    <>
      <Announcement code={code} count={count} sentence={sentence} />
      {countdown && (
        <div className={css["strip"]} role="timer" data-last={count <= LAST_SECONDS || undefined}>
          <Ring count={count} />
          <span>{sentence}</span>
          {code === "CODE_18802" && <Key onClick={() => session.goOn()}>{t("play.continue")}</Key>}
        </div>
      )}
    </>
  );
}

function useCountdown() {
  const speech = useText();
  const { session } = usePlay();
  const countdown = useLive(session.state, (state) => state.countdown);
  const { code, count = 0 } = countdown ?? {};
  return { countdown, code, count, sentence: code === undefined ? "" : (codeText(speech, code, { count }) ?? "") };
}

/** For screen readers only. */
function Announcement({ code, count, sentence }: { code: string | undefined; count: number; sentence: string }) {
  const announced = useAnnounced(code, count, sentence);
  return (
    <>
      <p className="visually-hidden" role="status">
        {!announced.urgent && announced.sentence}
      </p>
      <p className="visually-hidden" role="alert">
        {announced.urgent && announced.sentence}
      </p>
    </>
  );
}

/**
 * What is announced now: politely at first, and at once in the last seconds. It exists during its own second only: otherwise a screen reader
 * that moves through the page would read the countdown twice.
 */
function useAnnounced(
  code: string | undefined,
  count: number,
  sentence: string,
): { sentence: string; urgent: boolean } {
  const [began, setBegan] = useState({ code, count });
  if (code !== began.code) setBegan({ code, count });
  const isAnnounced = count === began.count || ANNOUNCED.includes(count);
  return { sentence: isAnnounced ? sentence : "", urgent: code !== undefined && count <= LAST_SECONDS };
}

/** `usual`: how much fills it, unless it begins with more. */
export function Ring({ count, usual = WHOLE }: { count: number; usual?: number }) {
  const [whole, setWhole] = useState(usual);
  if (count > whole) setWhole(count);
  return (
    <span
      className={`num ${css["ring"]}`}
      aria-hidden="true"
      style={{ "--share": `${(100 * count) / whole}%` } as React.CSSProperties}
    >
      {count}
    </span>
  );
}
