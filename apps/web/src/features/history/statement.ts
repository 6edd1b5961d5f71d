import type { Statement, StatementFigures } from "@longarm/contract/player-record";
import { recordCalls } from "@longarm/contract/player-record";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { decimalText } from "@longarm/ui/money/format.ts";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import type { FileCell } from "./download.ts";
import { BYTE_ORDER_MARK, csvLines } from "./download.ts";

/** A month of a statement, or its whole year. */
export type Figures = StatementFigures;

/** The statement of a year; undefined: the present one. A platform without statements answers 404: `absent`. */
export function useStatement(api: Pick<ApiClient, "make">, year: number | undefined) {
  return useQuery({
    queryKey: ["history", "statement", year],
    queryFn: async ({ signal }) => {
      const answer = await api.make(recordCalls.statement, { query: { year }, signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? ("absent" as const) : dataOf(answer);
    },
    placeholderData: keepPreviousData,
  });
}

/** What came into the wallet from outside, and what the games came to. */
export const paidInNet = ({ deposits, withdrawals }: Figures): number => deposits - withdrawals;
export const resultOf = ({ won, wagered }: Figures): number => won - wagered;

/** "Nov 2026", in the language of the page. */
export function monthText(year: number, month: number, { language }: Pick<Speech, "language">): string {
  return timeFormat(language, { month: "short", year: "numeric", timeZone: "UTC" }).format(
    Date.UTC(year, month - 1, 15),
  );
}

/** What a statement says beside the six sums, in its order. Each is an amount; those with a sign may be below zero. */
export const DETAILS = [
  { key: "opening", text: "record.opening", signed: false },
  { key: "bonuses", text: "record.bonuses", signed: false },
  { key: "discounts", text: "record.discounts", signed: false },
  { key: "fees", text: "record.fees", signed: false },
  { key: "toMachines", text: "record.toMachines", signed: false },
  { key: "fromMachines", text: "record.fromMachines", signed: false },
  { key: "handPays", text: "record.handPays", signed: false },
  { key: "corrections", text: "record.corrections", signed: true },
  { key: "closing", text: "record.closing", signed: false },
] as const satisfies readonly { key: keyof Figures; text: TextKey; signed: boolean }[];

const FILE_COLUMNS = [
  ["deposits", "record.moneyIn"],
  ["withdrawals", "record.moneyOut"],
  ["bonuses", "record.bonuses"],
  ["discounts", "record.discounts"],
  ["fees", "record.fees"],
  ["toMachines", "record.toMachines"],
  ["fromMachines", "record.fromMachines"],
  ["handPays", "record.handPays"],
  ["corrections", "record.corrections"],
  ["wagered", "record.wagered"],
  ["won", "record.won"],
] as const satisfies readonly (readonly [keyof Figures, TextKey])[];

/** The file of a year: a line for each month and one for all of it, amounts as spreadsheets read them, and the words of the page. */
export function statementFile(statement: Statement, currency: string, speech: Speech): Blob {
  const { t } = speech;
  const { year, months, total, timeZone } = statement;
  const money = (text: TextKey): FileCell => word(`${t(text)} (${currency})`);
  const head = [
    word(`${t("record.month")} (${timeZone})`),
    money("record.opening"),
    ...FILE_COLUMNS.map(([, text]) => money(text)),
    money("record.netResult"),
    word(t("record.games")),
    money("record.closing"),
  ];
  const line = (name: string, figures: Figures): FileCell[] => [
    word(name),
    amount(figures.opening),
    ...FILE_COLUMNS.map(([key]) => amount(figures[key])),
    amount(resultOf(figures)),
    { is: "figure", text: String(figures.games) },
    amount(figures.closing),
  ];
  const lines = months.map((of) => line(`${year}-${String(of.month).padStart(2, "0")}`, of));
  const file = csvLines([head, ...lines, line(t("record.yearTotal", { year }), total)]);
  return new Blob([BYTE_ORDER_MARK, file], { type: "text/csv;charset=utf-8" });
}

const word = (text: string): FileCell => ({ is: "word", text });
const amount = (minor: number): FileCell => ({ is: "figure", text: decimalText(minor) });
