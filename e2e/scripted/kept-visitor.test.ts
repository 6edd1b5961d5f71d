import { expect, test } from "vitest";
import { setUpStage } from "./game-stage.ts";

/* A page that one test hands on to the next: nothing of the visitor before is in it. */

const stage = setUpStage();
const LONG_AGO = new Date("2020-03-13T10:00:00Z");

test.each(["one visitor", "the next visitor"])(
  "%s comes to the time of today, and sets a clock of their own",
  async () => {
    const { page } = await stage.open("/profile");
    expect(await page.evaluate(() => Date.now())).toBeGreaterThan(Date.now() - 60_000);
    await page.clock.setFixedTime(LONG_AGO);
    await page.reload();
    expect(await page.evaluate(() => Date.now())).toBe(LONG_AGO.getTime());
  },
);
