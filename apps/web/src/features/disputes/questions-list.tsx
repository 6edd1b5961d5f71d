import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import { Link } from "@tanstack/react-router";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import css from "./disputes.module.css";
import type { DisputesApi } from "./disputes.ts";
import { useDisputes } from "./disputes.ts";

/** The player's questions, the newest first. */
export function QuestionsList({ api }: { readonly api: DisputesApi }) {
  const speech = useText();
  const { t, language } = speech;
  const { data, error, refetch } = useDisputes(api);
  if (data === undefined && error === null) return <p role="status">{t("disputes.loading")}</p>;
  if (data === undefined)
    return (
      <div role="alert">
        <Notice
          title={t("disputes.failed")}
          body={error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed")}
        >
          <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
        </Notice>
      </div>
    );
  if (data === "absent" || data.length === 0)
    return (
      <div role="status">
        <Notice title={t("disputes.none")} body={t("disputes.noneBody")} />
      </div>
    );
  return (
    <ol className={css["list"]}>
      {data.map(({ number, game, kind, state, verdict, openedAt, isNew }) => (
        <li key={number}>
          <Link to={paths.slotSessions} search={{ question: game.id }}>
            <span>
              <b>
                {t("disputes.gameOf", { number: `\u2068${game.number}\u2069`, machine: `\u2068${game.machine}\u2069` })}
              </b>
              <small>
                {t(`disputes.kind_${kind}`)} · <bdi className="num">{dateTimeText(openedAt, language)}</bdi>
              </small>
            </span>
            <Lamp status={state === "decided" ? "available" : "waiting"}>
              {verdict === null ? t(`disputes.state_${state}`) : t(`disputes.verdict_${verdict}`)}
              {isNew && ` · ${t("disputes.new")}`}
            </Lamp>
          </Link>
        </li>
      ))}
    </ol>
  );
}
