import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import type { ReactNode } from "react";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { Draft } from "./ask-form.tsx";
import { AskForm } from "./ask-form.tsx";
import { CaseView } from "./case-view.tsx";
import css from "./disputes.module.css";
import type { DisputesApi } from "./disputes.ts";
import { useDispute } from "./disputes.ts";

export type QuestionPageProps = {
  readonly api: DisputesApi;
  /** The id of the game. */
  readonly game: string;
  /** The recording of the game, where there is one. */
  readonly recording: ReactNode;
  /** What staff wrote was shown: the sign-in's answer says from now on that nothing is new. */
  readonly onRead: () => void;
  readonly draft?: Draft;
};

/** A game and the question about it: the form while there is none, else how it goes. */
export function QuestionPage({ api, game, recording, onRead, draft }: QuestionPageProps) {
  const speech = useText();
  const { t } = speech;
  const { data, error, refetch } = useDispute(api, game);
  if (data === "missing")
    return (
      <div role="status">
        <Notice title={t("disputes.missing")} body={t("disputes.missingBody")} />
      </div>
    );
  if (data !== undefined)
    return (
      <div className={css["room"]}>
        {data.dispute === null ? (
          <AskForm api={api} answer={data} recording={recording} draft={draft} />
        ) : (
          <CaseView api={api} answer={data} dispute={data.dispute} recording={recording} onRead={onRead} />
        )}
      </div>
    );
  if (error === null) return <p role="status">{t("disputes.loading")}</p>;
  const reason = error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed");
  return (
    <div role="alert">
      <Notice title={t("disputes.failed")} body={reason}>
        <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
      </Notice>
    </div>
  );
}
