import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, metersOnPage, playing, readSummaries, sitDown } from "../rig/page/game-page.ts";
import type { Visitor } from "../rig/page/visitor.ts";
import { arrive, DESK, PHONE } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { signIn } from "../rig/player.ts";
import { bookFaults } from "../rig/venue/books.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* What a venue says of a seat: how long it may be kept while others wait, and what it costs to leave it for a while. In the whole run across two nodes. */

const SOON = { timeout: 90_000, interval: 100 };
const MACHINE = "nar-01";
const PLATFORM_ENV = {
  ...{ QUEUE_PLACES: "3", QUEUE_READY_MS: "60000", QUEUE_TURN_MIN: "15", WAITING_MS: "5000" },
  ...{ SEAT_HOLD_MIN: "10", SEAT_HOLD_PRICE: "1000", IDLE_MS: "3600000", NO_DEPOSIT_MS: "3600000" },
};
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 2, ...(WHOLE_RUN && { nodes: 2 }), platformEnv: PLATFORM_ENV });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

type Guest = Visitor & { readonly player: Player; readonly id: string };

/** A player in the lobby, connected to this node where there are two. */
async function inLobby(
  credentials: Parameters<typeof signIn>[1] & { id?: string },
  which: 0 | 1,
  device = DESK,
): Promise<Guest> {
  const node = venue.nodes[which];
  if (node !== undefined) venue.balancer?.serve([node.href]);
  const player = await signIn(venue.href, credentials);
  const visitor = await arrive(browser, device, "en");
  await readSummaries(visitor.page);
  await visitor.page.goto(`${venue.href}/lobby?token=${player.token}`);
  await visitor.page.locator(`[data-machine="${MACHINE}"]`).waitFor();
  return { ...visitor, player, id: credentials.id ?? "" };
}

async function joinQueue(page: Page, machine = MACHINE): Promise<void> {
  const card = page.locator(`[data-machine="${machine}"]`);
  const key = card.getByRole("button", { name: /^Wait/ });
  await card.locator("span:has(> button)").first().waitFor({ state: "attached" });
  await ((await key.isVisible()) ? key : card.locator("h3 a")).click();
  await page.getByRole("dialog").getByRole("button", { name: "Join the queue" }).click();
  await card.getByText("Place 1", { exact: true }).waitFor({ state: "attached" });
}

const answerOf = async (sql: string) => await venue.ask(sql);
const feesOf = (id: string) =>
  answerOf(`select coalesce(json_agg(t.amount_minor), '[]') as answer from ledger.transfers t
    join ledger.accounts f on f.id = t.from_account where t.kind = 'fee' and f.address = 'player:${id}'`);

test("fair time is said from the start, runs while another waits, and at its end the seat passes to the one who waits", async () => {
  const [one, two] = await venue.addPlayers("fair", 2, 100_000);
  const sitter = await inLobby(one as never, 0);
  await sitDown(sitter.page, MACHINE);
  await cashIn(sitter.page, 500, "en");
  const line = sitter.page.locator("[data-turn]").filter({ visible: true });
  await expect.poll(() => line.textContent(), SOON).toBe("If others wait, you may stay 15 minutes.");

  const waiter = await inLobby(two as never, 1, PHONE);
  await joinQueue(waiter.page);
  await expect.poll(() => line.textContent(), SOON).toMatch(/^Others wait\. Your place is yours until \d\d:\d\d\.$/);

  // The fifteen minutes pass.
  const over = `with over as (update seat_turn set left_ms = 0, ends_at = clock_timestamp()
    where machine_id = '${MACHINE}' returning 1) select count(*) as answer from over`;
  await expect
    .poll(async () => {
      if ((await answerOf(`select ending as answer from seat where machine_id = '${MACHINE}'`)) === null)
        await answerOf(over);
      return await waiter.page.getByRole("alertdialog", { name: /is yours/ }).count();
    }, SOON)
    .toBe(1);
  await sitter.page.getByText("Your time at this machine is over: others wait.").first().waitFor();
  await expect.poll(async () => (await sitter.player.balance()).balance, SOON).toBe(100_000);
  expect(
    await answerOf(
      `select end_reason as answer from play_session where player_id = '${one?.id}' order by started_at desc limit 1`,
    ),
  ).toBe("turn");

  const call = waiter.page.getByRole("alertdialog", { name: /is yours/ });
  await call.locator("button:not([aria-disabled])").first().waitFor();
  await call.getByRole("button", { name: "Sit down" }).click();
  await playing(waiter.page);
  expect(await answerOf(`select player_id as answer from seat where machine_id = '${MACHINE}'`)).toBe(two?.id);
  expect(await bookFaults(venue.db)).toEqual([]);
  expect([...sitter.complaints, ...waiter.complaints]).toEqual([]);
  await Promise.all([sitter, waiter].map(({ context }) => context.close()));
});

test("a player leaves, pays the price that was shown once, finds seat and credit again, and no player was called meanwhile", async () => {
  const [other = ""] = (await venue.machineIds()).filter((id) => id !== MACHINE);
  const [one, two] = await venue.addPlayers("holds", 2, 100_000);
  const holder = await inLobby(one as never, 0);
  await sitDown(holder.page, other);
  await cashIn(holder.page, 500, "en");
  await holder.page.getByRole("button", { name: "Back to lobby" }).first().click();
  const sheet = holder.page.getByRole("dialog");
  await sheet.getByText(/keep the seat until \d\d:\d\d for ₺10 from your wallet/).waitFor();
  // Two clicks at once.
  await sheet.getByRole("button", { name: "Hold my seat for 10 minutes · ₺10" }).evaluate((key: HTMLElement) => {
    key.click();
    key.click();
  });
  await holder.page.getByText(/Your seat is held until \d\d:\d\d\. ₺10 was taken from your wallet\./).waitFor();
  await holder.page.locator(`[data-machine="${other}"]`).waitFor();
  expect(await feesOf(one?.id ?? "")).toEqual([1_000]);
  expect(await holder.player.balance()).toMatchObject({ balance: 49_000, onMachine: 50_000 });

  const waiter = await inLobby(two as never, 1, PHONE);
  await joinQueue(waiter.page, other);
  await expect.poll(() => waiter.player.statusOf(other), SOON).toBe(2);
  // Longer than a lost link keeps a seat.
  await expect
    .poll(
      () =>
        answerOf(
          `select clock_timestamp() > begun_at + interval '8 seconds' as answer from seat_hold where player_id = '${one?.id}'`,
        ),
      SOON,
    )
    .toBe(true);
  expect(await waiter.page.getByRole("alertdialog").count()).toBe(0);
  expect(await answerOf(`select state as answer from seat where machine_id = '${other}'`)).toBe("waiting");

  await holder.page.getByRole("button", { name: "Continue", exact: true }).click();
  await playing(holder.page);
  expect((await metersOnPage(holder.page)).credit).toBe(50_000);
  expect(await feesOf(one?.id ?? "")).toEqual([1_000]);
  const { rows } = (await (await holder.player.call("player/transactions?page=1&limit=1")).json()) as {
    rows: unknown[];
  };
  expect(rows).toMatchObject([{ type: 2, from: "Fee", amount: -1_000, balance: 49_000 }]);
  expect(await bookFaults(venue.db)).toEqual([]);
  expect([...holder.complaints, ...waiter.complaints]).toEqual([]);
  await Promise.all([holder, waiter].map(({ context }) => context.close()));
});
