import { useEffect, useRef, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { usePlay } from "./play-context.ts";
import css from "./stage.module.css";

/** The machine's own sound. Browsers keep it quiet until the first gesture; the page says so and starts it with any. */
export function Sound() {
  const { t } = useText();
  const { session, preferences } = usePlay();
  const stream = useLive(session.state, ({ streams }) => streams.audio);
  const { volume, muted } = useLive(preferences.now);
  const audio = useRef<HTMLAudioElement>(null);
  const [locked, setLocked] = useState(false);
  useEffect(() => {
    const element = audio.current;
    if (element === null || stream === undefined) return;
    element.srcObject = stream;
    element.play().then(
      () => setLocked(false),
      () => setLocked(true),
    );
  }, [stream]);
  useEffect(() => {
    if (audio.current !== null) audio.current.volume = volume;
  }, [volume]);
  useEffect(() => {
    if (!locked) return;
    const unlock = (): void => {
      audio.current?.play().then(
        () => setLocked(false),
        () => {},
      );
    };
    addEventListener("pointerup", unlock);
    addEventListener("keydown", unlock);
    return () => {
      removeEventListener("pointerup", unlock);
      removeEventListener("keydown", unlock);
    };
  }, [locked]);
  return (
    <>
      <audio ref={audio} muted={muted} autoPlay data-locked={locked} />
      {locked && (
        <p className={css["locked"]} role="status">
          <Icon name="muted" />
          {t("play.soundLocked")}
        </p>
      )}
    </>
  );
}
