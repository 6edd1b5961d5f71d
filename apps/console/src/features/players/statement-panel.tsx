import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import { Unsaid } from "@longarm/ui/unsaid.tsx";
import type { ReactNode } from "react";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { GameLink } from "../../shared/floor/game-link.tsx";
import { useMe } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import css from "./players.module.css";

type Statement = AnswerOf<"playerStatement">;
type Figures = Statement["total"];

/** The player's account in a year, by month: the same figures as on the player's own page. */
export function StatementPanel({ id }: { readonly id: string }) {
  const { t } = useText();
  const [year, setYear] = useState<string>();
  const statement = useRead("playerStatement", { params: { id }, query: year === undefined ? {} : { year } });
  return (
    <Panel
      title={t("players.statement")}
      about={t("players.statementAbout")}
      tools={<Years statement={statement.data} onYear={setYear} />}
    >
      <Loaded of={statement}>{(of) => <Table statement={of} />}</Loaded>
    </Panel>
  );
}

type YearsProps = { readonly statement: Statement | undefined; readonly onYear: (year: string) => void };

function Years({ statement, onYear }: YearsProps) {
  const { t } = useText();
  if (statement === undefined || statement.years.length < 2) return null;
  return (
    <select
      className={css["year"]}
      aria-label={t("players.year")}
      value={String(statement.year)}
      onChange={({ target }) => onYear(target.value)}
    >
      {statement.years.map((year) => (
        <option key={year} value={String(year)}>
          {year}
        </option>
      ))}
    </select>
  );
}

/** What matters most comes first: the others are reached by scrolling. */
const FIRST = [
  ["deposits", "players.deposits"],
  ["withdrawals", "players.withdrawals"],
  ["wagered", "players.wagered"],
  ["won", "players.won"],
] as const;
const OTHERS = [
  ["toMachines", "players.toMachines"],
  ["fromMachines", "players.fromMachines"],
  ["bonuses", "players.bonuses"],
  ["discounts", "players.discounts"],
  ["fees", "players.fees"],
  ["handPays", "players.handPays"],
  ["corrections", "players.corrections"],
  ["closing", "players.closing"],
] as const;

/** Whether something moved or was played. */
const hasAny = (figures: Figures): boolean =>
  figures.games > 0 || [...FIRST, ...OTHERS].some(([key]) => key !== "closing" && figures[key] !== 0);

function Table({ statement: { year, months, total } }: { readonly statement: Statement }) {
  const { t, language } = useText();
  const name = (month: number) =>
    timeFormat(language, { month: "short", timeZone: "UTC" }).format(Date.UTC(year, month - 1, 15));
  const shown = months.filter(hasAny);
  if (shown.length === 0) return <Empty title={t("players.nothingInYear", { year })} />;
  return (
    <Scroller>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th scope="col">{year}</th>
            {FIRST.map(([key, text]) => (
              <th key={key} scope="col" data-number>
                {t(text)}
              </th>
            ))}
            <th scope="col" data-number>
              {t("players.net")}
            </th>
            {OTHERS.map(([key, text]) => (
              <th key={key} scope="col" data-number>
                {t(text)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.toReversed().map((of) => (
            <Line key={of.month} name={name(of.month)} figures={of} />
          ))}
          <Line name={t("players.yearTotal")} figures={total} />
        </tbody>
      </table>
    </Scroller>
  );
}

function Line({ name, figures }: { readonly name: string; readonly figures: Figures }) {
  const cell = (key: string, minor: number, signed = false): ReactNode => (
    <td key={key} data-number>
      <Money minor={minor} signed={signed} tone="ink" short />
    </td>
  );
  return (
    <tr>
      <th scope="row">{name}</th>
      {FIRST.map(([key]) => cell(key, figures[key]))}
      {cell("net", figures.won - figures.wagered, true)}
      {OTHERS.map(([key]) => cell(key, figures[key], key === "corrections"))}
    </tr>
  );
}

/** The last games of the player with the credits before and after; what a machine does not say is a dash. */
export function GamesPanel({ id }: { readonly id: string }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const read = useRead("playerGames", { params: { id } });
  const amount = (minor: number | null) => (minor === null ? <Unsaid /> : <Money minor={minor} tone="ink" />);
  return (
    <Panel title={t("players.lastGames")} about={t("players.lastGamesAbout")}>
      <Loaded of={read}>
        {({ games }) =>
          games.length === 0 ? (
            <Empty title={t("players.noGames")} />
          ) : (
            <Scroller>
              <table className={panelCss["table"]}>
                <thead>
                  <tr>
                    <th scope="col">{t("players.game")}</th>
                    {(["before", "stake", "win", "after"] as const).map((key) => (
                      <th key={key} scope="col" data-number>
                        {t(`players.${key}`)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {games.map((game) => (
                    <tr key={game.id}>
                      <th scope="row">
                        {game.machine}{" "}
                        <GameLink machine={game.id.slice(game.id.indexOf(".") + 1)} number={game.number} />
                        <small className={css["later"]}>
                          {whenText(game.end, clock.now(), venue.timeZone, language)}
                          {!game.addsUp && ` · ${t("players.doesNotAddUp")}`}
                        </small>
                      </th>
                      <td data-number>{amount(game.before)}</td>
                      <td data-number>{amount(game.stake)}</td>
                      <td data-number>{amount(game.win)}</td>
                      <td data-number>{amount(game.after)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroller>
          )
        }
      </Loaded>
    </Panel>
  );
}
