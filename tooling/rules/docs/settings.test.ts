import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { missingSettings, settingsOf } from "./settings.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test.each(["apps/platform/src/config/variables.ts", "apps/agent/src/config/config.ts"])(
  "docs/operating/settings.md names every setting of %s",
  (path) => {
    const settings = settingsOf(read(path));
    expect(settings.length).toBeGreaterThan(5);
    expect(missingSettings(settings, read("docs/operating/settings.md"))).toEqual([]);
  },
);

test("a setting that the page does not name is found", () => {
  const settings = settingsOf("export const fields = {\n  KNOWN: a,\n  FORGOTTEN_MS: b,\n};");
  expect(missingSettings(settings, "| `KNOWN` | … |")).toEqual([
    "docs/operating/settings.md does not name FORGOTTEN_MS",
  ]);
});
