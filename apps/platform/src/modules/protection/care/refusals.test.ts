import { afterAll, expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { figuresOfAll } from "./keeper.ts";

const venue = sharePlayVenue();
afterAll(async () => expect(await venue.ledger.verify()).toEqual([]));

test("a refused cash-in counts, for its own player alone, and a cash-in that is done does not", async () => {
  const { id, token } = await venue.player("cr.refused", 1_000);
  await venue.machine("care-02");
  const page = await venue.page(token, "care-02");
  await page.init();
  expect(await page.peer.request("cashIn", { id: "cr-refused-1", amount: 5_000 })).toMatchObject({ is: "refused" });
  expect(await page.peer.request("cashIn", { id: "cr-refused-2", amount: 500 })).toMatchObject({ is: "done" });
  expect((await figuresOfAll(venue.db, [id], "UTC")).get(id)?.failedDeposits).toBe(1);
});
