import { useEffect, useRef } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Locked } from "./picture/locked.tsx";
import { useStarted } from "./picture/use-started.ts";
import { usePlay } from "./play-context.ts";

/** The machine's own sound. Browsers keep it quiet until the first gesture; the page says so and starts it with any. */
export function Sound({ silent }: { silent: boolean }) {
  const { t } = useText();
  const { session, preferences, screen } = usePlay();
  const stream = useLive(session.state, ({ streams }) => streams.audio);
  const { volume, muted } = useLive(preferences.now);
  const audio = useRef<HTMLAudioElement>(null);
  const locked = useStarted(audio, stream);
  useEffect(() => screen.change({ soundLocked: locked }), [screen, locked]);
  useEffect(() => {
    if (audio.current !== null) audio.current.volume = volume;
  }, [volume]);
  return (
    <>
      <audio ref={audio} muted={muted} autoPlay data-locked={locked} />
      {locked && !silent && <Locked icon="muted">{t("play.soundLocked")}</Locked>}
    </>
  );
}
