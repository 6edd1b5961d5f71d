import type { Report, ReportFigures } from "@longarm/contract/staff-reports";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { confidenceBand } from "./figures.ts";
import { csvOf } from "./file.ts";
import { FILE_LANGUAGES } from "./file-words.ts";
import { pdfOf } from "./pdf.ts";

const FIGURES: ReportFigures = {
  games: 3,
  wagered: 123_450,
  machinePaid: 200_000,
  handPaid: 0,
  held: -76_550,
  hold: -6_201,
  expected: null,
  ledgerKept: -76_550,
  sessions: 2,
  seatedMs: 1_800_000,
  availableMs: 86_400_000,
  cashIn: 50_000,
  cashOut: 1,
  handPays: 0,
  jackpots: 0,
  cancelledCredits: 0,
  fees: 0,
  claims: 0,
  suspense: 0,
  discrepancies: { found: 0, open: 0, amount: 0 },
  watchedMs: 5_430_000,
  watchersMost: 3,
  delay: null,
  venue: null,
};
const report = (names: readonly string[]): Report => ({
  by: "machine",
  from: "2026-11-14",
  to: "2026-11-20",
  timeZone: "Europe/Istanbul",
  dayBeginsMinutes: 360,
  asOf: "2026-11-20T18:42:00.000Z",
  today: "2026-11-20",
  rows: names.map((name, at) => ({ key: `m${at}`, name, figures: FIGURES })),
  total: FIGURES,
  before: FIGURES,
  brands: [],
  denominations: [],
  sampleUntil: null,
});
const about = { language: "tr", venue: "Grand Levent", version: "1.0", person: "Eva Kaya", filter: null } as const;
const csv = (names: readonly string[]) => [...csvOf(report(names), about)].join("");

/** Reads RFC 4180 back. */
function cells(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

describe("the CSV", () => {
  test("has a byte order mark, decimals, empty cells for what is not known, the total, and who made it when", () => {
    const text = csv(["Nar 01"]);
    expect(text.startsWith("\uFEFFMakine,Oyun,Oynanan,")).toBe(true);
    const [, row = [], total = [], last = []] = cells(text);
    expect(row.slice(0, 9)).toEqual(["Nar 01", "3", "1234.5", "2000", "0", "-765.5", "-62.01", "", ""]);
    // Minutes watched, the most at once, and delays that no page reported.
    expect(row.slice(-4)).toEqual(["91", "3", "", ""]);
    expect(total[0]).toBe("Tümü");
    expect(last).toEqual([
      ...["Grand Levent", "İş günleri", "2026-11-14", "2026-11-20"],
      ...["Hazırlandı", "2026-11-20T18:42:00.000Z", "Eva Kaya", "Longarm 1.0"],
    ]);
  });

  test("says that it is about sample days where it is", () => {
    const text = [...csvOf({ ...report([]), sampleUntil: "2026-11-19" }, { ...about, language: "en" })].join("");
    expect(cells(text).at(-1)?.slice(4, 6)).toEqual(["Sample data until", "2026-11-19"]);
  });

  test("gives back every name as it was, and none as a formula", () => {
    void fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom("=1+1", "+x", "-x", "@x", "\t=x", "a;=x", "＝x", '"')), {
          maxLength: 5,
        }),
        (names) => {
          const read = cells(csv(names));
          expect(read).toHaveLength(names.length + 3);
          for (const [at, name] of names.entries()) {
            const cell = read[at + 1]?.[0] ?? "";
            expect(cell.replaceAll("'", "")).toBe(name.replaceAll("'", ""));
            for (const part of cell.split(/[;\t\r\n]/)) expect(part.trimStart()).not.toMatch(/^[=+\-@＝＋－＠]/);
          }
        },
      ),
    );
  });
});

describe("the PDF", () => {
  test.each(FILE_LANGUAGES)("is written in %s, over as many pages as it needs", async (language) => {
    const names = Array.from({ length: 60 }, (_, at) => `Şahin İğde ${at} مربح`);
    const parts: Uint8Array[] = [];
    for await (const part of await pdfOf(report(names), { ...about, language, filter: "Nar" })) parts.push(part);
    const text = Buffer.concat(parts).toString("latin1");
    expect(text.startsWith("%PDF-")).toBe(true);
    expect(text).toContain("ReadexPro");
    expect(text.match(/\/Type \/Page\b/g)).toHaveLength(3);
  });
});

describe("the band of chance", () => {
  test("is 1.96 standard deviations of the mean of equal stakes", () => {
    // 10,000 games of 1.00 with a deviation of 8.50 stakes: 8.50 / 100 = 8.5 % of coin in, 1.96 of them are 16.66 %.
    const variance = 10_000 * 100 ** 2 * 850 ** 2;
    expect(confidenceBand({ hold: 520, wagered: 1_000_000, variance })).toEqual({
      low: 520 - 1_666,
      high: 520 + 1_666,
    });
  });

  test("is the wider the more a part of the games staked", () => {
    const equal = confidenceBand({ hold: 500, wagered: 20_000, variance: 200 * 100 ** 2 * 500 ** 2 });
    // The same coin in, half of it in one game.
    const unequal = confidenceBand({ hold: 500, wagered: 20_000, variance: (100 * 100 ** 2 + 10_000 ** 2) * 500 ** 2 });
    expect(unequal.high - unequal.low).toBeGreaterThan(equal.high - equal.low);
  });
});
