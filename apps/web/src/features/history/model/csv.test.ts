import fc from "fast-check";
import { expect, test } from "vitest";
import type { FileCell } from "./cells.ts";
import { csvLines } from "./csv.ts";

/** A reader of RFC 4180 as strict as the standard: quotes only where they may stand, CR LF behind every line. */
function parse(text: string): string[][] {
  const lines: string[][] = [];
  let fields: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quoted = /"((?:[^"]|"")*)"/y;
    const bare = /[^",\r\n]*/y;
    quoted.lastIndex = at;
    bare.lastIndex = at;
    const field = quoted.exec(text) ?? bare.exec(text);
    if (field === null) throw new Error(`No field at ${at}`);
    fields.push(field[1] === undefined ? field[0] : field[1].replaceAll('""', '"'));
    at += field[0].length;
    if (text[at] === ",") at += 1;
    else if (text.startsWith("\r\n", at)) {
      lines.push(fields);
      fields = [];
      at += 2;
    } else throw new Error(`No end of a field at ${at}`);
  }
  return lines;
}

const word = (text: string): FileCell => ({ is: "word", text });
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom('"', ",", "\r", "\n", "=", "+", "-", "@", "\t", "'", "＝", "\uFEFF", "ı", "ع", "😀"),
  }),
);

test("R-2.8-13: whatever stands in a row is read back by a strict reader, one cell for one cell", () => {
  const tables = fc.array(fc.array(hostile, { minLength: 2, maxLength: 5 }), { maxLength: 8 });
  fc.assert(
    fc.property(tables, (rows) => {
      const read = parse(csvLines(rows.map((row) => row.map(word))));
      // Apostrophes are all that is added.
      const plain = (cells: string[][]) => cells.map((row) => row.map((text) => text.replaceAll("'", "")));
      expect(plain(read)).toEqual(plain(rows));
      const inCells = read.flat().flatMap((text) => text.split(/[;\t\r\n]/));
      expect(inCells.filter((text) => /^\s*[=+\-@＝＋－＠]/.test(text))).toEqual([]);
    }),
  );
});

test("no field can be a formula, and a figure of ours stays one", () => {
  const first = (text: string) => parse(csvLines([[word(text), word("x")]]))[0]?.[0];
  for (const text of ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", "  =1", "\tx", "\rx", "＝1"]) {
    expect(first(text)).toBe(`'${text}`);
  }
  // Spreadsheets of many languages part cells by the semicolon.
  expect(first("Nar 07;=1; @2;a;b")).toBe("Nar 07;'=1;' @2;a;b");
  expect(first("\t=1\r\n=2")).toBe("'\t'=1\r\n'=2");
  for (const text of ["Nar-07", "a; b", "2026-11-21 10:00:00", "1 + 1"]) expect(first(text)).toBe(text);
  expect(csvLines([[{ is: "figure", text: "-5000.00" }, word("Nar 07")]])).toBe("-5000.00,Nar 07\r\n");
});
