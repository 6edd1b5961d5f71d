import type { ProviderSums } from "@longarm/contract/staff-reports";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { keyClass } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { businessDay, daysOf, periodText } from "./period.ts";
import css from "./reports.module.css";
import { useFigures } from "./use-figures.ts";

type Days = { readonly from: string; readonly to: string };
type Sum = ProviderSums["deposits"]["captured"];

/** The columns of payments. A withdrawal is never charged back. */
const FIGURES = ["made", "refused", "ended", "wentBack", "chargedBack", "underWay"] as const;
type Row = Readonly<Record<(typeof FIGURES)[number], Sum | null>>;

/** The sums of the business month that runs. */
export function ProvidersOfMonth() {
  const { language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const days = daysOf("month", businessDay(clock.now(), venue.timeZone, venue.dayBeginsMinutes));
  return <Providers days={days} period={periodText(days, language)} />;
}

/** Payments by the provider that they went through, and what the ledger says of the providers' accounts. */
export function Providers({ days, period }: { readonly days: Days; readonly period?: string }) {
  const { t, language } = useText();
  const report = useRead("reportProviders", { query: days });
  const file = `/staff/v1/reports/file?${new URLSearchParams({ of: "providers", ...days, format: "csv", language })}`;
  return (
    <Panel
      title={t("reports.providers")}
      about={period ?? t("reports.providersAbout")}
      tools={
        <a
          className={keyClass({ kind: "line" })}
          href={file}
          aria-label={t("reports.csvOf", { name: t("reports.providers") })}
          download
        >
          <Icon name="download" />
          {t("reports.csv")}
        </a>
      }
    >
      <Loaded of={report}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty icon="info" title={t("reports.noProviders")} body={t("reports.noProvidersAbout")} />
          ) : (
            <>
              <Payments rows={rows} />
              <Accounts rows={rows} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Payments({ rows }: { readonly rows: readonly ProviderSums[] }) {
  const { t } = useText();
  return (
    <Scroller className={css["scroller"]}>
      <table className={`${panelCss["table"]} ${css["table"]}`} aria-label={t("reports.providers")}>
        <thead>
          <tr>
            <th scope="col">{t("reports.provider")}</th>
            {FIGURES.map((figure) => (
              <th key={figure} scope="col" data-number title={t(`reports.paymentsAbout_${figure}`)}>
                {t(`reports.payments_${figure}`)}
              </th>
            ))}
          </tr>
        </thead>
        {rows.map(({ provider, deposits, withdrawals }) => (
          <tbody key={provider}>
            <SumsRow
              name={t("reports.depositsOf", { provider })}
              row={{ ...deposits, made: deposits.captured, wentBack: deposits.reversed }}
            />
            <SumsRow
              name={t("reports.withdrawalsOf", { provider })}
              row={{ ...withdrawals, made: withdrawals.paid, wentBack: withdrawals.reversed, chargedBack: null }}
            />
          </tbody>
        ))}
      </table>
    </Scroller>
  );
}

function SumsRow({ name, row }: { readonly name: string; readonly row: Row }) {
  const { count } = useFigures();
  return (
    <tr>
      <th scope="row">{name}</th>
      {FIGURES.map((figure) => {
        const sum = row[figure];
        if (sum === null || sum.count === 0)
          return (
            <td key={figure} data-number className="soft">
              –
            </td>
          );
        const isBack = figure === "wentBack" || figure === "chargedBack";
        return (
          <td key={figure} data-number data-outside={isBack || undefined}>
            <Money minor={sum.amount} tone="ink" /> <small className={css["times"]}>× {count(sum.count)}</small>
          </td>
        );
      })}
    </tr>
  );
}

function Accounts({ rows }: { readonly rows: readonly ProviderSums[] }) {
  const { t } = useText();
  const money = (minor: number, signed = false) =>
    signed && minor === 0 ? "–" : <Money minor={minor} signed={signed} tone="ink" />;
  return (
    <Scroller className={css["scroller"]}>
      <table className={`${panelCss["table"]} ${css["table"]}`} aria-label={t("reports.accounts")}>
        <thead>
          <tr>
            <th scope="col">{t("reports.account")}</th>
            {(["before", "byPayments", "byHand", "after", "owed"] as const).map((figure) => (
              <th key={figure} scope="col" data-number title={t(`reports.accountAbout_${figure}`)}>
                {t(`reports.account_${figure}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ provider, account, owed }) => (
            <tr key={provider}>
              <th scope="row">
                <bdi>{provider}</bdi>
              </th>
              <td data-number>{money(account.before)}</td>
              <td data-number>{money(account.byPayments, true)}</td>
              <td data-number data-outside={account.other !== 0 || undefined}>
                {money(account.other, true)}
              </td>
              <td data-number>{money(account.after)}</td>
              <td data-number data-outside={owed > 0 || undefined}>
                {owed === 0 ? "–" : money(owed)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
