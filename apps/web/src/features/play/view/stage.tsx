import type { MachineFacts } from "@longarm/contract/machine";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import type { CSSProperties, RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import type * as z from "zod/mini";
import type { EdgeLight, Saver } from "../browser/ambient.ts";
import { paintAmbient, watchSaving } from "../browser/ambient.ts";
import { keepLastFrame, sampleCanvas, useStarted, watchFrames } from "../browser/media-element.ts";
import { winLevel } from "../state/game-results.ts";
import type { PlayState } from "../state/play-state.ts";
import { usePlay, useStill } from "./play-context.ts";
import css from "./stage.module.css";

/** The machine: its video, its sound, and the light it casts. No control ever covers its glass. */
export function Stage() {
  const { t } = useText();
  const { session, machineName, deps, screen } = usePlay();
  const video = useRef<HTMLVideoElement>(null);
  const turned = useLive(screen.now, ({ turned }) => turned);
  const { streams, machine, started, live } = useLive(session.state);
  const locked = useStarted(video, streams.video);
  useEffect(() => {
    if (video.current === null || streams.video === undefined) return;
    return watchFrames(video.current, (frame) => session.frameShown(frame));
  }, [streams.video, session]);
  useEffect(() => {
    screen.change({ video: video.current });
    return () => screen.change({ video: null });
  }, [screen]);
  const [kept, grey] = useLastFrame(video);
  const still = deps.machine?.image;
  return (
    <div
      className={css["stage"]}
      data-started={started}
      data-live={live}
      data-grey={grey || undefined}
      data-video={machine?.videoType}
    >
      <Ambient kept={kept} />
      {!started && still && <Still source={new URL(still, deps.addresses.api).href} />}
      <div className={css["turn"]} data-turned={turned}>
        <div className={css["cut"]} data-cut={machine?.cutScreen !== undefined} style={cutStyle(machine?.cutScreen)}>
          <canvas ref={kept} className={css["kept"]} width="640" height="360" />
          <video
            ref={video}
            className={css["video"]}
            aria-label={t("play.picture", { machine: machine?.name ?? machineName })}
            muted
            autoPlay
            playsInline
          />
          <div className={css["edges"]} />
        </div>
      </div>
      {locked && (
        <Locked icon="camera" middle>
          {t("play.pictureLocked")}
        </Locked>
      )}
      <Sound silent={locked} />
    </div>
  );
}

/** The machine's still from the lobby, until the first frame arrives. */
function Still({ source }: { source: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  return <img className={css["still"]} src={source} alt="" onError={() => setFailed(true)} />;
}

/** A canvas with the last frame that showed the machine, and whether the present one is a decoder's grey. */
function useLastFrame(video: RefObject<HTMLVideoElement | null>): [RefObject<HTMLCanvasElement | null>, boolean] {
  const { deps } = usePlay();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [grey, setGrey] = useState(false);
  useEffect(() => {
    const kept = canvas.current?.getContext("2d", { alpha: false });
    if (video.current === null || !kept) return;
    const { width, height } = kept.canvas;
    const latest = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", {
      alpha: false,
    });
    const sample = sampleCanvas();
    if (latest === null || sample === null) return;
    return keepLastFrame({ kept, latest, sample, video: video.current }, deps.timers, setGrey);
  }, [video, deps]);
  return [canvas, grey];
}

type Cut = z.infer<typeof MachineFacts>["cutScreen"];

/** Shares of the video as percentages for the style sheet: how much larger it is drawn, and how far it is moved. */
function cutStyle(cut: Cut): CSSProperties | undefined {
  if (cut === undefined) return undefined;
  const { x, y, width, height } = cut;
  return {
    "--cut-ratio": String((16 * width) / (9 * height)),
    "--cut-width": `${100 / width}%`,
    "--cut-height": `${100 / height}%`,
    "--cut-x": `${(-100 * x) / width}%`,
    "--cut-y": `${(-100 * y) / height}%`,
  } as CSSProperties;
}

/** The light that the machine casts into the room. Off with reduced motion, and while the device saves power or data. */
function Ambient({ kept }: { kept: RefObject<HTMLCanvasElement | null> }) {
  const { session, deps } = usePlay();
  const canvas = useRef<HTMLCanvasElement>(null);
  const still = useStill();
  const [saving, setSaving] = useState(false);
  useEffect(() => watchSaving(navigator as Saver, setSaving), []);
  const off = still || saving;
  useEffect(() => {
    if (off || canvas.current === null || kept.current === null) return;
    const cut = kept.current.parentElement;
    const lit = (edges: EdgeLight | undefined): void => {
      for (const side of ["left", "right"] as const) cut?.style.setProperty(`--light-${side}`, edges?.[side] ?? null);
    };
    const framesPerSecond = (): number => session.link.getState().readout.framesPerSecond;
    const parts = { canvas: canvas.current, kept: kept.current, framesPerSecond, lit };
    const stop = paintAmbient(parts, deps.timers);
    return () => {
      stop();
      lit(undefined);
    };
  }, [off, kept, session, deps]);
  return (
    <div className={css["ambient"]} data-light={off ? "off" : "on"}>
      <canvas ref={canvas} width="64" height="36" />
    </div>
  );
}

/** How loud the machine's own sound stays while it celebrates what is no win. */
const PLAIN_SHARE = 0.1;

/** A win that is not above its stake, where the market wants that plain (RTS 14F): the machine's own celebration is turned down until the next game. */
function isPlainWin({ rules, meters, stake }: PlayState): boolean {
  const win = meters?.win ?? 0;
  return rules?.winBelowStakePlain === true && stake !== undefined && win > 0 && winLevel(win, stake) === 0;
}

/** The machine's own sound. Browsers block it until the first gesture; the page shows that and starts it with any gesture. */
function Sound({ silent }: { silent: boolean }) {
  const { t } = useText();
  const { session, preferences, screen } = usePlay();
  const stream = useLive(session.state, ({ streams }) => streams.audio);
  const { volume, muted } = useLive(preferences.now);
  const audio = useRef<HTMLAudioElement>(null);
  const plain = useLive(session.state, isPlainWin);
  const loudness = plain ? volume * PLAIN_SHARE : volume;
  const locked = useStarted(audio, stream);
  useEffect(() => screen.change({ soundLocked: locked }), [screen, locked]);
  useEffect(() => {
    if (audio.current !== null) audio.current.volume = loudness;
  }, [loudness]);
  return (
    <>
      <audio ref={audio} muted={muted} autoPlay data-locked={locked} data-plain={plain || undefined} />
      {locked && !silent && <Locked icon="muted">{t("play.soundLocked")}</Locked>}
    </>
  );
}

/** Prompt shown while the browser's autoplay policy blocks sound or video; any gesture unlocks it. */
function Locked({ icon, middle = false, children }: { icon: IconName; middle?: boolean; children: string }) {
  return (
    <div className={css["locked"]} data-middle={middle} role="status">
      <Key icon={icon}>{children}</Key>
    </div>
  );
}
