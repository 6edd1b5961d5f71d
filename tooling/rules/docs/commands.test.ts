import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "@longarm/platform/cli/commands";
import { expect, test } from "vitest";
import { commandTable, withTable } from "./commands.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/operating/staff.md"), "utf8");

test("docs/operating/staff.md lists every command of the command line as it is (npm run generate renews it)", () => {
  expect(page).toBe(withTable(page, commandTable(COMMANDS)));
});

test("what stands between the marks is replaced, and a page without them is not", () => {
  const table = commandTable([
    { words: "machines stop", about: "a | b", places: [{ name: "machine", optional: true }] },
  ]);
  expect(withTable("x <!-- commands -->old<!-- /commands --> y", table)).toBe(
    `x <!-- commands -->\n\n${table}\n\n<!-- /commands --> y`,
  );
  expect(table).toContain("| `machines stop [<machine>]` | a \\| b |");
  expect(() => withTable("nothing", table)).toThrow("no <!-- commands -->");
});
