import type { OwnLimit, OwnLimits } from "@longarm/contract/player-limits";
import type { CheckRules, LimitPeriod, LimitSubject } from "@longarm/contract/player-protection";
import { CHECK_MINUTES, CheckMinutes, LIMIT_PERIODS } from "@longarm/contract/player-protection";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { LOCALES, moneyText } from "@longarm/ui/money/format.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { SMALL, useMedia } from "@longarm/ui/use-media.ts";
import { useState } from "react";
import * as z from "zod/mini";
import { ApiError } from "../../../shared/api/failure.ts";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import type { LimitRow, SaferPlayDeps } from "../limits.ts";
import { keyOf, LIMIT_ROWS, partsOf, useLimitChange, useLimits, valueText } from "../limits.ts";
import { BegunLines, ComingLines } from "./coming-lines.tsx";
import { Gauge } from "./gauge.tsx";
import { SaferIcon } from "./icons.tsx";
import { LimitSheet } from "./limit-sheet.tsx";
import { OfferPanel } from "./limits-offer.tsx";
import css from "./limits-tab.module.css";
import { Means } from "./means.tsx";

/** The player's limits: what is left of each, what waits, and how to change them. */
export function LimitsTab({ deps }: { readonly deps: SaferPlayDeps }) {
  const speech = useText();
  const { t } = speech;
  const { data, error, refetch, dataUpdatedAt } = useLimits(deps);
  if (data === "absent")
    return (
      <div role="status">
        <Notice title={t("saferPlay.absent")} body={t("saferPlay.absentBody")} />
      </div>
    );
  if (data !== undefined) return <Limits deps={deps} limits={data} readAt={dataUpdatedAt} />;
  if (error === null) return <Skeleton />;
  const reason = error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed");
  return (
    <div role="alert">
      <Notice title={t("saferPlay.failed")} body={reason}>
        <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
      </Notice>
    </div>
  );
}

/** What is being changed: a row, beginning with a period. */
type Changing = { readonly row: LimitRow; readonly period: LimitPeriod };

function Limits(props: { readonly deps: SaferPlayDeps; readonly limits: OwnLimits; readonly readAt: number }) {
  const { deps, limits, readAt } = props;
  const isSmall = useMedia(SMALL);
  const [changing, setChanging] = useState<Changing>();
  const [last, setLast] = useState<Changing>({ row: "loss", period: "day" });
  if (changing !== undefined && changing !== last) setLast(changing);
  // The platform's clock decides when a wait is over; the page's own only measures what has passed since.
  const passed = Math.max(0, useNow(deps.clock, deps.timers, 15_000) - readAt);
  const nowMs = Date.parse(limits.now) + passed;
  const byKey = new Map(limits.limits.map((limit) => [limit.key, limit]));
  const View = isSmall ? LimitList : LimitTable;
  return (
    <>
      {limits.offered === true && <OfferPanel deps={deps} onAnswered={() => {}} />}
      <Required limits={limits.limits} />
      <BegunLines deps={deps} begun={limits.begun ?? []} />
      <ComingLines deps={deps} limits={limits.limits} nowMs={nowMs} />
      <View limits={byKey} onChange={setChanging} />
      <div className={css["below"]}>
        {limits.rules.check && <CheckChoice deps={deps} check={limits.rules.check} />}
        <Rules rules={limits.rules} />
      </div>
      <Means deps={deps} />
      <LimitSheet
        key={`${last.row} ${last.period}`}
        deps={deps}
        limits={byKey}
        asksAgain={limits.rules.asksAgain}
        nowMs={nowMs}
        open={changing !== undefined}
        row={last.row}
        start={last.period}
        onClose={() => setChanging(undefined)}
      />
    </>
  );
}

/** Limits without which no machine can be played here. */
function Required({ limits }: { readonly limits: readonly OwnLimit[] }) {
  const { t, language } = useText();
  const missing = limits.filter(({ required, mine }) => required && mine === null);
  if (missing.length === 0) return null;
  const names = missing.map(({ key }) => {
    const { row, period } = partsOf(key);
    return `${t(`saferPlay.${row}`)} (${t(`saferPlay.period_${period}`)})`;
  });
  const list = new Intl.ListFormat(LOCALES[language]).format(names);
  return (
    <p className={css["required"]} role="status">
      <SaferIcon name="scales" />
      {t("saferPlay.required", { limits: list })}
    </p>
  );
}

type ViewProps = {
  readonly limits: ReadonlyMap<LimitSubject, OwnLimit>;
  readonly onChange: (changing: Changing) => void;
};

/** All periods side by side. */
function LimitTable({ limits, onChange }: ViewProps) {
  const { t } = useText();
  return (
    <table className={css["table"]}>
      <thead>
        <tr>
          <th scope="col">{t("saferPlay.what")}</th>
          {LIMIT_PERIODS.map((period) => (
            <th key={period} scope="col">
              {t(`saferPlay.period_${period}`)}
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {LIMIT_ROWS.map((row) => (
          <tr key={row}>
            <th scope="row">
              {t(`saferPlay.${row}`)}
              <small>{t(`saferPlay.${row}About`)}</small>
              {row === "time" && <SessionLine limits={limits} />}
            </th>
            {LIMIT_PERIODS.map((period) => (
              <td key={period}>
                <LimitCell limits={limits} name={keyOf(row, period)} />
              </td>
            ))}
            <td className={css["act"]}>
              <Key
                aria-label={t("saferPlay.changeOf", { limit: t(`saferPlay.${row}`) })}
                onClick={() => onChange({ row, period: "day" })}
              >
                {t("saferPlay.change")}
              </Key>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** One period at a time, chosen by a segment. */
function LimitList({ limits, onChange }: ViewProps) {
  const { t } = useText();
  const [period, setPeriod] = useState<LimitPeriod>("day");
  return (
    <div className={css["list"]}>
      <Segment
        className={css["periods"] ?? ""}
        label={t("saferPlay.period")}
        value={period}
        onChange={setPeriod}
        options={LIMIT_PERIODS.map((value) => ({ value, label: t(`saferPlay.period_${value}`) }))}
      />
      <ul>
        {LIMIT_ROWS.map((row) => (
          <li key={row}>
            <h2>{t(`saferPlay.${row}`)}</h2>
            <div className={css["cell"]}>
              <LimitCell limits={limits} name={keyOf(row, period)} />
              {row === "time" && <SessionLine limits={limits} />}
            </div>
            <button
              type="button"
              className={css["pencil"]}
              aria-label={t("saferPlay.changeOf", { limit: t(`saferPlay.${row}`) })}
              onClick={() => onChange({ row, period })}
            >
              <SaferIcon name="edit" />
            </button>
          </li>
        ))}
      </ul>
      <p className={css["fine"]}>{t("saferPlay.note")}</p>
    </div>
  );
}

function LimitCell({ limits, name }: { readonly limits: ViewProps["limits"]; readonly name: LimitSubject }) {
  const { t } = useText();
  const limit = limits.get(name);
  return limit === undefined ? <p className={css["fine"]}>{t("saferPlay.none")}</p> : <Gauge limit={limit} />;
}

/** How long one play session may last, beside the time at machines; nothing where it is not limited. */
function SessionLine({ limits }: Pick<ViewProps, "limits">) {
  const speech = useText();
  const currency = useCurrency();
  const { t } = speech;
  const value = limits.get("session")?.value ?? null;
  if (value === null) return null;
  return (
    <p className={css["session"]}>
      {t("saferPlay.session")}: <b>{valueText(speech, currency, "session", value)}</b>
    </p>
  );
}

/** After how many minutes at machines the reality check comes, as far as the market lets the player choose. */
function CheckChoice({ deps, check }: { readonly deps: SaferPlayDeps; readonly check: CheckRules }) {
  const speech = useText();
  const { t } = speech;
  const { mutate, isPending, variables } = useLimitChange(deps);
  const { everyMin, longestMin, mayBeOff } = check;
  const wanted = isPending && variables.is === "check" ? variables.minutes : everyMin;
  const offered = CHECK_MINUTES.filter((minutes) => longestMin === null || minutes <= longestMin);
  // The market's own interval may be none of those that a player chooses.
  const minutes = everyMin === null || offered.some((one) => one === everyMin) ? offered : [...offered, everyMin];
  function choose(value: string): void {
    const chosen = z.safeParse(CheckMinutes, Number(value));
    if (value !== "null" && !chosen.success) return;
    mutate(
      { is: "check", minutes: chosen.success ? chosen.data : null },
      {
        onError: (error) =>
          deps.messages.say(
            "bad",
            error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed"),
          ),
      },
    );
  }
  return (
    <section className={css["rules"]}>
      <h2>{t("saferPlay.check")}</h2>
      <p>{t("saferPlay.checkAbout")}</p>
      <Segment
        className={css["checks"] ?? ""}
        label={t("saferPlay.checkEvery")}
        value={String(wanted)}
        onChange={choose}
        options={[
          ...minutes.map((one) => ({ value: String(one), label: t("saferPlay.minutes", { count: one }) })),
          ...(mayBeOff ? [{ value: "null", label: t("saferPlay.checkOff") }] : []),
        ]}
      />
    </section>
  );
}

/** What the market rules for the play itself; nothing where it rules nothing. */
function Rules({ rules }: Pick<OwnLimits, "rules">) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { autoplay, minCycleMs, maxStake } = rules;
  if (autoplay && minCycleMs === 0 && maxStake === null) return null;
  const seconds = new Intl.NumberFormat(LOCALES[language]).format(minCycleMs / 1_000);
  return (
    <section className={css["rules"]}>
      <h2>{t("saferPlay.rules")}</h2>
      <ul>
        {!autoplay && (
          <li>
            <SaferIcon name="scales" />
            <span>
              <b>{t("saferPlay.ruleAutoplay")}</b> {t("saferPlay.ruleAutoplayAbout")}
            </span>
          </li>
        )}
        {minCycleMs > 0 && (
          <li>
            <SaferIcon name="scales" />
            <b>{t("saferPlay.ruleCycle", { seconds })}</b>
          </li>
        )}
        {maxStake !== null && (
          <li>
            <SaferIcon name="scales" />
            <b>{t("saferPlay.ruleStake", { amount: moneyText(maxStake, currency, language, true) })}</b>
          </li>
        )}
      </ul>
    </section>
  );
}

/** The shape of the table before it comes. */
function Skeleton() {
  const { t } = useText();
  return (
    <div role="status" className={css["skeleton"]}>
      <span className="visually-hidden">{t("saferPlay.loading")}</span>
      {LIMIT_ROWS.map((row) => (
        <span key={row} aria-hidden="true" />
      ))}
    </div>
  );
}
