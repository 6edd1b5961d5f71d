import { failureText } from "../../../shared/i18n/problem-text.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Key } from "../../../shared/ui/key.tsx";
import type { Download, DownloadState } from "../model/download.ts";
import { countText } from "../model/times.ts";
import css from "./download-strip.module.css";

/** How far the file is, and how to stop it or go on after a failure. */
export function DownloadStrip({ download }: { readonly download: Download }) {
  const speech = useText();
  const state = useLive(download.state);
  const { t } = speech;
  return (
    <div role="status" className={css["status"]}>
      {state.is === "running" && (
        <div className={css["strip"]}>
          <span>{t("history.downloading")}</span>
          <progress
            aria-label={t("history.downloading")}
            value={state.total ? state.rows : undefined}
            max={state.total}
          />
          <span className="num">
            <RowsSoFar state={state} />
          </span>
          <Key kind="bare" onClick={download.cancel}>
            {t("history.cancel")}
          </Key>
        </div>
      )}
      {state.is === "failed" && (
        <div className={css["strip"]} data-failed>
          <span>
            {t("history.downloadFailed", { rows: countText(state.rows, speech.language) })}{" "}
            {failureText(speech, state.failure)}
          </span>
          <Key kind="line" onClick={download.retry}>
            {t("history.goOn")}
          </Key>
          <Key kind="bare" onClick={download.cancel}>
            {t("history.cancel")}
          </Key>
        </div>
      )}
    </div>
  );
}

function RowsSoFar({ state: { rows, total } }: { readonly state: Extract<DownloadState, { is: "running" }> }) {
  const { t, language } = useText();
  const so = countText(rows, language);
  if (total === undefined || total < rows) return t("history.downloaded", { rows: so });
  return t("history.downloadedOf", { rows: so, total: countText(total, language) });
}
