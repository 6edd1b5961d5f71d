import { expect, test } from "vitest";
import * as z from "zod/mini";
import { BrandList, MachineList } from "./lobby-lists.ts";

test("R-3-12: one wrong machine does not hide the others, and a wrong field counts as absent", () => {
  const rows = [
    { id: 7, name: "Nar 07", brand: "Nar", status: 3, image: "/a.png", reservation: true, machineCount: 9 },
    null,
    "m_2",
    [],
    { name: "without an id", status: 1 },
    { id: {}, status: 1 },
    { id: "m_3", name: 5, brand: ["x"], status: "1", image: {}, reservation: 9, url: 1, mine: "yes", until: 3 },
    { id: "m_4", status: 1e300, watchable: null },
  ];
  const read = z.parse(MachineList, rows);
  expect(z.parse(MachineList, { brand: 7, machines: rows })).toEqual({ brand: 7, machines: read });
  expect(read).toEqual([
    { id: "7", name: "Nar 07", brand: "Nar", status: 3, image: "/a.png", reservation: true },
    { id: "m_3", name: "", brand: "", status: 0 },
    { id: "m_4", name: "", brand: "", status: 1e300 },
  ]);
  expect(z.safeParse(MachineList, { code: 60040 }).success).toBe(false);
});

test("R-3-13: a brand without a count has 0, and wrong rows do not hide the others", () => {
  const jackpots = [null, "1,2", ["1", 2], 7].map((jackpot, id) => ({ id, name: "Nar", jackpot }));
  expect(
    z.parse(BrandList, [...jackpots, { name: "no id" }, 3, { id: "x", machineCount: -4, jackpotNames: [1, "M"] }]),
  ).toEqual([
    { id: "0", name: "Nar", jackpot: null, machineCount: 0 },
    { id: "1", name: "Nar", jackpot: "1,2", machineCount: 0 },
    { id: "2", name: "Nar", jackpot: ["1", 2], machineCount: 0 },
    { id: "3", name: "Nar", machineCount: 0 },
    { id: "x", name: "", machineCount: 0, jackpotNames: ["", "M"] },
  ]);
});
