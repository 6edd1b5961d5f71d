import type { FloorMachine } from "@longarm/contract/staff-floor";
import { openBrowserSocket } from "@longarm/link/browser-socket";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useConsole } from "../../shared/console.ts";
import { Still } from "../../shared/floor/still.tsx";
import { useMay, useOnline } from "../../shared/me.ts";
import type { TextKey } from "../../shared/texts.ts";
import css from "./floor.module.css";
import type { NoVideo, VideoState } from "./live-video.ts";
import { openBrowserReceiver, watchMachine } from "./live-video.ts";

/** What is shown in place of live video, or about it. */
type Shown = VideoState | { readonly is: "none"; readonly why: NoVideo } | { readonly is: "hidden" };

/**
 * The machine now: live where the role may watch and frames come, else its newest still with the reason in words. It ends with the page, and while the
 * page is hidden.
 */
export function LivePicture({ machine }: { readonly machine: FloorMachine }) {
  const { t } = useText();
  const shown = useVideo(machine);
  const [status, word] = wordOf(shown);
  const stream = "stream" in shown ? shown.stream : undefined;
  return (
    <>
      <div className={css["stage"]} data-state={shown.is}>
        <Still machine={machine} />
        {stream !== undefined && <Video stream={stream} label={t("floor.liveOf", { name: machine.name })} />}
        {shown.is === "stalled" && <span className={css["stamp"]}>{t("floor.video_stalled")}</span>}
      </div>
      <p className={css["videoState"]} role="status">
        <Lamp status={status}>{t(word)}</Lamp>
        {shown.is === "live" && (
          <span className="soft num">
            {t("floor.framesPerSecond", { count: shown.frames ?? 0 })}
            {machine.player === null && <> · {t("floor.videoFree")}</>}
          </span>
        )}
      </p>
    </>
  );
}

function wordOf(shown: Shown): readonly [LampStatus, TextKey] {
  if (shown.is === "live") return ["playing", "floor.video_live"];
  if (shown.is === "none") return ["off", `floor.noVideo_${shown.why}` as TextKey];
  return ["waiting", `floor.video_${shown.is}` as TextKey];
}

/** The video of a machine for as long as the page shows it. */
function useVideo({ id, answers }: FloorMachine): Shown {
  const { timers, random } = useConsole();
  const may = useMay("machine.watch");
  const online = useOnline();
  const visible = useVisible();
  const [state, setState] = useState<VideoState>({ is: "connecting" });
  const wanted = may && online && visible && answers;
  useEffect(() => {
    if (!wanted) return;
    const video = watchMachine({
      machineId: id,
      origin: location.origin.replace(/^http/, "ws"),
      timers,
      random,
      openSocket: openBrowserSocket,
      openReceiver: openBrowserReceiver,
    });
    setState(video.state.getState());
    const end = video.state.subscribe(setState);
    return () => {
      end();
      video.stop();
    };
  }, [wanted, id, timers, random]);
  if (!may) return { is: "none", why: "notAllowed" };
  if (!answers) return { is: "none", why: "away" };
  if (!visible) return { is: "hidden" };
  return online ? state : { is: "connecting" };
}

function useVisible(): boolean {
  return useSyncExternalStore(
    (changed) => {
      document.addEventListener("visibilitychange", changed);
      return () => document.removeEventListener("visibilitychange", changed);
    },
    () => document.visibilityState === "visible",
  );
}

function Video({ stream, label }: { readonly stream: MediaStream; readonly label: string }) {
  return (
    <video
      ref={(element) => {
        if (element !== null && element.srcObject !== stream) element.srcObject = stream;
      }}
      aria-label={label}
      autoPlay
      muted
      playsInline
      disablePictureInPicture
    />
  );
}
