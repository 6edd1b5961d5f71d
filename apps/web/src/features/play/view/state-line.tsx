import { useEffect } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Key } from "../../../shared/ui/key.tsx";
import type { LampStatus } from "../../../shared/ui/lamp.tsx";
import { Lamp } from "../../../shared/ui/lamp.tsx";
import type { PlayState } from "../state/play-state.ts";
import { usePlay } from "./play-context.ts";
import css from "./state-line.module.css";

type Said = {
  readonly key: "loading" | "leaving" | "checking" | "connectionLost" | "machineAway" | "machineLocked" | "pictureLost";
  readonly lamp: LampStatus;
};

/** What is missing now, gravest first; undefined while all is well. */
function saidOf({ phase, online, agentAway, live, started, meters }: PlayState): Said | undefined {
  if (phase === "gone") return undefined;
  if (phase === "opening") return { key: "loading", lamp: "playing" };
  if (phase === "leaving") return { key: "leaving", lamp: "playing" };
  if (phase === "checking") return { key: "checking", lamp: "waiting" };
  if (!online) return { key: "connectionLost", lamp: "off" };
  if (agentAway) return { key: "machineAway", lamp: "off" };
  if (meters?.lockup !== undefined || meters?.handPay !== undefined) return { key: "machineLocked", lamp: "fault" };
  if (!live) return started ? { key: "pictureLost", lamp: "off" } : { key: "loading", lamp: "playing" };
  return undefined;
}

/** One lamp and one sentence over the picture while something is missing, and the way out where nothing else helps. */
export function StateLine() {
  const { t } = useText();
  const { session, sounds, preferences } = usePlay();
  const said = useLive(session.state, (state) => saidOf(state)?.key);
  const lamp = useLive(session.state, (state) => saidOf(state)?.lamp);
  useEffect(() => {
    const { muted, volume } = preferences.now.getState();
    if (said === "connectionLost" && !muted) sounds.attention(volume);
  }, [said, sounds, preferences]);
  return (
    <div className={css["place"]} role="status">
      {said !== undefined && lamp !== undefined && (
        <div className={css["line"]}>
          <Lamp status={lamp} className={css["said"] ?? ""}>
            {t(`play.${said}`)}
          </Lamp>
          {(said === "checking" || said === "loading") && (
            <Key kind="line" onClick={() => session.leaveNow()}>
              {t("play.toLobby")}
            </Key>
          )}
        </div>
      )}
    </div>
  );
}
