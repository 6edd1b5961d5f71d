import type { GameClip } from "@longarm/contract/clips";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { ReactNode } from "react";
import { useState } from "react";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { ClipPlayer } from "./clip-player.tsx";
import css from "./clips.module.css";
import type { ClipsApi } from "./clips.ts";
import { useClip, useRequestClip, useSegments, useWish } from "./clips.ts";

export type RecordingProps = {
  readonly api: ClipsApi;
  /** The id of the game. */
  readonly game: string;
  /** The page is there for the recording alone: it is fetched without a press, and what happened is beside it. */
  readonly whole?: boolean;
};

/** The recording of a game: how far it is on its way, or the player of it. Nothing of the live picture is here: no meters, no keys. */
export function Recording({ api, game, whole = false }: RecordingProps) {
  const speech = useText();
  const { t } = speech;
  const { data, error, refetch } = useClip(api, game);
  const request = useRequestClip(api, game);
  const [failure, setFailure] = useState<ApiFailure>();
  const [busy, setBusy] = useState(false);
  async function wish(): Promise<void> {
    setBusy(true);
    setFailure(await request());
    setBusy(false);
  }
  const isNone = typeof data === "object" && data.state === "none";
  useWish(whole && isNone, () => void wish());
  if (failure !== undefined)
    return (
      <Plate failed>
        <p>{failureText(speech, failure)}</p>
        <Key onClick={() => void wish()} busy={busy}>
          {t("app.tryAgain")}
        </Key>
      </Plate>
    );
  if (data === "absent" || data === "closed") return <Plate>{t(`clips.${data}`)}</Plate>;
  if (data !== undefined) {
    if (data.state === "ready") return <Fetched api={api} game={game} clip={data} whole={whole} />;
    return (
      <Plate>
        <p>{t(stateText(data))}</p>
        {(data.state === "missing" || (isNone && !whole)) && (
          <Key kind="line" onClick={() => void wish()} busy={busy}>
            {t(isNone ? "clips.watch" : "app.tryAgain")}
          </Key>
        )}
      </Plate>
    );
  }
  if (error === null) return <Plate>{t("clips.loading")}</Plate>;
  return (
    <Plate failed>
      <p>{error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed")}</p>
      <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
    </Plate>
  );
}

/** What a state means, in a sentence. */
function stateText({ state, reason }: GameClip) {
  if (state === "none" || state === "fetching" || state === "ready") return `clips.state_${state}` as const;
  if (state === "missing") return `clips.${reason ?? "failed"}` as const;
  return reason === "agentAway" ? "clips.agentAway" : "clips.state_wanted";
}

/** In the place of the picture while there is none. */
function Plate({ failed = false, children }: { readonly failed?: boolean; readonly children: ReactNode }) {
  return (
    <div className={css["plate"]} role={failed ? "alert" : "status"}>
      {children}
    </div>
  );
}

function Fetched({ api, game, clip, whole }: RecordingProps & { readonly clip: GameClip; readonly whole: boolean }) {
  const speech = useText();
  const { t } = speech;
  const { loaded, all, failure, again } = useSegments(api, game, clip.segments);
  if (all !== undefined) return <ClipPlayer clip={clip} segments={all} whole={whole} />;
  if (failure === undefined)
    return <Plate>{t("clips.loadingParts", { loaded: loaded + 1, count: clip.segments.length })}</Plate>;
  return (
    <Plate failed>
      <p>{failureText(speech, failure)}</p>
      <Key onClick={again}>{t("app.tryAgain")}</Key>
    </Plate>
  );
}
