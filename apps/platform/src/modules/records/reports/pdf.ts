import { fileURLToPath } from "node:url";
import type { Report } from "@longarm/contract/staff-reports";
import type PdfDocument from "pdfkit";
import type { Cell, FileAbout } from "./file.ts";
import { cellsOf, rowName } from "./file.ts";
import type { FileColumn } from "./file-words.ts";
import { FILE_WORDS } from "./file-words.ts";

/** Readex Pro (OFL): Turkish and Arabic letters in one file. */
const fontFile = (name: string): string =>
  fileURLToPath(import.meta.resolve(`@expo-google-fonts/readex-pro/${name}.ttf`));

/** What fits on a page, with the share of its width. The CSV has every column. */
const WIDTHS: readonly (readonly [FileColumn, number])[] = [
  ["games", 50],
  ["wagered", 76],
  ["machinePaid", 76],
  ["handPaid", 62],
  ["held", 70],
  ["hold", 44],
  ["expectedHold", 52],
  ["variance", 66],
  ["sessions", 46],
  ["occupancy", 46],
  ["cashIn", 74],
  ["cashOut", 74],
  ["handPays", 62],
  ["watchedMinutes", 44],
  ["watchersMost", 44],
  ["delayMedian", 50],
  ["delayP95", 50],
];
const COLUMNS = WIDTHS.map(([column]) => column);
const NAME_WIDTH = 110;
const MARGIN = 30;
const ROW_HEIGHT = 15;
const HEAD_HEIGHT = 26;
/** Where the table begins on each page, and the footer. */
const TOP = 84;
const SIZES = { title: 15, text: 8, cell: 7.2, head: 6.4 } as const;
const INK = { text: "#1b1712", quiet: "#6b6256", line: "#c9c0b2", fill: "#f2ece2" } as const;

type Doc = InstanceType<typeof PdfDocument>;

/**
 * A report as PDF, A4 on its side, as a stream: title, venue, business days, filter, program, time and person on each page; a row for each group and
 * the total at the end. In Arabic the columns run from right to left.
 */
export async function pdfOf(report: Report, about: FileAbout): Promise<Doc> {
  // Only when somebody wants one: a platform starts without it.
  const { default: Document } = await import("pdfkit");
  const words = FILE_WORDS[about.language];
  const doc = new Document({
    size: "A4",
    layout: "landscape",
    margin: MARGIN,
    bufferPages: true,
    lang: about.language,
    info: {
      Title: `${words.title} ${report.from} – ${report.to}`,
      Author: about.person,
      Creator: `Longarm ${about.version}`,
      CreationDate: new Date(report.asOf),
    },
  });
  doc.registerFont("text", fontFile("400Regular/ReadexPro_400Regular"));
  doc.registerFont("strong", fontFile("600SemiBold/ReadexPro_600SemiBold"));
  const page = layoutOf(doc, about.language === "ar");
  const bottom = doc.page.height - MARGIN - 22;
  let y = drawHead(page, report, about);
  for (const [at, row] of report.rows.entries()) {
    if (y + ROW_HEIGHT > bottom) {
      doc.addPage();
      y = drawHead(page, report, about);
    }
    y = drawRow(page, y, {
      cells: [rowName(report.by, row), ...cellsOf(row.figures, COLUMNS)],
      isShaded: at % 2 === 1,
    });
  }
  if (y + ROW_HEIGHT > bottom) {
    doc.addPage();
    y = drawHead(page, report, about);
  }
  drawRow(page, y, { cells: [words.total, ...cellsOf(report.total, COLUMNS)], isTotal: true });
  drawFooters(page, report, about);
  doc.end();
  return doc;
}

type Page = {
  readonly doc: Doc;
  readonly isRightToLeft: boolean;
  readonly left: number;
  readonly right: number;
  /** From the side on which reading begins: where each column is, and how wide. */
  readonly columns: readonly { readonly x: number; readonly width: number }[];
};

function layoutOf(doc: Doc, isRightToLeft: boolean): Page {
  const [left, right] = [MARGIN, doc.page.width - MARGIN];
  const wide = [NAME_WIDTH, ...WIDTHS.map(([, width]) => width)];
  const scale = (right - left) / wide.reduce((sum, width) => sum + width, 0);
  let at = 0;
  const columns = wide.map((share) => {
    const width = share * scale;
    const x = isRightToLeft ? right - at - width : left + at;
    at += width;
    return { x, width };
  });
  return { doc, isRightToLeft, left, right, columns };
}

type Place = { readonly x: number; readonly y: number; readonly width: number; readonly align: "start" | "end" };

/**
 * Writes text of one script: a text of two directions is written in parts. What is too wide is written smaller, never cut.
 * `features` makes the library lay the words of a text out together, so that Arabic words follow each other from right to left.
 */
function write({ doc, isRightToLeft }: Page, text: string, { x, y, width, align }: Place, size: number): void {
  const features = ["rlig" as const];
  doc.fontSize(size);
  const wide = doc.widthOfString(text, { features });
  if (wide > width - 4) doc.fontSize((size * (width - 4)) / wide);
  const isRight = (align === "end") !== isRightToLeft;
  const own = doc.widthOfString(text, { features });
  doc.text(text, isRight ? x + width - own - 2 : x + 2, y, { lineBreak: false, features });
}

function drawHead(page: Page, report: Report, about: FileAbout): number {
  const { doc, left, right, columns } = page;
  const words = FILE_WORDS[about.language];
  const half = (right - left) / 2;
  const [first, second] = page.isRightToLeft ? [left + half, left] : [left, left + half];
  doc.font("strong").fillColor(INK.text);
  write(page, words.title, { x: first, y: MARGIN, width: half, align: "start" }, SIZES.title);
  write(page, about.venue, { x: second, y: MARGIN + 4, width: half, align: "end" }, SIZES.text + 2);
  doc.font("text").fillColor(INK.quiet);
  const pairs = [
    [words.period, `${report.from} – ${report.to}, ${report.timeZone}`],
    ...(about.filter === null ? [] : [[words.filter, about.filter] as const]),
    ["", words.amounts],
    ...(report.sampleUntil === null ? [] : [[words.sample, report.sampleUntil] as const]),
  ];
  const each = (right - left) / 4;
  for (const [at, [name = "", value = ""]] of pairs.entries()) {
    const x = page.isRightToLeft ? right - each * (at + 1) : left + each * at;
    write(page, name, { x, y: MARGIN + 24, width: each, align: "start" }, SIZES.head);
    write(page, value, { x, y: MARGIN + 33, width: each, align: "start" }, SIZES.text);
  }
  doc.font("strong").fillColor(INK.text);
  const names = [words.group[report.by], ...COLUMNS.map((column) => words[column])];
  for (const [at, column] of columns.entries())
    write(page, names[at] ?? "", { ...column, y: TOP + 10, align: at === 0 ? "start" : "end" }, SIZES.head);
  const line = TOP + HEAD_HEIGHT - 3;
  doc.moveTo(left, line).lineTo(right, line).lineWidth(0.8).strokeColor(INK.text).stroke();
  return TOP + HEAD_HEIGHT;
}

type Row = { readonly cells: readonly Cell[]; readonly isShaded?: boolean; readonly isTotal?: boolean };

function drawRow(page: Page, y: number, { cells, isShaded = false, isTotal = false }: Row): number {
  const { doc, left, right, columns } = page;
  if (isShaded) doc.rect(left, y - 2, right - left, ROW_HEIGHT).fill(INK.fill);
  if (isTotal)
    doc
      .moveTo(left, y - 2)
      .lineTo(right, y - 2)
      .lineWidth(0.8)
      .strokeColor(INK.text)
      .stroke();
  doc.font(isTotal ? "strong" : "text").fillColor(INK.text);
  for (const [at, column] of columns.entries()) {
    const place = { ...column, y: y + 1, align: at === 0 ? ("start" as const) : ("end" as const) };
    write(page, shownCell(cells[at] ?? null, COLUMNS[at - 1]), place, SIZES.cell);
  }
  return y + ROW_HEIGHT;
}

const COUNTS: ReadonlySet<FileColumn | undefined> = new Set([
  ...(["games", "sessions", "watchedMinutes", "watchersMost", "delayMedian", "delayP95"] as const),
]);

/** A figure as the venue writes figures, 1.234,50 and 4,98; a dash: it is not known. */
function shownCell(cell: Cell, column: FileColumn | undefined): string {
  if (cell === null) return "–";
  if (typeof cell === "string") return cell;
  const digits = COUNTS.has(column) ? 0 : 2;
  return cell.toLocaleString("tr-TR", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function drawFooters(page: Page, report: Report, about: FileAbout): void {
  const { doc, left, right } = page;
  const words = FILE_WORDS[about.language];
  const { start, count } = doc.bufferedPageRange();
  for (let number = 0; number < count; number += 1) {
    doc.switchToPage(start + number);
    // The margin would begin another page.
    doc.page.margins.bottom = 0;
    const y = doc.page.height - MARGIN - 8;
    doc.font("text").fillColor(INK.quiet);
    const each = (right - left) / 4;
    const cells = [words.made, `${report.asOf.slice(0, 19)}Z`, `${about.person}, Longarm ${about.version}`];
    for (const [at, text] of [...cells, `${number + 1} / ${count}`].entries()) {
      const x = page.isRightToLeft ? right - each * (at + 1) : left + each * at;
      write(page, text, { x, y, width: each, align: at === 3 ? "end" : "start" }, SIZES.head);
    }
  }
}
