import { dropDatabase } from "@longarm/database/testing/server";
import type {} from "@longarm/database/testing-setup";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Databases } from "./database.ts";
import { databases, makeTemplate } from "./database.ts";
import type { Figures } from "./figures.ts";
import { add, TRANSFERS } from "./figures.ts";
import type { StoryFailed, StoryHeld } from "./story.ts";
import { checkStory } from "./story.ts";
import type { Plant } from "./world.ts";
import { PLANTS } from "./world.ts";

/* A short run of `npm run proof -- money`, and the proof of the proof: bugs that are put in on purpose are found. */

const TEMPLATE = "money_proof_template";
const server = inject("longarmTestServer");
let stock: Databases;
beforeAll(async () => {
  await makeTemplate(server, TEMPLATE);
  stock = databases(server, TEMPLATE, "money_proof");
});
afterAll(async () => {
  await stock.end();
  await dropDatabase(server, TEMPLATE);
});

const SEEDS = WHOLE_RUN ? [1, 2, 3, 4, 5, 6] : [1, 2];
const STORY = { deedsMax: 500, faults: 3 } as const;

function failureText({ seed, sentence, path }: StoryFailed): string {
  const { deedsMax, faults } = STORY;
  return `${sentence}\nnpm run proof -- money --seed ${seed} --deeds ${deedsMax} --faults ${faults} --stories 1 --path ${path}`;
}

test("whatever breaks, in each story of money no coin is lost or doubled, and all of it comes home", async () => {
  const figures: Figures = {};
  for (const seed of SEEDS) {
    const end = await checkStory(stock, { checkEvery: 5, machines: "simulated" }, { seed, ...STORY, shrinkMs: 0 });
    if (end.is === "failed") expect.fail(failureText(end));
    add(figures, end.figures);
  }
  console.log(`money in seeds ${SEEDS.join(" ")}: ${figures[TRANSFERS]} transfers, ${figures["faults"]} faults`);
  expect(figures[TRANSFERS]).toBeGreaterThan(30 * SEEDS.length);
  expect(figures["faults"]).toBeGreaterThan(8 * SEEDS.length);
}, 600_000);

test("the same seed is the same story, to the last statement", async () => {
  const once = async (): Promise<StoryHeld | StoryFailed> =>
    await checkStory(
      stock,
      { checkEvery: 50, machines: "simulated" },
      { seed: 11, deedsMax: 150, faults: 5, shrinkMs: 0 },
    );
  const first = await once();
  expect(first.is).toBe("held");
  expect(await once()).toEqual(first);
}, 300_000);

/** The bug that takes the fewest stories to find. */
const FOUND_SOON: Plant = "holdTwice";
/** Stories that a planted bug may survive at most. */
const STORIES_MAX = 12;
const FIRST: Readonly<Record<Plant, number>> = { holdTwice: 1, forgetfulAgent: 1, hopefulCashOut: 1 };

test.each(PLANTS.filter((plant) => WHOLE_RUN || plant === FOUND_SOON))(
  "the planted bug %s is found",
  async (plant) => {
    for (let seed = FIRST[plant]; seed < FIRST[plant] + STORIES_MAX; seed += 1) {
      const end = await checkStory(
        stock,
        { checkEvery: 2, plant, machines: "simulated" },
        { seed, deedsMax: 400, faults: 8, shrinkMs: 0 },
      );
      if (end.is === "failed") {
        expect(end.sentence).toMatch(/shows|moved|is open|instead of|the ledger|after \d+ s of quiet|the history has/);
        return;
      }
    }
    expect.fail(`${STORIES_MAX} stories did not find it`);
  },
  600_000,
);
