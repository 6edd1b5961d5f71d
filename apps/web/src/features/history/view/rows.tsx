import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { keyClass } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { dayAndTime, elapsedText } from "@longarm/ui/time/time-text.ts";
import { Link } from "@tanstack/react-router";
import type { Column } from "../columns.ts";
import { COLUMN_TEXTS, FIGURES } from "../columns.ts";
import { sessionOf } from "../filters.ts";
import type { HistoryRow, Jackpot, ListingKind } from "../row.ts";
import { ACTIONS, actionText, JACKPOT, sourceText } from "../row.ts";
import { countText } from "../times.ts";
import css from "./rows.module.css";

type RowsProps = {
  readonly kind: ListingKind;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly HistoryRow[];
};

/** As many columns as this leave no air, and have no room at all in a narrow window. */
export const WIDE_FROM = 8;

/** The rows as a table with a head that stays in sight. */
export function RowsTable({ kind, title, columns, rows }: RowsProps) {
  return (
    <table className={css["table"]} data-wide={columns.length >= WIDE_FROM || undefined} aria-label={title}>
      <Head columns={columns} />
      <tbody>
        {rows.map((row, index) => (
          <Row key={row.id} kind={kind} columns={columns} row={row} place={index} />
        ))}
      </tbody>
    </table>
  );
}

function Head({ columns }: Pick<RowsProps, "columns">) {
  const { t } = useText();
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col" data-figure={FIGURES.has(column) || undefined}>
            {t(COLUMN_TEXTS[column])}
          </th>
        ))}
      </tr>
    </thead>
  );
}

type RowProps = Pick<RowsProps, "kind" | "columns"> & { readonly row: HistoryRow; readonly place: number };

function Row({ kind, columns, row, place }: RowProps) {
  return (
    <tr data-row={place} tabIndex={-1}>
      {columns.map((column) => (
        <td key={column} data-column={column} data-figure={FIGURES.has(column) || undefined}>
          {kind === "sessions" && column === "machine" ? (
            <SessionMachine row={row} />
          ) : (
            <Cell row={row} column={column} />
          )}
        </td>
      ))}
    </tr>
  );
}

/** The machine of a session opens that session. */
function SessionMachine({ row }: { readonly row: HistoryRow }) {
  const { t } = useText();
  return (
    <Link {...sessionOf(row)} className={css["machine"]} title={t("history.openSession")}>
      <Cell row={row} column="machine" />
    </Link>
  );
}

/** The two lines of a row: lead and amount, then date and what belongs to it. */
const LINES: Readonly<Record<ListingKind, { lead: Column; date: Column; beside: Column }>> = {
  sessions: { lead: "machine", date: "start", beside: "duration" },
  transactions: { lead: "type", date: "operationDate", beside: "machine" },
};

/** Small screens: two lines a row, and whatever else was chosen behind it. */
export function RowsList({ kind, title, columns, rows }: RowsProps) {
  const { lead, date, beside } = LINES[kind];
  const more = columns.filter((column) => ![lead, date, beside, "amount"].includes(column));
  return (
    <ul className={css["list"]} aria-label={title}>
      {rows.map((row, index) => (
        <Item key={row.id} kind={kind} row={row} more={more} place={index} />
      ))}
    </ul>
  );
}

type ItemProps = {
  readonly kind: ListingKind;
  readonly row: HistoryRow;
  readonly more: readonly Column[];
  readonly place: number;
};

function Item({ kind, row, more, place }: ItemProps) {
  const { t } = useText();
  const isSession = kind === "sessions";
  if (more.length === 0 && !isSession) {
    return (
      <li className={css["item"]} data-row={place} tabIndex={-1}>
        <TwoLines kind={kind} row={row} />
      </li>
    );
  }
  return (
    <li className={css["item"]}>
      <details>
        <summary data-row={place}>
          <TwoLines kind={kind} row={row} />
          <Icon name="down" className={css["turn"] ?? ""} />
        </summary>
        <dl>
          {more.map((column) => (
            <div key={column}>
              <dt>{t(COLUMN_TEXTS[column])}</dt>
              <dd>
                <Cell row={row} column={column} />
              </dd>
            </div>
          ))}
        </dl>
        {isSession && (
          <Link {...sessionOf(row)} className={keyClass({ kind: "line" }, css["link"])}>
            {t("history.openSession")}
          </Link>
        )}
      </details>
    </li>
  );
}

function TwoLines({ kind, row }: Pick<ItemProps, "kind" | "row">) {
  const { lead, date, beside } = LINES[kind];
  return (
    <span className={css["lines"]}>
      <span className={css["lead"]}>
        <Cell row={row} column={lead} />
      </span>
      <span className={css["figure"]}>
        <Cell row={row} column="amount" />
      </span>
      <span className={css["quiet"]}>
        <Cell row={row} column={date} />
      </span>
      <span className={`${css["quiet"]} ${css["figure"]}`}>
        <Cell row={row} column={beside} />
      </span>
    </span>
  );
}

/** What a row has in a column; a dash where it has nothing. */
function Cell({ row, column }: { readonly row: HistoryRow; readonly column: Column }) {
  const speech = useText();
  switch (column) {
    case "machine":
      return <Name text={row.machine} />;
    case "from":
      return <Name text={row.from === undefined ? undefined : sourceText(row.from, speech)} />;
    case "type":
      return <Action type={row.type} />;
    case "operationDate":
      return <Time ms={row.operationMs} />;
    case "start":
      return <Time ms={row.startMs} />;
    case "end":
      return <Time ms={row.endMs} />;
    case "duration":
      return row.duration === undefined ? <Nothing /> : <bdi>{elapsedText(row.duration * 1_000)}</bdi>;
    case "spins":
      return <Count value={row.spins} />;
    case "freeSpins":
      return <Count value={row.freeSpins} />;
    case "amount":
      if (row.amount === undefined) return <Nothing />;
      // Brass is money that came in.
      return (
        <>
          <Money minor={row.amount} signed tone={row.amount > 0 ? "money" : "ink"} className={css["money"] ?? ""} />
          {row.jackpots !== undefined && <Jackpots won={row.jackpots} />}
        </>
      );
  }
}

function Name({ text }: { readonly text: string | undefined }) {
  return text === undefined ? <Nothing /> : <bdi className={css["name"]}>{text}</bdi>;
}

function Count({ value }: { readonly value: number | undefined }) {
  const { language } = useText();
  return value === undefined ? <Nothing /> : <bdi>{countText(value, language)}</bdi>;
}

function Time({ ms }: { readonly ms: number | undefined }) {
  const { language } = useText();
  if (ms === undefined) return <Nothing />;
  const [day, time] = dayAndTime(ms, language);
  return (
    <time dateTime={new Date(ms).toISOString()} dir="ltr" className={css["time"]}>
      <span>{day}</span> <span>{time}</span>
    </time>
  );
}

function Action({ type }: { readonly type: number | undefined }) {
  const speech = useText();
  if (type === undefined) return <Nothing />;
  const action = Object.hasOwn(ACTIONS, type) ? ACTIONS[type] : undefined;
  return (
    <span className={css["action"]} data-jackpot={type === JACKPOT || undefined}>
      {action && <Icon name={action.icon} />}
      {actionText(type, speech)}
    </span>
  );
}

/** In words: what the machine paid to its own credit meter is no line of the wallet (player 8). */
function Jackpots({ won }: { readonly won: readonly Jackpot[] }) {
  const { t, language } = useText();
  const currency = useCurrency();
  return won.map(({ name, amount: minor }, index) => {
    const amount = moneyText(minor, currency, language, true);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the jackpots of a session only grow, and two may be alike.
      <small key={index} className={css["jackpot"]}>
        {name === "" ? t("history.jackpotWon", { amount }) : t("history.jackpotOf", { name, amount })}
      </small>
    );
  });
}

function Nothing() {
  const { t } = useText();
  return (
    <>
      <span aria-hidden="true">—</span>
      <span className="visually-hidden">{t("history.none")}</span>
    </>
  );
}
