import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { Note, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import type { CountedLimit } from "./limit-text.ts";
import { isTime, shownLimits, useLimitText } from "./limit-text.ts";
import css from "./players.module.css";

type Detail = AnswerOf<"player">;

/** What holds for a player, how much of it is used, what comes later, and until when play is barred. */
export function LimitsPanel({ detail }: { readonly detail: Detail }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const at = (when: string) => whenText(when, clock.now(), venue.timeZone, language);
  const { excludedUntil } = detail.limits;
  return (
    <Panel title={t("players.limits")} about={t("players.limitsAbout")}>
      {excludedUntil !== null && (
        <div className={panelCss["body"]}>
          <Note kind="wait">{t("players.excludedNow", { time: at(excludedUntil) })}</Note>
        </div>
      )}
      <Scroller className={css["limits"]}>
        <table className={panelCss["table"]}>
          <thead>
            <tr>
              <th scope="col">{t("players.limit")}</th>
              <th scope="col" data-number>
                {t("players.holds")}
              </th>
              <th scope="col" data-number>
                {t("players.used")}
              </th>
            </tr>
          </thead>
          <tbody>
            {shownLimits(detail.limits.counted).map((one) => (
              <LimitRow key={one.key} limit={one} at={at} />
            ))}
          </tbody>
        </table>
      </Scroller>
    </Panel>
  );
}

function LimitRow({ limit, at }: { readonly limit: CountedLimit; readonly at: (when: string) => string }) {
  const { t } = useText();
  const { nameOf, wordsOf } = useLimitText();
  const { key, value, owner, used, later } = limit;
  return (
    <tr>
      <th scope="row">
        {nameOf(key)}
        {later !== null && (
          <small className={css["later"]}>
            {t("players.limitLater", { limit: wordsOf(key, later.value), time: at(later.from) })}
            {later.asksAgain && ` · ${t("players.limitAsks")}`}
          </small>
        )}
      </th>
      <td data-number>
        {wordsOf(key, value)}
        {owner !== null && <small className={css["later"]}>{t(`players.owner_${owner}`)}</small>}
      </td>
      <td data-number>
        <Used limit={limit} />
        {value !== null && key !== "session" && (
          <span className={css["meter"]} aria-hidden="true">
            <i style={{ inlineSize: `${Math.min(100, (used / Math.max(1, value)) * 100)}%` }} />
          </span>
        )}
      </td>
    </tr>
  );
}

function Used({ limit: { key, used } }: { readonly limit: CountedLimit }) {
  const { wordsOf } = useLimitText();
  if (key === "session") return "–";
  return isTime(key) ? wordsOf(key, used) : <Money minor={used} tone="ink" />;
}
