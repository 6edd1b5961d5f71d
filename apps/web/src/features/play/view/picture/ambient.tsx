import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import { paintAmbient } from "../../browser/screen/ambient.ts";
import type { Saver } from "../../browser/screen/saving.ts";
import { watchSaving } from "../../browser/screen/saving.ts";
import { usePlay } from "../play-context.ts";
import css from "../stage.module.css";
import { useStill } from "../use-still.ts";

/** The light that the machine throws into the room. Still with reduced motion, and while power or data is saved. */
export function Ambient({ video }: { video: RefObject<HTMLVideoElement | null> }) {
  const { session, deps } = usePlay();
  const canvas = useRef<HTMLCanvasElement>(null);
  const still = useStill();
  const [saving, setSaving] = useState(false);
  useEffect(() => watchSaving(navigator as Saver, setSaving), []);
  const off = still || saving;
  useEffect(() => {
    if (off || canvas.current === null || video.current === null) return;
    const rate = (): number => session.link.getState().readout.framesPerSecond;
    return paintAmbient(canvas.current, video.current, deps.timers, rate);
  }, [off, video, session, deps]);
  return <canvas ref={canvas} className={css["ambient"]} data-off={off} width="64" height="36" />;
}
