import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const RECORDS = join(import.meta.dirname, "../../../docs/decisions");

test("each decision record has a number of its own, and its title says it", () => {
  const files = readdirSync(RECORDS).filter((name) => /^\d{4}-.*\.md$/.test(name));
  const numbers = files.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  for (const name of files)
    expect(readFileSync(join(RECORDS, name), "utf8")).toMatch(new RegExp(`^# ${name.slice(0, 4)}[: ]`));
});
