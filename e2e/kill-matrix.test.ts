/** @module-tag long */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MONEY_STEPS as AGENT_STEPS, MONEY_CHANNEL } from "../apps/agent/src/money/money-steps.ts";
import { MONEY_STEPS as PLATFORM_STEPS } from "../apps/platform/src/modules/play/wallet/money-steps.ts";
import { MoneyKills } from "../rig/money-kills.ts";
import type { Player } from "../rig/player.ts";
import { allOf, signIn } from "../rig/player.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/*
 * The agent, then the platform, is killed with -9 at every step of a cash-in and of a cash-out (`MoneyKills` says what must hold), and the books
 * agree with the machine at the end.
 */

const MACHINE = "nar-01";
const AMOUNT = 50_000;
const SOON = { timeout: 60_000, interval: 50 };

const after = (steps: readonly string[], step: string): string | undefined => steps[steps.indexOf(step) + 1];

let venue: TestVenue;
let player: Player;
let kills: MoneyKills<"agent" | "platform">;
let all: number;

beforeAll(async () => {
  venue = await openTestVenue({ machines: 1 });
  player = await signIn(venue.href);
  all = allOf(await player.balance());
  const victims = {
    agent: { keeper: venue.agent, channel: MONEY_CHANNEL },
    platform: { keeper: venue.platform, channel: MONEY_CHANNEL },
  };
  kills = new MoneyKills({ venue, player, machineId: MACHINE, amount: AMOUNT, victims });
  await kills.begin();
});
afterAll(() => venue?.close());

describe("kill -9 of the agent loses and doubles nothing", () => {
  test.each(AGENT_STEPS)("at %s", (step) => kills.killAt({ who: "agent", step, next: after(AGENT_STEPS, step) }));
});

describe("kill -9 of the platform loses and doubles nothing", () => {
  test.each(PLATFORM_STEPS)("at %s", (step) =>
    kills.killAt({ who: "platform", step, next: after(PLATFORM_STEPS, step) }),
  );
});

test("what the kills left on the machine goes home to the wallet when the player leaves", async () => {
  const page = await kills.seat();
  expect(await page.peer.request("leave", {})).toMatchObject({ is: "done", data: { outcome: "done" } });
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: all });
  expect(await venue.ledger.verify()).toEqual([]);
  // Sessions, transfers, the machine's own meters and the ledger: after twenty kills all of them still say the same.
  expect(await longarm(venue, "reconcile")).toContain("Everything adds up");
});
