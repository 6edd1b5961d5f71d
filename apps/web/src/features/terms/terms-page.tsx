import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import { useState } from "react";
import type { ApiClient } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import css from "./terms.module.css";
import { useAcceptTerms, useTerms, useTermsText } from "./terms.ts";
import { TermsBody, TermsChanges, useVersionLine } from "./terms-text.tsx";

export type TermsPageProps = {
  readonly api: Pick<ApiClient, "make">;
  /** The version was accepted; or what went wrong. */
  readonly onAccepted: (failure?: ApiFailure) => void;
};

/** Every version of the terms that holds or held, with what the player accepted and when. */
export function TermsPage({ api, onAccepted }: TermsPageProps) {
  const speech = useText();
  const { t, language } = speech;
  const { data, error, refetch } = useTerms(api, language);
  const lineOf = useVersionLine();
  const [chosen, choose] = useState<number>();
  if (data === "absent" || data?.versions.length === 0)
    return (
      <div role="status">
        <Notice title={t("terms.none")} body={t("terms.noneBody")} />
      </div>
    );
  if (data === undefined && error === null) return <p role="status">{t("terms.loading")}</p>;
  if (data === undefined) {
    const reason = error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed");
    return (
      <div role="alert">
        <Notice title={t("terms.failed")} body={reason}>
          <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
        </Notice>
      </div>
    );
  }
  const number = chosen ?? data.due ?? data.versions[0]?.number ?? 1;
  return (
    <div className={css["page"]}>
      <nav aria-label={t("terms.versions")}>
        <ul className={css["versions"]}>
          {data.versions.map((one) => (
            <li key={one.number}>
              <button
                type="button"
                aria-current={one.number === number || undefined}
                onClick={() => choose(one.number)}
              >
                <b>{lineOf(one)}</b>
                {one.acceptedAt === null ? (
                  <Lamp status={one.number === data.due ? "waiting" : "off"}>
                    {t(one.number === data.due ? "terms.waits" : "terms.notAccepted")}
                  </Lamp>
                ) : (
                  <Lamp status="available">
                    {t("terms.acceptedAt", { time: `\u2066${dateTimeText(one.acceptedAt, language)}\u2069` })}
                  </Lamp>
                )}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <Version key={number} api={api} number={number} isDue={number === data.due} onAccepted={onAccepted} />
    </div>
  );
}

function Version({
  api,
  number,
  isDue,
  onAccepted,
}: TermsPageProps & { readonly number: number; readonly isDue: boolean }) {
  const speech = useText();
  const { t, language } = speech;
  const { data, error } = useTermsText(api, number, language);
  const accept = useAcceptTerms(api);
  const [busy, setBusy] = useState(false);
  async function say(): Promise<void> {
    setBusy(true);
    const answer = await accept(number);
    setBusy(false);
    onAccepted(answer.ok ? undefined : answer.failure);
  }
  if (data === undefined)
    return <p role={error === null ? "status" : "alert"}>{t(error === null ? "terms.loading" : "terms.failed")}</p>;
  return (
    <article className={css["version"]} aria-label={data.title}>
      <h2 lang={data.language} dir="auto">
        {data.title}
      </h2>
      <TermsChanges terms={data} />
      <TermsBody terms={data} />
      {isDue && (
        <div>
          <Key big kind="brass" busy={busy} onClick={() => void say()}>
            {t("terms.accept", { number })}
          </Key>
        </div>
      )}
    </article>
  );
}
