import type { ReportRow } from "@longarm/contract/staff-reports";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { whenText } from "../../shared/times.ts";
import { Empty, Loaded, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { periodText } from "./period.ts";
import css from "./reports.module.css";

type Days = { readonly from: string; readonly to: string };
type Kind = "games" | "transfers";

/** What the figures of a machine are made of: its games and its transfers of the period, newest first. */
export function FigureRows(props: {
  /** A row by machine; undefined: closed. */
  readonly row: ReportRow | undefined;
  readonly days: Days;
  readonly onClose: () => void;
}) {
  const { t, language } = useText();
  const [kind, setKind] = useState<Kind>("games");
  const { row, days } = props;
  return (
    <Sheet
      open={row !== undefined}
      title={row === undefined ? "" : t("reports.rowsOf", { name: row.name })}
      onClose={props.onClose}
      className={css["sheet"] ?? ""}
    >
      {row !== undefined && (
        <div className={css["rows"]}>
          <p className="soft">{periodText(days, language)}</p>
          <div className={css["rowTools"]}>
            <Segment<Kind>
              label={t("reports.rows")}
              value={kind}
              onChange={setKind}
              options={[
                { value: "games", label: t("reports.theGames") },
                { value: "transfers", label: t("reports.theTransfers") },
              ]}
            />
            <Link to={`${paths.floor}/${encodeURIComponent(row.key)}`}>{t("reports.toMachine")}</Link>
            <Key kind="bare" onClick={props.onClose}>
              {t("app.close")}
            </Key>
          </div>
          {kind === "games" ? (
            <Games key={row.key} machine={row.key} days={days} />
          ) : (
            <Transfers key={row.key} machine={row.key} days={days} />
          )}
        </div>
      )}
    </Sheet>
  );
}

type Pages = {
  readonly after: string | undefined;
  readonly steps: readonly string[];
  go(steps: readonly string[]): void;
};

function usePages(): Pages {
  const [steps, go] = useState<readonly string[]>([]);
  return { after: steps.at(-1), steps, go };
}

function Turn({ pages, next }: { readonly pages: Pages; readonly next: string | null }) {
  const { t } = useText();
  return (
    <div className={css["turn"]}>
      <Key kind="bare" disabled={pages.steps.length === 0} onClick={() => pages.go(pages.steps.slice(0, -1))}>
        {t("reports.newer")}
      </Key>
      <Key kind="bare" disabled={next === null} onClick={() => next !== null && pages.go([...pages.steps, next])}>
        {t("reports.older")}
      </Key>
    </div>
  );
}

type RowsProps = { readonly machine: string; readonly days: Days };

function Games({ machine, days }: RowsProps) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const pages = usePages();
  const games = useRead("reportGames", { query: { ...days, machine, ...(pages.after && { after: pages.after }) } });
  return (
    <Loaded of={games}>
      {({ rows, next }) =>
        rows.length === 0 ? (
          <Empty title={t("reports.noGames")} />
        ) : (
          <>
            <Scroller>
              <table className={panelCss["table"]}>
                <thead>
                  <tr>
                    <th scope="col" data-number>
                      {t("reports.number")}
                    </th>
                    <th scope="col">{t("reports.ended")}</th>
                    <th scope="col">{t("reports.player")}</th>
                    <th scope="col" data-number>
                      {t("reports.stake")}
                    </th>
                    <th scope="col" data-number>
                      {t("reports.win")}
                    </th>
                    <th scope="col" data-number>
                      {t("reports.wonByHand")}
                    </th>
                    <th scope="col" data-number>
                      {t("reports.creditAfter")}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((game) => (
                    <tr key={game.number}>
                      <td data-number>{game.number}</td>
                      <td className="num">{whenText(game.endedAt, clock.now(), venue.timeZone, language)}</td>
                      <td>{game.player?.username ?? "–"}</td>
                      {[game.stake, game.win, game.handPaid, game.creditAfter].map((minor, at) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: the columns are always the same.
                        <td key={at} data-number>
                          <Money minor={minor} tone="ink" />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroller>
            <Turn pages={pages} next={next} />
          </>
        )
      }
    </Loaded>
  );
}

function Transfers({ machine, days }: RowsProps) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const pages = usePages();
  const transfers = useRead("reportTransfers", {
    query: { ...days, machine, ...(pages.after && { after: pages.after }) },
  });
  return (
    <Loaded of={transfers}>
      {({ rows, next }) =>
        rows.length === 0 ? (
          <Empty title={t("reports.noTransfers")} />
        ) : (
          <>
            <Scroller>
              <table className={panelCss["table"]}>
                <thead>
                  <tr>
                    <th scope="col">{t("reports.at")}</th>
                    <th scope="col">{t("reports.kind")}</th>
                    <th scope="col">{t("reports.fromAccount")}</th>
                    <th scope="col">{t("reports.toAccount")}</th>
                    <th scope="col" data-number>
                      {t("app.amount")}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.id} title={row.id}>
                      <td className="num">{whenText(row.at, clock.now(), venue.timeZone, language)}</td>
                      <td>
                        <code className="ltr">{row.kind}</code>
                      </td>
                      <td className="ltr">{row.from}</td>
                      <td className="ltr">{row.to}</td>
                      <td data-number>
                        <Money minor={row.amount} tone="ink" />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroller>
            <Turn pages={pages} next={next} />
          </>
        )
      }
    </Loaded>
  );
}
