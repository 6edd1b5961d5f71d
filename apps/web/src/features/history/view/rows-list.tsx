import { Link } from "@tanstack/react-router";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { keyClass } from "../../../shared/ui/key.tsx";
import type { Column } from "../model/columns.ts";
import { COLUMN_TEXTS } from "../model/columns.ts";
import type { HistoryRow, ListingKind } from "../model/row.ts";
import { Cell } from "./cell.tsx";
import css from "./rows-list.module.css";
import type { RowsProps } from "./rows-table.tsx";
import { sessionOf } from "./session-link.ts";

/** What stands in the two lines of a row: lead and amount, then date and what belongs to it. */
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
