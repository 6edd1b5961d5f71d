import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useWhen } from "../../shared/use-when.ts";
import css from "./reports.module.css";

/** Cashier shifts that were opened in the period. */
export function Shifts({ days }: { readonly days: { readonly from: string; readonly to: string } }) {
  const { t } = useText();
  const shifts = useRead("reportShifts", { query: days });
  const when = useWhen();
  const money = (minor: number | null, signed = false) =>
    minor === null ? "–" : <Money minor={minor} signed={signed} tone="ink" />;
  return (
    <Panel title={t("reports.shifts")} about={t("reports.shiftsAbout")}>
      <Loaded of={shifts}>
        {({ rows, rowsAreMore, total }) =>
          rows.length === 0 ? (
            <Empty title={t("reports.noShifts")} />
          ) : (
            <Scroller className={css["scroller"]}>
              <table className={`${panelCss["table"]} ${css["table"]}`}>
                <thead>
                  <tr>
                    <th scope="col">{t("reports.cashier")}</th>
                    <th scope="col">{t("reports.desk")}</th>
                    <th scope="col">{t("reports.opened")}</th>
                    <th scope="col">{t("reports.closed")}</th>
                    {(
                      ["float", "deposits", "withdrawals", "shouldBe", "counted", "difference", "receipts"] as const
                    ).map((head) => (
                      <th key={head} scope="col" data-number>
                        {t(`reports.${head}`)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((shift) => (
                    <tr key={shift.id}>
                      <th scope="row">{shift.cashier.name}</th>
                      <td>{shift.desk}</td>
                      <td className="num">{when(shift.openedAt)}</td>
                      <td className="num">{shift.closedAt === null ? t("reports.stillOpen") : when(shift.closedAt)}</td>
                      <td data-number>{money(shift.float)}</td>
                      <td data-number>{money(shift.cashIn)}</td>
                      <td data-number>{money(shift.cashOut)}</td>
                      <td data-number>{money(shift.expected)}</td>
                      <td data-number>{money(shift.counted)}</td>
                      <td data-number data-outside={(shift.difference ?? 0) !== 0 || undefined}>
                        {money(shift.difference, true)}
                      </td>
                      <td data-number>{shift.receipts}</td>
                    </tr>
                  ))}
                </tbody>
                <tfoot>
                  <tr>
                    <th scope="row">{t("reports.closedShifts", { count: total.shifts - total.open })}</th>
                    <td colSpan={4} className="soft">
                      {rowsAreMore && t("reports.rowsAreMore", { count: rows.length })}
                    </td>
                    <td data-number>{money(total.cashIn)}</td>
                    <td data-number>{money(total.cashOut)}</td>
                    <td />
                    <td />
                    <td data-number>{money(total.difference, true)}</td>
                    <td />
                  </tr>
                </tfoot>
              </table>
            </Scroller>
          )
        }
      </Loaded>
    </Panel>
  );
}
