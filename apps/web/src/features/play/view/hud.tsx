import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useState } from "react";
import css from "./hud.module.css";
import { usePlay } from "./play-context.ts";
import { LateSheet } from "./sheets/late-sheet.tsx";
import { Waiters } from "./waiters.tsx";

/** The top bar: the exit, the machine's name and whether it is simulated, the link. */
export function Hud({ name }: { name: string }) {
  const { t } = useText();
  const { session, requestLeave, deps } = usePlay();
  const simulated = useLive(session.state, ({ machine }) => (machine ?? deps.machine)?.simulated);
  const leaving = useLive(session.state, ({ phase }) => phase === "leaving");
  const [, words = name, number] = /^(.*?)\s*(\d+)$/.exec(name) ?? [];
  return (
    <>
      <div className={css["start"]}>
        {/* First, so that the next Tab stop is the exit. */}
        <div className={css["title"]}>
          <h1 ref={takeLostFocus} tabIndex={-1} className={css["name"]}>
            <bdi>
              {words} {number !== undefined && <span className="num">{number}</span>}
            </bdi>
          </h1>
          {simulated && <small className={`plate ${css["simulated"]}`}>{t("app.simulated")}</small>}
        </div>
        <Key
          kind="plain"
          icon="back"
          className={css["leave"]}
          busy={leaving}
          aria-label={t("play.toLobby")}
          onClick={requestLeave ?? (() => session.leave())}
        >
          <span>{t("play.lobby")}</span>
        </Key>
      </div>
      <div className={css["end"]}>
        <span className={css["waiters"]}>
          <Waiters />
        </span>
        <Watchers />
        <LinkReadout />
      </div>
    </>
  );
}

/** The heading of the loading screen had the focus and is gone: without this a screen reader would lose its place. */
function takeLostFocus(heading: HTMLElement | null) {
  if (document.activeElement === document.body) heading?.focus({ preventScroll: true });
}

/** Bars, quality, delay and frame rate; opens the connection sheet. Announced when the quality changes, not with every figure. */
function LinkReadout() {
  const [open, setOpen] = useState<boolean>();
  const { t } = useText();
  const { session } = usePlay();
  const { readout, press } = useLive(session.link);
  // The first figures follow the video by a moment: until then the link is not lost but connecting.
  const waits = useLive(session.state, ({ started, live }) => !started || live);
  // A link that had figures and is lost shows it, though video still arrives (player 7).
  const connecting = waits && readout.quality === "lost" && readout.delayMs === undefined;
  const { quality, bars, delayMs, estimated, framesPerSecond, roundTripMs } = readout;
  const word = t(connecting ? "play.connecting" : `play.${quality}`);
  const facts = [
    roundTripMs !== undefined && t("play.roundTrip", { ms: Math.round(roundTripMs) }),
    press !== undefined && t("play.pressToMachine", { ms: Math.round(press.toMachineMs) }),
    press?.toFrameMs !== undefined && t("play.pressToPicture", { ms: Math.round(press.toFrameMs) }),
  ].filter((fact) => typeof fact === "string");
  return (
    <>
      <button
        type="button"
        className={css["link"]}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        data-quality={connecting ? "connecting" : quality}
        data-round-trip-ms={roundTripMs}
        data-press-ms={press?.toMachineMs}
        data-press-picture-ms={press?.toFrameMs}
        title={facts.join("\n") || undefined}
      >
        <span className={css["bars"]} data-level={bars} aria-hidden="true">
          <i />
          <i />
          <i />
          <i />
        </span>
        <b>{word}</b>
        {delayMs !== undefined && (
          <span className="num" dir="ltr">
            {estimated && "≈ "}
            {t("play.ms", { value: delayMs })}
          </span>
        )}
        {delayMs !== undefined && (
          <span className={`num ${css["rate"]}`} dir="ltr">
            {t("play.fps", { value: framesPerSecond })}
          </span>
        )}
      </button>
      <span className="visually-hidden" role="status">
        {t("play.linkIs", { word })}
      </span>
      <LateSheet sheet="connection" open={open} first="now" onClose={() => setOpen(false)} />
    </>
  );
}

/** How many watch this machine; nothing while there are none. */
export function Watchers() {
  const { t } = useText();
  const { session } = usePlay();
  const count = useLive(session.state, ({ spectators }) => spectators);
  if (count === 0) return null;
  const said = t("play.watchers", { count });
  return (
    <span className={css["watchers"]} role="img" aria-label={said} title={said} data-watchers={count}>
      <Icon name="eye" />
      <span className="num">{count}</span>
    </span>
  );
}
