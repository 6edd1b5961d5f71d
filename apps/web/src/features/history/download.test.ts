import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError, networkFailure } from "../../shared/api/failure.ts";
import type { Download, FileCell } from "./download.ts";
import { createDownload, csvLines } from "./download.ts";
import type { ListingPage, Place } from "./listings.ts";

const page = (ids: readonly number[], more: Partial<ListingPage> = {}): ListingPage => ({
  rows: ids.map((id) => ({ id: String(id) })),
  sent: ids.length,
  total: undefined,
  totalIsMore: false,
  next: undefined,
  absent: false,
  ...more,
});
const failure = (httpStatus: number) => new ApiError({ ...networkFailure, is: "refused", httpStatus });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

type Answer = (place: Place, limit: number) => ListingPage | Promise<ListingPage>;

function startOn(answer: Answer) {
  const saved: { text: Promise<string>; name: string }[] = [];
  const asked: string[] = [];
  const download = createDownload((file, name) => void saved.push({ text: file.text(), name }));
  download.start({
    fileName: "rows.csv",
    head: "id\r\n",
    linesOf: (rows) => rows.map(({ id }) => `${id}\r\n`).join(""),
    fetchPage: async (place, limit, signal) => {
      asked.push(`${place.after ?? place.page}/${limit}`);
      signal.throwIfAborted();
      return answer(place, limit);
    },
  });
  return { download, saved, asked };
}
const settled = (download: Download, is: string) => expect.poll(() => download.state.getState().is).toBe(is);
const linesIn = async (file: Promise<string> | undefined) => (await file)?.split("\r\n").length;

test("R-2.8-13: all pages become one file, by cursor where there is one", async () => {
  const { download, saved, asked } = startOn(({ after }, limit) => {
    const from = Number(after ?? 0);
    const to = Math.min(1_200, from + limit);
    return page(range(from, to), { next: to === 1_200 ? null : String(to), total: 10 });
  });
  await settled(download, "idle");
  expect(asked).toEqual(["1/500", "500/500", "1000/500"]);
  expect(await linesIn(saved[0]?.text)).toBe(1 + 1_200 + 1);
  expect(saved[0]?.name).toBe("rows.csv");
});

test("a platform of pages that takes 100 rows at most is asked again for as many; a row that moved stands once", async () => {
  const { download, saved, asked } = startOn(({ page: number }, limit) => {
    if (limit > 100) throw failure(400);
    const from = (number - 1) * 100;
    return page([...range(Math.max(0, from - 1), Math.min(250, from + 100))], { total: 250 });
  });
  await settled(download, "idle");
  expect(asked).toEqual(["1/500", "1/100", "2/100", "3/100"]);
  expect(await linesIn(saved[0]?.text)).toBe(1 + 250 + 1);
});

test("a platform that says the same page again and again, or the same cursor, comes to an end", async () => {
  const same = startOn(() => page([1, 2, 3]));
  await settled(same.download, "idle");
  expect(await same.saved[0]?.text).toBe("id\r\n1\r\n2\r\n3\r\n");
  const stuck = startOn(({ after }) => page([Number(after === undefined)], { next: "x" }));
  await settled(stuck.download, "idle");
  expect(stuck.asked).toHaveLength(2);
});

test("a failure keeps what was fetched, and going on asks for the failed page only", async () => {
  let isDown = true;
  const { download, saved, asked } = startOn(({ after }) => {
    if (after === "500" && isDown) throw new ApiError(networkFailure);
    return after === undefined
      ? page(range(0, 500), { next: "500", total: 700 })
      : page(range(500, 700), { next: null });
  });
  await settled(download, "failed");
  expect(download.state.getState()).toMatchObject({ rows: 500, failure: { is: "network" } });
  isDown = false;
  download.retry();
  await settled(download, "idle");
  expect(asked).toEqual(["1/500", "500/500", "500/500"]);
  expect(await linesIn(saved[0]?.text)).toBe(1 + 700 + 1);
});

test("cancelled, it asks no more and gives no file; a second start waits for the first", async () => {
  const held = Promise.withResolvers<ListingPage>();
  const { download, saved, asked } = startOn(() => held.promise);
  await settled(download, "running");
  download.start({ fileName: "", head: "", linesOf: () => "", fetchPage: () => held.promise });
  download.cancel();
  held.resolve(page(range(0, 500), { next: "500" }));
  await held.promise;
  await settled(download, "idle");
  expect([saved.length, asked.length]).toEqual([0, 1]);
});

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
