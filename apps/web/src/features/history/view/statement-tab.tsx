import type { Statement } from "@longarm/contract/player-record";
import type { Language } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import type { ReactNode } from "react";
import { useState } from "react";
import type { ApiClient } from "../../../shared/api/client.ts";
import { ApiError } from "../../../shared/api/failure.ts";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import { saveFile } from "../../../shared/storage/save-file.ts";
import type { Figures } from "../statement.ts";
import { DETAILS, monthText, paidInNet, resultOf, statementFile, useStatement } from "../statement.ts";
import { countText, timeText } from "../times.ts";
import { ChipSelect } from "./filter-bar.tsx";
import css from "./statement-tab.module.css";

/** The tab: a year of the player's account, by month. */
export function StatementTab({ api }: { readonly api: Pick<ApiClient, "make"> }) {
  const speech = useText();
  const { t } = speech;
  const [year, setYear] = useState<number>();
  const { data, error, refetch, isPlaceholderData } = useStatement(api, year);
  if (data === "absent")
    return (
      <div role="status">
        <Notice title={t("record.statementAbsent")} body={t("record.statementAbsentBody")} />
      </div>
    );
  if (data !== undefined)
    return <Year statement={data} isOld={isPlaceholderData} wanted={year ?? data.year} onYear={setYear} />;
  if (error === null) return <p role="status">{t("history.loading")}</p>;
  return (
    <div role="alert">
      <Notice
        title={t("record.statementFailed")}
        body={error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed")}
      >
        <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
      </Notice>
    </div>
  );
}

type YearProps = {
  readonly statement: Statement;
  /** The year that was chosen is on its way. */
  readonly isOld: boolean;
  readonly wanted: number;
  readonly onYear: (year: number) => void;
};

function Year({ statement, isOld, wanted, onYear }: YearProps) {
  const speech = useText();
  const { t, language } = speech;
  const currency = useCurrency();
  const { year, months, total, timeZone, asOf } = statement;
  return (
    <div className={css["statement"]} aria-busy={isOld} data-old={isOld || undefined}>
      <Sums figures={total} />
      <Bars year={year} months={months} />
      <div className={css["bar"]}>
        <YearChoice years={statement.years} year={wanted} onYear={onYear} />
        <Key
          icon="download"
          onClick={() => saveFile(statementFile(statement, currency, speech), `longarm-statement-${year}.csv`)}
        >
          {t("record.csv")}
        </Key>
      </div>
      <Months statement={statement} />
      <Details figures={total} title={t("record.walletOf", { year })} />
      <p className={css["fine"]}>
        {t("record.statementAbout", { zone: timeZone, time: timeText(Date.parse(asOf), language) })}
      </p>
    </div>
  );
}

/** The six sums, result last, all in the same ink. */
function Sums({ figures }: { readonly figures: Figures }) {
  const { t } = useText();
  const sum = (name: string, minor: number, signed = false) => (
    <div>
      <dt className="plate">{name}</dt>
      <dd>
        <Money minor={minor} signed={signed} tone="ink" />
      </dd>
    </div>
  );
  return (
    <dl className={css["sums"]}>
      {sum(t("record.moneyIn"), figures.deposits)}
      {sum(t("record.moneyOut"), figures.withdrawals)}
      {sum(t("record.netPaidIn"), paidInNet(figures))}
      {sum(t("record.wagered"), figures.wagered)}
      {sum(t("record.won"), figures.won)}
      {sum(t("record.netResult"), resultOf(figures), true)}
    </dl>
  );
}

/** Arabic has no short names of months. */
const NAME_OF_BAR = { tr: "short", en: "short", ar: "numeric" } as const satisfies Record<Language, string>;
const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

/** Results of the months, above the line what was won and below it what was lost; the list beneath says the same in words. */
function Bars({ year, months }: Pick<Statement, "year" | "months">) {
  const { language } = useText();
  const results = new Map(months.map((of) => [of.month, resultOf(of)]));
  const most = Math.max(1, ...[...results.values()].map(Math.abs));
  return (
    <div className={css["bars"]} dir="ltr" aria-hidden="true">
      {MONTHS.map((month) => {
        const result = results.get(month) ?? 0;
        const size = `${(Math.abs(result) / most) * 100}%`;
        return (
          <div key={month}>
            <span data-above>{result > 0 && <i style={{ blockSize: size }} />}</span>
            <span data-below>{result < 0 && <i style={{ blockSize: size }} />}</span>
            <small>
              {timeFormat(language, { month: NAME_OF_BAR[language], timeZone: "UTC" }).format(
                Date.UTC(year, month - 1, 15),
              )}
            </small>
          </div>
        );
      })}
    </div>
  );
}

/** More years than this are chosen from a list. */
const SEGMENT_MAX = 3;

function YearChoice({
  years,
  year,
  onYear,
}: {
  readonly years: readonly number[];
  readonly year: number;
  readonly onYear: (year: number) => void;
}) {
  const { t } = useText();
  const options = years.map((one) => ({ value: String(one), label: String(one) }));
  const choice = {
    label: t("record.year"),
    options,
    value: String(year),
    onChange: (value: string) => onYear(Number(value)),
  };
  if (years.length < 2) return <b className="num">{year}</b>;
  return years.length > SEGMENT_MAX ? <ChipSelect {...choice} /> : <Segment {...choice} />;
}

/** The months, the newest first; each opens to what else moved in it. */
function Months({ statement: { year, months } }: { readonly statement: Statement }) {
  const speech = useText();
  const { t } = speech;
  if (months.length === 0) return <p role="status">{t("record.noMonths")}</p>;
  return (
    <div className={css["months"]}>
      <p className={css["head"]} aria-hidden="true">
        <span>{t("record.month")}</span>
        <span>{t("record.moneyIn")}</span>
        <span>{t("record.moneyOut")}</span>
        <span>{t("record.wagered")}</span>
        <span>{t("record.won")}</span>
        <span>{t("record.net")}</span>
      </p>
      {months.toReversed().map((of) => (
        <details key={of.month} data-month={of.month}>
          <summary>
            <b>{monthText(year, of.month, speech)}</b>
            <Cell name={t("record.moneyIn")}>
              <Money minor={of.deposits} tone="ink" />
            </Cell>
            <Cell name={t("record.moneyOut")}>
              <Money minor={of.withdrawals} tone="ink" />
            </Cell>
            <Cell name={t("record.wagered")}>
              <Money minor={of.wagered} tone="ink" />
            </Cell>
            <Cell name={t("record.won")}>
              <Money minor={of.won} tone="ink" />
            </Cell>
            <Cell name={t("record.net")} isNet>
              <Money minor={resultOf(of)} signed tone="ink" />
            </Cell>
          </summary>
          <Details figures={of} />
        </details>
      ))}
    </div>
  );
}

function Cell({
  name,
  isNet = false,
  children,
}: {
  readonly name: string;
  readonly isNet?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <span data-net={isNet || undefined}>
      <small>{name}</small> {children}
    </span>
  );
}

/** What moved in the wallet beside the sums, from what it held before to what it held after. */
function Details({ figures, title }: { readonly figures: Figures; readonly title?: string }) {
  const { t, language } = useText();
  return (
    <section className={css["details"]} aria-label={title}>
      {title !== undefined && <h2>{title}</h2>}
      <dl>
        {DETAILS.map(({ key, text, signed }) => (
          <div key={key}>
            <dt>{t(text)}</dt>
            <dd>
              <Money minor={figures[key]} signed={signed} tone="ink" />
            </dd>
          </div>
        ))}
        <div>
          <dt>{t("record.games")}</dt>
          <dd className="num">{countText(figures.games, language)}</dd>
        </div>
      </dl>
    </section>
  );
}
