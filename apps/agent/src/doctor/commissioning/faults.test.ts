import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FAULTS } from "./faults.ts";

test("docs/hardware.md lists every fault in its order, with what to check in the doctor's own words", () => {
  const page = readFileSync(new URL("../../../../../docs/hardware.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z]+\.[A-Za-z]+)` \| (.+) \|$/gm)];
  expect(rows.map(([, name, check]) => [name, check])).toEqual(
    Object.entries(FAULTS).map(([name, check]) => [name, `${check}.`]),
  );
});
