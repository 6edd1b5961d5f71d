import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { MONEY_STEPS as AGENT_STEPS, MONEY_CHANNEL } from "../apps/agent/src/money/money-steps.ts";
import { TRANSFER_CHANNEL, TRANSFER_STEPS } from "../apps/cabinet/src/sas/aft.ts";
import { MONEY_STEPS as PLATFORM_STEPS } from "../apps/platform/src/modules/play/wallet/money-steps.ts";
import type { Kill } from "../rig/money-kills.ts";
import { MoneyKills } from "../rig/money-kills.ts";
import type { Device, Player } from "../rig/player.ts";
import { allOf, signIn, sitAt } from "../rig/player.ts";
import { bookFaults, restless } from "../rig/venue/books.ts";
import type { CabinetControl } from "../rig/venue/cabinet.ts";
import { booksAndMeters, controlOf } from "../rig/venue/cabinet.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/*
 * A machine of the floor as a cabinet: the agent drives another program over SAS and presses its buttons through a relay board, as it would drive
 * metal. A whole play session, then programs killed in the middle of transfers: ledger, wallet and the cabinet's own meters agree to the kuruş.
 */

const AMOUNT = 50_000;
const SOON = { timeout: 60_000, interval: 50 };
const GAMES = 10;
/** SAS: a hand pay of the credits that the machine cancels. */
const CANCELLED_CREDITS = 0x80;

let venue: TestVenue;
let machineId: string;
let control: CabinetControl;
let player: Player;
let all: number;

beforeAll(async () => {
  venue = await openTestVenue({ machines: 1, cabinets: 1, minCycleMs: 500 });
  const [cabinet] = venue.cabinets;
  if (cabinet === undefined) throw new Error("The venue has no cabinet.");
  ({ machineId } = cabinet);
  control = controlOf(cabinet);
  player = await signIn(venue.href);
  all = allOf(await player.balance());
});
afterAll(() => venue?.close());

/** Everything that the platform booked is what the cabinet counted, and the books hold. */
async function agree(): Promise<void> {
  await vi.waitFor(async () => {
    const { booked, counted } = await booksAndMeters(venue, machineId, control);
    expect(counted).toEqual(booked);
  }, SOON);
  expect(await bookFaults(venue.db)).toEqual([]);
}

const total = async (): Promise<number> => allOf(await player.balance());
const seatState = () => venue.ask("select state as answer from seat");
const handPayOf = (device: Device) => device.meters().handPay;

/** Staff pays what the machine waits for, and the machine continues. */
async function payByHand(device: Device): Promise<void> {
  // The meters on the page are ahead of the machine's events, from which the platform knows the game and the hand pay.
  await expect.poll(seatState, SOON).toBe("handPay");
  const confirmed = async (): Promise<unknown> => {
    // A busy machine that does not answer the reset in time gets it again by a repeat, which pays nothing.
    if ((await seatState()) === "handPay") await longarm(venue, "handpay", "confirm", machineId);
    return handPayOf(device);
  };
  await expect.poll(confirmed, { ...SOON, interval: 2_000 }).toBeUndefined();
  // Money moves again once the platform knows of the reset too; its meters may be quicker than its event.
  await expect.poll(seatState, SOON).not.toBe("handPay");
}

test("the lobby calls it simulated, and what SAS does not say is unknown", async () => {
  const machines = (await (await player.call("machine/all")).json()) as { id: string; simulated?: boolean }[];
  expect(machines).toMatchObject([{ id: machineId, simulated: true, status: 1 }]);
});

test("a whole play session over SAS: cash-in, ten games by wired buttons, a bonus, hand pays, cash-out", async () => {
  const device = await sitAt(player, machineId);
  const { bet, freeSpins, bonus } = device.meters();
  expect([bet, freeSpins, bonus]).toEqual([undefined, undefined, undefined]);
  await device.cashIn("session.in", AMOUNT);
  expect((await control.report()).creditsSum).toBe(AMOUNT);
  expect(await total()).toBe(all);

  for (let game = 0; game < GAMES; game += 1) await device.play();
  expect((await control.report()).meters["05"]).toBe(GAMES);

  await control.order({ do: "wish", wish: "bonus" });
  await device.spin();
  await device.shows({ bonus: true });
  // The player chooses with the same button, and the machine continues.
  expect(await device.press()).toBe("done");
  await device.shows({ inGame: false, gamesPlayed: GAMES + 1 });

  await control.order({ do: "wish", wish: "handpay" });
  await device.spin();
  await device.shows({ handPay: { kind: "win" }, lockup: "handPay", inGame: false });
  const won = handPayOf(device)?.amount ?? 0;
  await expect.poll(seatState, SOON).toBe("handPay");
  await expect.poll(async () => (await player.balance()).onMachine, SOON).toBe(device.meters().credit);
  const before = await total();
  expect(await device.press()).toBe("refused 60042");
  await payByHand(device);
  expect(await total()).toBe(before + won);

  // The machine cannot pay the credits out itself: they are the player's own.
  const { credit } = device.meters();
  await control.order({ do: "handPay", amount: credit, level: CANCELLED_CREDITS });
  await device.shows({ handPay: { kind: "cancelledCredits", amount: credit } });
  await payByHand(device);
  await device.shows({ credit: 0 });
  expect(await player.balance()).toEqual({ balance: before + won, onMachine: 0 });

  await device.cashIn("session.in.2", AMOUNT);
  const out = await device.peer.request("cashOut", { id: "session.out", amount: 20_000 });
  expect(out).toMatchObject({ is: "done", data: { outcome: "done", amount: 20_000 } });
  await device.leave();
  expect(await player.balance()).toEqual({ balance: before + won });
  expect(await restless(venue.db)).toEqual([]);
  await agree();
});

/** In the whole run every program at every step, and agent and platform at each of theirs together with the cabinet; else the cabinet once. */
function planned(): Kill<"agent" | "platform" | "cabinet">[] {
  const at = <Who extends "agent" | "platform" | "cabinet">(
    who: Who,
    steps: readonly string[],
    also?: "cabinet",
  ): Kill<"agent" | "platform" | "cabinet">[] => {
    const taken = steps.filter((step) => WHOLE_RUN || step === "toHost.moved");
    // A cabinet that was killed after it had moved the money reports its record to the agent, which is the last of its steps.
    const next = (index: number): string | undefined => (who === "cabinet" ? undefined : taken[index + 1]);
    return taken.map((step, index) => ({ who, step, next: next(index), also }));
  };
  return [
    ...at("cabinet", TRANSFER_STEPS),
    ...at("agent", AGENT_STEPS),
    ...at("platform", PLATFORM_STEPS),
    ...at("agent", AGENT_STEPS, "cabinet"),
    ...at("platform", PLATFORM_STEPS, "cabinet"),
  ];
}

describe("kill -9 in a transfer loses and doubles nothing", () => {
  let kills: MoneyKills<"agent" | "platform" | "cabinet">;
  const plan = planned();

  beforeAll(async () => {
    const [cabinet] = venue.cabinets;
    if (cabinet === undefined) throw new Error("The venue has no cabinet.");
    const victims = {
      agent: { keeper: venue.agent, channel: MONEY_CHANNEL },
      platform: { keeper: venue.platform, channel: MONEY_CHANNEL },
      cabinet: { keeper: cabinet.keeper, channel: TRANSFER_CHANNEL },
    };
    kills = new MoneyKills({ venue, player, machineId, amount: AMOUNT, victims, agrees: agree });
    // A test before this one that failed may have left credits on the machine.
    const page = await kills.seat();
    await vi.waitFor(
      async () => expect(await page.peer.request("leave", {})).toMatchObject({ data: { outcome: "done" } }),
      SOON,
    );
    page.drop();
    await kills.begin();
  });

  test.each(plan.map((kill) => ({ kill, of: kill.also ? `${kill.who} and ${kill.also}` : kill.who })))(
    "of $of at $kill.step",
    ({ kill }) => kills.killAt(kill),
  );

  test("and all of it comes home when the player leaves", async () => {
    const page = await kills.seat();
    const { balance, onMachine } = await kills.settled();
    expect(await page.peer.request("leave", {})).toMatchObject({ is: "done", data: { outcome: "done" } });
    await expect.poll(() => player.balance(), SOON).toEqual({ balance: balance + onMachine });
    expect(kills.count).toBeGreaterThanOrEqual(WHOLE_RUN ? 50 : 1);
    await agree();
    expect(await restless(venue.db)).toEqual([]);
    expect(await longarm(venue, "reconcile")).toContain("Everything adds up");
  });
});
