import { Link } from "@tanstack/react-router";
import { useText } from "../../../shared/i18n/use-text.ts";
import type { Column } from "../model/columns.ts";
import { COLUMN_TEXTS, FIGURES } from "../model/columns.ts";
import type { HistoryRow, ListingKind } from "../model/row.ts";
import { Cell } from "./cell.tsx";
import css from "./rows-table.module.css";
import { sessionOf } from "./session-link.ts";

export type RowsProps = {
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

export function Head({ columns }: Pick<RowsProps, "columns">) {
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
