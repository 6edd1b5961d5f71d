import { someOf } from "@longarm/link/testing/whole-run";
import { describe, expect, test } from "vitest";
import { setUpTemplateStage } from "../game-stage.ts";
import type { Look } from "./tour.ts";
import { drawn, findingsOf, goTo, openTemplate, pagesFor } from "./tour.ts";

const stage = setUpTemplateStage();
const LONG = 240_000;
const [DESK, PHONE] = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Nine looks in which every two of layout, language, size and direction meet. */
const LOOKS: readonly Look[] = [
  { layout: "layout1", language: "tr", ...DESK },
  { layout: "layout1", language: "en", direction: "rtl", ...PHONE },
  { layout: "layout1", language: "ar", ...DESK },
  { layout: "layout2", language: "tr", direction: "rtl", ...PHONE },
  { layout: "layout2", language: "en", ...DESK },
  { layout: "layout2", language: "ar", ...PHONE },
  { layout: "layout3", language: "tr", ...PHONE },
  { layout: "layout3", language: "en", direction: "rtl", ...DESK },
  { layout: "layout3", language: "ar", direction: "ltr", ...PHONE },
];
const looks = LOOKS.map((look, number) => ({ number, ...look }));

describe("every page of the template opens", () => {
  test.each(someOf(1, looks))(
    "R-1-27: in $layout at $width x $height in $language: a part of them, without a complaint, an axe finding or an overflow",
    { tags: ["long"], timeout: LONG },
    async ({ number, ...look }) => {
      // Each page comes up in one of the looks, and each look has pages of every kind.
      const part = pagesFor("player").filter((_, index) => index % LOOKS.length === number);
      const { page, complaints } = await openTemplate(stage.open, "/profile", "player", look);
      const findings = [];
      for (const { path } of part) {
        await goTo(page, path);
        await drawn(page, path);
        findings.push(...(await findingsOf(page, path)));
      }
      expect(findings).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
  test.each(
    someOf(1, [
      ["guest", LOOKS[2]],
      ["guest", LOOKS[6]],
      ["admin", LOOKS[4]],
      ["admin", LOOKS[8]],
    ] as const),
  )("R-1-27: the pages that only a %s may open", { timeout: LONG }, async (visitor, look) => {
    if (look === undefined) throw new Error("There is no such look");
    for (const { path } of pagesFor(visitor)) {
      const { page, complaints } = await openTemplate(stage.open, path, visitor, look);
      await drawn(page, path);
      expect(await findingsOf(page, path)).toEqual([]);
      expect(complaints).toEqual([]);
    }
  });
});
