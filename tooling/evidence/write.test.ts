import { readFileSync } from "node:fs";
import { EVIDENCE_SENTENCES } from "@longarm/contract/evidence/sentences";
import { expect, test } from "vitest";
import { TEXTS } from "../../apps/console/evidence/texts.ts";
import { VIEWER_FILE, viewerPage } from "./write.ts";

test("the page inside each export is made of its sources", async () => {
  expect((await viewerPage()) === readFileSync(VIEWER_FILE, "utf8"), "Run npm run generate").toBe(true);
});

test("what the verifier says has the same figures in each language", () => {
  const figuresOf = (sentences: Readonly<Record<string, string>>) =>
    Object.entries(sentences).map(([name, said]) => [name, (said.match(/\{\w+\}/g) ?? []).toSorted()]);
  for (const { sentence } of Object.values(TEXTS))
    expect(Object.fromEntries(figuresOf(sentence))).toEqual(Object.fromEntries(figuresOf(EVIDENCE_SENTENCES)));
});
