import { existsSync, readFileSync } from "node:fs";
import { RULE_NAMES } from "@longarm/platform/modules/protection/markets/index";
import { expect, test } from "vitest";
import { marketsPage, READERS } from "./markets.ts";

const modules = new URL("../../../apps/platform/src/modules/", import.meta.url);

test.each(RULE_NAMES)(
  "the rule %s of a market has code that plays by it, or docs/markets.md says that none does",
  (name) => {
    const reader = READERS[name];
    if ("notEnforced" in reader) {
      expect(marketsPage()).toContain(`\`${name}\`: ${reader.notEnforced}`);
      return;
    }
    const file = new URL(reader.file, modules);
    expect(existsSync(file), `${reader.file} is moved: name the new file in markets.ts`).toBe(true);
    expect(reader.file).not.toMatch(/^protection\/markets\/|\.test\.ts$/);
    expect(readFileSync(file, "utf8")).toMatch(new RegExp(`\\b${name}\\b`));
  },
);

test("the page of the markets is as generated", () => {
  expect(readFileSync(new URL("../../../docs/markets.md", import.meta.url), "utf8")).toBe(marketsPage());
});
