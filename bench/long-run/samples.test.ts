import { describe, expect, test } from "vitest";
import { ofTable } from "./growth.ts";
import { heldBy } from "./samples.ts";

describe("a table", () => {
  const MB = 2 ** 20;
  const row = { name: "public.seat", rows: 8, dead: 0, length: 8_192, used: 1_000, index_length: 0, index_used: 0 };

  test("whose rows fill it is explained by them", () => {
    const full = { ...row, rows: 50_000, length: 10 * MB, used: 9 * MB, index_length: 6 * MB, index_used: 4 * MB };
    expect(heldBy(full)).toEqual({ name: "seat", rows: 50_000, deadRows: 0, megabytes: 16, beyondMb: 0 });
  });
  test("of few rows and many pages is not", () => {
    expect(heldBy({ ...row, length: 10 * MB }).beyondMb).toBeCloseTo(10, 2);
    expect(heldBy({ ...row, index_length: 5 * MB, index_used: 8_192 }).beyondMb).toBeCloseTo(5, 1);
  });
  test("has so many dead rows as a vacuum would not have come for", () => {
    expect(heldBy({ ...row, dead: 51 }).deadRows).toBe(0);
    expect(heldBy({ ...row, dead: 500 }).deadRows).toBeCloseTo(448.4);
  });
  test("that keeps what happened may gain rows, any other may not", () => {
    expect(ofTable("game").rows).toBeUndefined();
    expect(ofTable("seat").rows).toBeDefined();
  });
});
