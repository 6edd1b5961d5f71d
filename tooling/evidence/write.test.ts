import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VIEWER_FILE, viewerPage } from "./write.ts";

test("the page inside each export is made of its sources", async () => {
  expect((await viewerPage()) === readFileSync(VIEWER_FILE, "utf8"), "Run npm run generate").toBe(true);
});
