import { readFileSync } from "node:fs";
import { join } from "node:path";
import { optionsOf } from "@longarm/platform/cli/arguments";
import { COMMANDS } from "@longarm/platform/cli/commands";
import { expect, test } from "vitest";
import { commandsPage } from "./commands.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/operating/commands.md"), "utf8");

test("docs/operating/commands.md is what the programs' --help prints (npm run generate renews it)", async () => {
  expect(page).toBe(await commandsPage());
});

test.each(COMMANDS.map((command) => [command.name, command] as const))(
  "docs/operating/commands.md lists every option of longarm %s",
  (words, command) => {
    const [, after = ""] = page.split(new RegExp(`^### ${words}(?= [<\\[]|$)`, "m"));
    const [own = ""] = after.split(/^##/m);
    const [everywhere = ""] = page.split("\n## longarm")[1]?.split("\n### ") ?? [];
    const missing = Object.keys(optionsOf(command)).filter((name) => !`${own}${everywhere}`.includes(`  --${name}`));
    expect(missing).toEqual([]);
  },
);

test.each([
  "latency",
  "--times=N",
  "--no-page",
  "--calm",
  "--path 0:3:1",
  "--no-build",
  "two-nodes",
  "doctor [--json]",
])("docs/operating/commands.md names %s", (words) => expect(page).toContain(words));
