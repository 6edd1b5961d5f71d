import type { ProviderReport } from "@longarm/contract/staff-reports";
import { expect, test } from "vitest";
import { FILE_LANGUAGES } from "./file-words.ts";
import { providersCsv } from "./provider-file.ts";

const of = (count: number, amount: number) => ({ count, amount });
const report = (provider: string): ProviderReport => ({
  ...{ from: "2026-11-20", to: "2026-11-26", timeZone: "Europe/Istanbul", dayBeginsMinutes: 360 },
  ...{ asOf: "2026-11-26T20:00:00.000Z", today: "2026-11-26" },
  rows: [
    {
      provider,
      deposits: {
        ...{ captured: of(3, 75_050), refused: of(1, 5_000), ended: of(0, 0) },
        ...{ reversed: of(0, 0), chargedBack: of(1, 25_000), underWay: of(2, 9_900) },
      },
      withdrawals: {
        ...{ paid: of(1, 20_000), refused: of(0, 0), ended: of(0, 0), reversed: of(0, 0), underWay: of(0, 0) },
      },
      account: { before: -100_000, byPayments: -30_050, other: 0, after: -130_050 },
      owed: 4_000,
    },
  ],
});
const linesOf = (language: (typeof FILE_LANGUAGES)[number], provider = "acme") =>
  [
    ...providersCsv(report(provider), {
      language,
      venue: "Grand Levent",
      version: "1.0",
      person: "=Eva",
      filter: null,
    }),
  ].map((line) => line.replace("\r\n", ""));

test("the file has number and amount of each kind of payment, the account, and who made it", () => {
  const [head, row, last, ...more] = linesOf("en");
  expect(more).toEqual([]);
  expect(head).toMatch(/^\uFEFFProvider,"Deposits captured, number",Deposits captured,/);
  expect(head?.endsWith("Account before,By payments,Other bookings,Account after,Owed by players")).toBe(true);
  expect(row).toBe("acme,3,750.5,1,50,0,0,0,0,1,250,2,99,1,200,0,0,0,0,0,0,0,0,-1000,-300.5,0,-1300.5,40");
  expect(last).toBe("Grand Levent,Business days,2026-11-20,2026-11-26,Made,2026-11-26T20:00:00.000Z,'=Eva,Longarm 1.0");
});

test("each language has as many columns, and every word its own", () => {
  for (const language of FILE_LANGUAGES) {
    const cells = (linesOf(language)[0] ?? "").match(/"[^"]*"|[^,]+/g) ?? [];
    expect(cells).toHaveLength(28);
    expect(new Set(cells).size).toBe(28);
  }
});
