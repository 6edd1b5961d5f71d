import { expect, test } from "vitest";
import { instantOfWall, wallOf } from "./campaign-draft.ts";

test("a wall clock is read in the venue's zone, also around a change of its hour", () => {
  for (const [wall, zone, at] of [
    ["2026-11-26T23:00", "Europe/Istanbul", "2026-11-26T20:00:00.000Z"],
    ["2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59:00.000Z"],
    ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
    ["2026-10-25T03:00", "Europe/Berlin", "2026-10-25T02:00:00.000Z"],
  ] as const) {
    const ms = instantOfWall(wall, zone) ?? Number.NaN;
    expect(new Date(ms).toISOString()).toBe(at);
    expect(wallOf(ms, zone)).toBe(wall);
  }
  for (const wall of ["", "soon", "2026-13-01T00:00"]) expect(instantOfWall(wall, "Europe/Istanbul")).toBeUndefined();
});
