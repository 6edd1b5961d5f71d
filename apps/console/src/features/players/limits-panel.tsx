import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import type { LimitKind } from "./limit-text.ts";
import { LIMIT_KINDS, useLimitText } from "./limit-text.ts";
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reached by keyboard. */}
      <div className={`${panelCss["scroller"]} ${css["limits"]}`} tabIndex={0}>
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
            {LIMIT_KINDS.map((kind) => (
              <LimitRow key={kind} kind={kind} detail={detail} at={at} />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function LimitRow(props: { readonly kind: LimitKind; readonly detail: Detail; readonly at: (when: string) => string }) {
  const { t } = useText();
  const limitText = useLimitText();
  const { kind, detail } = props;
  const { limits } = detail;
  const { later } = limits;
  const held = limits[kind];
  // Who has won has used nothing of a loss limit.
  const used = kind === "sessionMinutes" ? null : Math.max(0, detail.used[kind]);
  return (
    <tr>
      <th scope="row">
        {t(`players.${kind}`)}
        {later !== null && later[kind] !== held && (
          <small className={css["later"]}>
            {t("players.limitLater", { limit: limitText(kind, later[kind]), time: props.at(later.from) })}
          </small>
        )}
      </th>
      <td data-number>{limitText(kind, held)}</td>
      <td data-number>
        {used === null ? "–" : <Money minor={used} tone="ink" />}
        {used !== null && held !== null && (
          <span className={css["meter"]} aria-hidden="true">
            <i style={{ inlineSize: `${Math.min(100, (used / held) * 100)}%` }} />
          </span>
        )}
      </td>
    </tr>
  );
}
