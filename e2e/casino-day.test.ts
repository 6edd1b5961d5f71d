/** @module-tag long */

import { readFile } from "node:fs/promises";
import { CSRF_HEADER, STAFF_BASE } from "@longarm/contract/staff-call";
import type { RoleName } from "@longarm/contract/staff-rights";
import { runTransaction } from "@longarm/database/run-transaction";
import { killedAt } from "@longarm/link/testing";
import type { StaffTables } from "@longarm/platform/modules/staff/accounts/index";
import { addPerson, invite, seedRoles } from "@longarm/platform/modules/staff/accounts/index";
import { systemRandom } from "@longarm/platform/random";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MONEY_CHANNEL } from "../apps/agent/src/money/money-steps.ts";
import { paths } from "../apps/console/src/shared/paths.ts";
import { acceptInvitation, goTo, heading, openDesk, press } from "../rig/page/console-desk.ts";
import { launchBrowser } from "../rig/page/visitor.ts";
import type { Device, Player } from "../rig/player.ts";
import { playerIdOf, signIn, sitAt } from "../rig/player.ts";
import { controlOf } from "../rig/venue/cabinet.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { Venue } from "../rig/venue/venue.ts";
import { NO_RATE_LIMITS, openVenue } from "../rig/venue/venue.ts";

/*
 * A day of a casino as five members of staff play it in the pages of their consoles, each in a browser of their own with an authenticator of
 * their own. Outside the pages happens only what happens outside them in a casino: a player plays, a door opens, a program dies.
 */

const SOON = { timeout: 120_000, interval: 250 };
const MACHINE = "pera-01";
const USERNAME = "zeynep.ak";

const PEOPLE = {
  administrator: ["ada", "Ada Kurt"],
  supervisor: ["okan", "Okan Aslan"],
  cashier: ["selin", "Selin Er"],
  attendant: ["mert", "Mert Tan"],
  auditor: ["veli", "Veli Su"],
} as const satisfies Partial<Record<RoleName, readonly [username: string, name: string]>>;
type Role = keyof typeof PEOPLE;

let venue: Venue;
let browser: Browser;
let pages: Readonly<Record<Role, Page>>;
let player: Player;
let seat: Device;

beforeAll(async () => {
  [venue, browser] = await Promise.all([
    openVenue({
      floor: { machines: 2, cabinets: 1, timeCode: false, minCycleMs: 1_000, seed: "a day" },
      staffPort: 0,
      fastDatabase: true,
      platformEnv: { ...NO_RATE_LIMITS, STAFF_IDLE_MS: "3600000", MONEY_RETRY_MS: "100" },
      agentEnv: { MEDIA_SILENT_MS: "60000" },
    }),
    launchBrowser(() => {}),
  ]);
  const arrived: Partial<Record<Role, Page>> = {};
  for (const role of Object.keys(PEOPLE) as Role[]) arrived[role] = await arrive(role);
  pages = arrived as Record<Role, Page>;
});
afterAll(async () => {
  await browser?.close();
  await venue?.close();
});

/** A member of staff with one role, who makes a passkey with the one-time link. */
async function arrive(role: Role): Promise<Page> {
  const [username, name] = PEOPLE[role];
  const db = venue.db.kysely.withTables<StaffTables>();
  await seedRoles(db);
  const token = await runTransaction(db, async (trx) => {
    const added = await addPerson(trx, systemRandom, { username, name, roles: [role], addedBy: "the venue" });
    if (added.is !== "added") throw new Error(`${username}: ${added.is}`);
    return (await invite(trx, systemRandom, added.id)).token;
  });
  const desk = await openDesk(browser);
  await acceptInvitation(desk.page, `${venue.staffHref}/invitation#${token}`);
  return desk.page;
}

const region = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
const sheet = (page: Page): Locator => page.getByRole("dialog");
const keyOf = (within: Page | Locator, name: string): Locator => within.getByRole("button", { name, exact: true });
const said = (page: Page, text: string): Promise<void> => page.getByText(text).first().waitFor();

/** Fills a reason in the open sheet and sends it. */
async function reasoned(page: Page, reason: string, send: string): Promise<void> {
  await sheet(page).getByLabel("Reason").fill(reason);
  await keyOf(sheet(page), send).click();
}

const confirm = (page: Page): Promise<void> => press(page, "Use your passkey");
const WAITS = "Requested. A second person must sign it.";

/** The second person opens what waits, reads it and signs. */
async function sign(role: Role, about: RegExp): Promise<void> {
  const page = pages[role];
  await goTo(page, paths.approvals);
  await page.getByRole("link", { name: about }).first().click();
  await keyOf(page, "Approve").click();
  await confirm(page);
  await said(page, "Approved and done.");
}

/** The asker sees the request and has no key to sign it. */
async function maySignNot(role: Role, about: RegExp): Promise<void> {
  const page = pages[role];
  await goTo(page, paths.approvals);
  await page.getByRole("link", { name: about }).first().click();
  await keyOf(page, "Withdraw").waitFor();
  expect(await keyOf(page, "Approve").count()).toBe(0);
}

/** What the platform answers to a call that a role's page does not make, sent with the sign-in of that page. */
const statusOf = (role: Role, method: "GET" | "POST", path: string, body: object = {}): Promise<number> =>
  pages[role].evaluate(
    async ([base, header, how, where, sent]) => {
      const me = (await (await fetch(`${base}me`)).json()) as { csrf: string };
      const answer = await fetch(base + where, {
        method: how,
        ...(how === "POST" && {
          headers: { "content-type": "application/json", [header]: me.csrf },
          body: JSON.stringify(sent),
        }),
      });
      return answer.status;
    },
    [STAFF_BASE, CSRF_HEADER, method, path, { id: "act-of-another-role", ...body }] as const,
  );

const balance = async (): Promise<number> => (await player.balance()).balance;
const playerPath = (): string => `${paths.players}/${playerIdOf(player)}`;

test("the floor is opened: the supervisor closes a machine and the attendant opens it, the cashier opens a shift", async () => {
  const { supervisor, attendant, cashier, auditor } = pages;
  await goTo(supervisor, `${paths.floor}/${MACHINE}`);
  await keyOf(supervisor, "Close").click();
  await reasoned(supervisor, "the floor opens at noon", "Close");
  await said(supervisor, "Done.");
  await goTo(attendant, `${paths.floor}/${MACHINE}`);
  await keyOf(attendant, "Open").click();
  await reasoned(attendant, "the floor opens", "Open");
  await keyOf(attendant, "Drain").waitFor();
  // An auditor sees the machine and has no key for it.
  await goTo(auditor, `${paths.floor}/${MACHINE}`);
  expect(await region(auditor, "What you may do").count()).toBe(0);
  expect(await keyOf(auditor, "Emergency stop").count()).toBe(0);

  // A machine has two places for staff's video: who does not watch leaves them free.
  for (const page of [attendant, auditor]) await goTo(page, paths.today);

  await goTo(cashier, paths.cashier);
  await cashier.getByLabel("Desk").fill("Cage 1");
  await cashier.getByLabel("Float").fill("5000");
  await press(cashier, "Open the shift");
  await said(cashier, "Your shift is open.");
});

test("a player is enrolled at the desk and gives money: within the limit alone, above it with a second person", async () => {
  const { cashier } = pages;
  await goTo(cashier, paths.players);
  await press(cashier, "Add a player");
  await sheet(cashier).getByLabel("Username").fill(USERNAME);
  await sheet(cashier).getByLabel("First name and surname").fill("Zeynep Ak");
  await keyOf(sheet(cashier), "Add the player").click();
  const password = (await sheet(cashier).locator("code").textContent()) ?? "";
  await press(cashier, "Done");
  player = await signIn(venue.href, { username: USERNAME, password });
  expect(await balance()).toBe(0);

  await goTo(cashier, paths.cashier);
  await cashier.getByRole("searchbox").fill("zeynep");
  await cashier.getByRole("button", { name: /zeynep\.ak/ }).click();
  await cashier.getByLabel("Amount").fill("5000");
  await press(cashier, "Deposit");
  await confirm(cashier);
  await region(cashier, "Done").getByText("Receipt").waitFor();
  expect(await balance()).toBe(500_000);
  await press(cashier, "Next player");

  await cashier.getByRole("button", { name: /zeynep\.ak/ }).click();
  await cashier.getByLabel("Amount").fill("12000");
  await said(cashier, "Above your limit: a second person signs before money moves.");
  await press(cashier, "Deposit");
  await confirm(cashier);
  await said(cashier, WAITS);
  expect(await balance()).toBe(500_000);
  await maySignNot("cashier", /Deposit to the wallet/);
  await sign("supervisor", /Deposit to the wallet/);
  await expect.poll(balance, SOON).toBe(1_700_000);
});

/** Frames that the page's video has shown so far; 0: there is none. */
const framesShown = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelector("video")?.getVideoPlaybackQuality().totalVideoFrames ?? 0);

test("the player plays, and the supervisor watches the live video, with credit and ledger beside each other", async () => {
  const { supervisor, cashier } = pages;
  seat = await sitAt(player, MACHINE);
  await seat.cashIn("first-cash-in", 200_000);
  await seat.play();
  await goTo(supervisor, `${paths.floor}/${MACHINE}`);
  await said(supervisor, "The ledger says the same");
  await expect.poll(() => framesShown(supervisor), SOON).toBeGreaterThan(10);
  await goTo(supervisor, paths.today);
  // A cashier sees a still and no live video.
  await goTo(cashier, `${paths.floor}/${MACHINE}`);
  await said(cashier, "Your role sees stills, not live video");
  expect(await cashier.locator("video").count()).toBe(0);
});

test("a hand pay: the attendant takes it and asks for another amount, two people pay it, and the slip keeps both figures", async () => {
  const { attendant, supervisor } = pages;
  await longarm(venue, "simulate", MACHINE, "handpay");
  await seat.spin();
  await seat.shows({ lockup: "handPay" });
  const owed = seat.meters().handPay?.amount ?? 0;
  const before = await balance();
  await goTo(attendant, paths.today);
  await said(attendant, "Hand pay");
  await press(attendant, "Take");
  await attendant.getByRole("link", { name: "Pay", exact: true }).click();
  await heading(attendant, "Money");
  await attendant.getByRole("button", { name: /^Pay the hand pay at/ }).click();
  const other = owed + 1_000;
  await sheet(attendant)
    .getByLabel("Another amount than the machine’s")
    .fill((other / 100).toFixed(2));
  await reasoned(attendant, "the display shows ten more", "Pay");
  await confirm(attendant);
  await said(attendant, WAITS);
  await maySignNot("attendant", /Hand pay at/);
  expect(await balance()).toBe(before);
  await sign("supervisor", /Hand pay at/);
  await expect.poll(balance, SOON).toBe(before + other);
  await expect.poll(() => seat.meters().lockup, SOON).toBeUndefined();
  await goTo(supervisor, paths.money);
  await region(supervisor, "Hand pays").getByRole("radio", { name: "Paid" }).check();
  await region(supervisor, "Hand pays")
    .getByText(/slip 1$/)
    .waitFor();
});

test("a door opens and is closed: the task comes and goes by itself", async () => {
  const { attendant } = pages;
  await goTo(attendant, paths.today);
  await longarm(venue, "simulate", MACHINE, "door");
  await said(attendant, "A door is open.");
  await longarm(venue, "simulate", MACHINE, "repair");
  await attendant.getByText("A door is open.").first().waitFor({ state: "detached" });
  await expect.poll(() => seat.meters().lockup, SOON).toBeUndefined();
});

test("the agent dies in a cash-in: the console shows the unknown transfer, offers no outcome, and the machine's record decides", async () => {
  const { attendant, auditor } = pages;
  await seat.leave();
  await venue.agent.kill();
  await venue.agent.restart(killedAt(MONEY_CHANNEL, "cashIn.machineDone"));
  seat = await sitAt(player, MACHINE);
  const gone = venue.agent.exited();
  const requested = expect
    .poll(() => seat.page.peer.request("cashIn", { id: "lost-answer", amount: 30_000 }).catch(() => undefined), SOON)
    .toBeDefined()
    .catch(() => undefined);
  await gone;
  await goTo(attendant, paths.money);
  const unknown = region(attendant, "Transfers with an unknown outcome");
  await unknown.getByText(USERNAME).waitFor();
  expect(await unknown.getByRole("button").allTextContents()).toEqual(["Read the record again"]);
  // An auditor sees the same evidence and no button.
  await goTo(auditor, paths.money);
  await region(auditor, "Transfers with an unknown outcome").getByText(USERNAME).waitFor();
  expect(await region(auditor, "Transfers with an unknown outcome").getByRole("button").count()).toBe(0);
  await venue.agent.restart({});
  await said(attendant, "Every transfer has its outcome");
  await requested;
  await expect.poll(async () => (await player.balance()).onMachine, SOON).toBe(30_000);
  // The page of the seat has been without its agent for long: the player opens it again.
  seat = await sitAt(player, MACHINE);
});

test("the emergency stop is set by two presses, its reason follows, and two people release it", async () => {
  const { attendant, supervisor } = pages;
  await goTo(attendant, paths.floor);
  await keyOf(attendant, "Emergency stop").click();
  await keyOf(sheet(attendant), "Stop").click();
  await press(attendant, "Press again to stop now");
  await said(attendant, "Stopped: the whole venue, by Mert Tan");
  // A press is refused, or has no socket any more: the stop ended the play session.
  await expect.poll(() => seat.press(), SOON).toMatch(/^(refused|unknown)/);
  await expect.poll(() => player.statusOf(MACHINE), SOON).toBe(0);
  await press(attendant, "Write the reason");
  await reasoned(attendant, "smoke in hall 2", "Write the reason");
  await region(attendant, "Emergency stops").getByText("smoke in hall 2").waitFor();
  expect(await keyOf(attendant, "Let play continue").count()).toBe(0);

  await goTo(supervisor, paths.floor);
  await press(supervisor, "Let play continue");
  await reasoned(supervisor, "it was a toaster", "Let play continue");
  await confirm(supervisor);
  await said(supervisor, WAITS);
  await maySignNot("supervisor", /Let play continue/);
  await sign("administrator", /Let play continue/);
  await region(attendant, "Emergency stops").waitFor({ state: "detached" });
  await expect.poll(() => player.statusOf(MACHINE), SOON).not.toBe(0);
});

test("somebody feeds a bill into a machine that is played from afar: the discrepancy has both figures, and two people explain it", async () => {
  const { supervisor, auditor } = pages;
  const [cabinet] = venue.cabinets;
  if (cabinet === undefined) throw new Error("The venue has no cabinet.");
  // The stop ended the play session.
  await seat.page.peer.request("leave", {}).catch(() => undefined);
  await expect.poll(async () => (await player.balance()).onMachine ?? 0, SOON).toBe(0);
  seat = await sitAt(player, cabinet.machineId);
  await seat.cashIn("cabinet-cash-in", 10_000);
  await controlOf(cabinet).order({ do: "bill", value: 20 });
  await goTo(supervisor, paths.money);
  const open = region(supervisor, "Discrepancies");
  await open.getByText("Discrepancy 1").waitFor();
  for (const row of [/^Credit on the machine ₺100\.00 ₺120\.00$/, /^Bills in ₺0\.00 ₺20\.00$/])
    await open.getByRole("row", { name: row }).waitFor();
  // An auditor reads the evidence and explains nothing.
  await goTo(auditor, paths.money);
  await region(auditor, "Discrepancies").getByText("Discrepancy 1").waitFor();
  expect(await keyOf(region(auditor, "Discrepancies"), "Explain").count()).toBe(0);

  await keyOf(open, "Explain").click();
  await sheet(supervisor).getByRole("radio", { name: "nothing to move" }).check();
  await reasoned(supervisor, "an attendant tested the acceptor", "Explain");
  await confirm(supervisor);
  await said(supervisor, WAITS);
  await maySignNot("supervisor", /iscrepancy/);
  await sign("administrator", /iscrepancy/);
  await goTo(supervisor, paths.money);
  await open.getByRole("radio", { name: "Explained" }).check();
  await open.getByText("an attendant tested the acceptor").waitFor();
  // What the machine has too much of stays there, for staff to take out.
  await seat.leave();
});

test("staff keeps a note, and excludes the player, who gets no seat; one person alone cannot lift it", async () => {
  const { cashier, supervisor, auditor } = pages;
  await seat.page.peer.request("leave", {}).catch(() => undefined);
  await expect.poll(async () => (await player.balance()).onMachine ?? 0, SOON).toBe(0);
  await goTo(cashier, playerPath());
  await region(cashier, "Notes of staff")
    .getByLabel("A note")
    .fill("Disputes the game of 21:40: the replay was shown.");
  await press(cashier, "Write it down");
  await goTo(auditor, playerPath());
  await said(auditor, "Disputes the game of 21:40: the replay was shown.");
  expect(await keyOf(auditor, "Exclude the player").count()).toBe(0);

  await goTo(supervisor, playerPath());
  await keyOf(supervisor, "Exclude the player").click();
  await reasoned(supervisor, "wants a pause", "Exclude the player");
  await keyOf(supervisor, "Lift the exclusion").waitFor();
  const refused = await player.open(MACHINE);
  expect((await refused.init()).is).toBe("refused");
  await goTo(cashier, playerPath());
  expect(await keyOf(cashier, "Lift the exclusion").count()).toBe(0);
  await keyOf(supervisor, "Lift the exclusion").click();
  await sheet(supervisor).getByLabel("The player’s wish, in their own words").fill("I want to play again");
  await keyOf(sheet(supervisor), "Lift the exclusion").click();
  await confirm(supervisor);
  await said(supervisor, WAITS);
  await maySignNot("supervisor", /Lift the exclusion/);
});

/** What each role has no page for, and what it is refused when it asks past its page. */
const NOT_ITS_OWN: Readonly<
  Record<Role, { readonly pages: readonly string[]; readonly calls: readonly (readonly ["GET" | "POST", string])[] }>
> = {
  administrator: {
    pages: ["Cashier"],
    calls: [
      ["POST", "players/{player}/deposit"],
      ["POST", "players/add"],
      ["POST", "machines/pera-01/hand-pay"],
      ["GET", "players/{player}"],
      ["GET", "shift"],
    ],
  },
  supervisor: {
    pages: ["Machines"],
    calls: [
      ["POST", "staff/invite"],
      ["POST", "machines/pera-01/simulate"],
      ["POST", "agents/enrol"],
    ],
  },
  cashier: {
    pages: ["Money", "Staff", "Machines", "Agents and keys", "Reports", "Audit log"],
    calls: [
      ["GET", "hand-pays"],
      ["POST", "machines/pera-01/hand-pay"],
      ["POST", "machines/pera-01/close"],
      ["POST", "players/{player}/limits/looser"],
      ["POST", "players/{player}/ban"],
      ["GET", "audit"],
      ["GET", "shifts"],
    ],
  },
  attendant: {
    pages: ["Cashier", "Staff", "Machines", "Reports", "Audit log", "Alerts"],
    calls: [
      ["POST", "players/{player}/deposit"],
      ["POST", "players/{player}/withdraw"],
      ["GET", "players/{player}"],
      ["POST", "discrepancies/1/explain"],
      ["POST", "stops/any/release"],
      ["GET", "audit"],
    ],
  },
  auditor: {
    pages: ["Cashier", "Machines"],
    calls: [
      ["POST", "machines/pera-01/close"],
      ["POST", "stops"],
      ["POST", "players/{player}/ban"],
      ["POST", "players/{player}/deposit"],
      ["POST", "discrepancies/1/explain"],
      ["POST", "shift/open"],
    ],
  },
};

test.each(Object.entries(NOT_ITS_OWN) as [Role, (typeof NOT_ITS_OWN)[Role]][])(
  "the %s has no page for what is not theirs, and a request past the page is refused",
  async (role, { pages: hidden, calls }) => {
    const rail = pages[role].getByRole("navigation", { name: "Console" });
    const links = await rail.getByRole("link").allTextContents();
    expect(links.filter((link) => hidden.some((name) => link.startsWith(name)))).toEqual([]);
    const answers: string[] = [];
    for (const [method, path] of calls) {
      const status = await statusOf(role, method, path.replace("{player}", playerIdOf(player)));
      answers.push(`${method} ${path} ${status}`);
    }
    expect(answers).toEqual(calls.map(([method, path]) => `${method} ${path} 403`));
  },
);

test("the shift is closed by a blind count that is right", async () => {
  const { cashier } = pages;
  await goTo(cashier, paths.cashier);
  await press(cashier, "Count and close");
  // The float of 5,000, and deposits of 5,000 and 12,000.
  await sheet(cashier).getByLabel("Counted").fill("22000");
  await keyOf(sheet(cashier), "Close the shift").click();
  await said(cashier, "The shift is closed. The count is right.");
});

test("the auditor reads the day's report, takes it along, and proves the audit log", async () => {
  const { auditor } = pages;
  await goTo(auditor, paths.reports);
  const table = region(auditor, "By brand");
  await table.getByRole("row", { name: /Pera/i }).first().waitFor();
  const [file] = await Promise.all([
    auditor.waitForEvent("download"),
    auditor.getByRole("link", { name: "CSV", exact: true }).click(),
  ]);
  const text = await readFile(await file.path(), "utf8");
  expect(text).toMatch(/^\ufeff?Brand,Games,Coin in,/);
  expect(text).toMatch(/^Pera,[1-9]\d*,/m);
  await goTo(auditor, paths.audit);
  await said(auditor, "staff.act");
  await press(auditor, "Prove the chain");
  await auditor.getByText(/^The chain is whole: \d+ links/).waitFor();
});
