import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { ScriptedCall } from "./answers.ts";
import { ok, refused } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, everyWindow, PHONE, setUpStage } from "./game-stage.ts";
import type { Given } from "./listing-rows.ts";
import { cursorsOf, pagesOf, scriptedSessions, scriptedTransactions } from "./listing-rows.ts";

const stage = setUpStage();

const NOW_MS = Date.now();
const SESSIONS = "GET /v1/player/sessions";
const TRANSACTIONS = "GET /v1/player/transactions";
const transactions = scriptedTransactions(60, NOW_MS - 60_000);
const sessions = scriptedSessions(60, NOW_MS - 60_000);
const bothListings = (_: Page, backEnd: ScriptedBackEnd) => {
  backEnd.script(TRANSACTIONS, cursorsOf(transactions));
  backEnd.script(SESSIONS, pagesOf(sessions));
};
const only = (route: string, rows: readonly Given[]) => (_: Page, backEnd: ScriptedBackEnd) =>
  backEnd.script(route, pagesOf(rows));

const rowsOf = (page: Page) => page.locator("[data-row]");
const countOf = (page: Page) => expect.poll(() => rowsOf(page).count());
const heads = (page: Page) => page.locator("thead th").allInnerTexts();
/** What one column shows, from the top. */
const column = (page: Page, name: string) => page.locator(`td[data-column="${name}"]`).allInnerTexts();
/** The listing's own calls, without those of the plot. */
const requested = (backEnd: ScriptedBackEnd, path: string): readonly ScriptedCall[] =>
  backEnd.calls.filter((call) => call.path === path && call.query.get("limit") !== "500");
async function chooseAll(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("dialog").waitFor();
  const off = page.getByRole("dialog").locator("input[type=checkbox]:not(:checked)");
  while ((await off.count()) > 0) await off.first().click();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

const TEN = [
  ...["Machine", "Operation date", "Type", "From", "Start", "End", "Played session duration", "Spin count"],
  ...["Free spin count", "Amount"],
];

test("R-2.8-01, R-2.8-02, R-2.8-03, R-2.8-04, R-2.8-05, R-2.8-06, R-2.8-07, R-2.8-08, R-2.8-09, R-2.8-10, R-9-16: each listing has its columns, all ten in both, amounts are minor units divided by 100", async () => {
  const row = { id: 1, operation_date: "2026-11-20T10:00:00Z", type: 4, from: "Nar 07", machine: "Nar 07", balance: 0 };
  const { page } = await stage.open("/transactions", {
    before: (_, backEnd) => {
      backEnd.script(
        TRANSACTIONS,
        pagesOf([
          { ...row, amount: 12_345 },
          { ...row, id: 2, amount: -500_005 },
        ]),
      );
      backEnd.script(SESSIONS, pagesOf(sessions.slice(1, 3)));
    },
  });
  await countOf(page).toBe(2);
  await expect.poll(() => heads(page)).toEqual(["Operation date", "Type", "From", "Machine", "Amount"]);
  await expect.poll(() => column(page, "amount")).toEqual(["+₺123.45", "−₺5,000.05"]);
  await expect.poll(async () => (await column(page, "operationDate"))[0]).toMatch(/^20\/11\/2026 \d\d:\d\d$/);
  await chooseAll(page);
  await expect.poll(async () => (await heads(page)).toSorted()).toEqual(TEN.toSorted());

  await page.getByRole("link", { name: "Game Sessions" }).click();
  await page.waitForURL("**/slot-sessions");
  // The transactions, two as well, stand there until the sessions do.
  await expect
    .poll(() => heads(page))
    .toEqual([...["Machine", "Start", "End", "Played session duration", "Spin count", "Free spin count", "Amount"]]);
  await countOf(page).toBe(2);
  await expect
    .poll(() => page.locator("tbody tr").first().innerText())
    .toMatch(/^Kuzey 02\s.*\s00:21:18\s+101\s+1\s+\+₺1,108\.00$/s);
  await chooseAll(page);
  await expect.poll(() => heads(page)).toEqual(TEN);
  await page.reload();
  await countOf(page).toBe(2);
  await expect.poll(() => heads(page)).toEqual(TEN);
});

test("R-2.8-15, R-2.8-16, R-2.8-17, R-2.8-18, R-2.8-19, R-2.8-20: action codes 1 to 6 have their words, an unknown one its number", async () => {
  const rows = [1, 2, 3, 4, 5, 6, 77].map((type) => ({
    id: type,
    operation_date: "2026-11-20T10:00:00Z",
    type,
    amount: 1,
  }));
  const { page } = await stage.open("/transactions", { before: only(TRANSACTIONS, rows) });
  await countOf(page).toBe(7);
  await expect
    .poll(() => column(page, "type"))
    .toEqual([...["Deposit", "Withdraw", "Cash In", "Cash Out", "Hand Pay", "JACKPOT", "77"]]);
});

test("R-2.8-11: 60 rows, 25 a page: load more brings the next 25, says so, and the focus goes to the first of them", async () => {
  const { page, backEnd } = await stage.open("/transactions", { before: bothListings });
  await countOf(page).toBe(25);
  await page.getByText("25 of 60").waitFor();
  await page.getByRole("button", { name: "Load more" }).click();
  await countOf(page).toBe(50);
  await page.getByText("50 of 60").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-row"))).toBe("25");
  await expect
    .poll(() => requested(backEnd, "/v1/player/transactions").map(({ query }) => query.get("after")))
    .toEqual([null, "c25"]);
  await page.getByRole("button", { name: "Load more" }).click();
  await countOf(page).toBe(60);
  expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0);

  await page.goto(`${backEnd.url}/slot-sessions`);
  await countOf(page).toBe(25);
  await page.getByRole("button", { name: "Load more" }).click();
  await countOf(page).toBe(50);
  await expect
    .poll(() => requested(backEnd, "/v1/player/sessions").map(({ query }) => query.get("page")))
    .toEqual(["1", "2"]);
});

test("R-2.8-12: a searched machine leaves only its rows; the search, a reload and the way back stand in the address", {
  tags: ["long"],
}, async () => {
  const { page, path } = await stage.open("/slot-sessions", { before: bothListings });
  await countOf(page).toBe(25);
  const field = page.getByRole("searchbox");
  await field.pressSequentially("nar 07");
  await countOf(page).toBe(15);
  expect(new Set(await column(page, "machine"))).toEqual(new Set(["Nar 07"]));
  await expect.poll(path).toBe("/slot-sessions?search=nar+07");
  await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
  await page.reload();
  await countOf(page).toBe(15);
  await expect.poll(() => field.inputValue()).toBe("nar 07");
  await page.goBack();
  await countOf(page).toBe(25);
  expect(await field.inputValue()).toBe("");
});

test("R-2.8-12: a platform that ignores the search is searched here", async () => {
  const { page } = await stage.open("/transactions?search=kuzey", {
    before: (_, backEnd) => backEnd.script(TRANSACTIONS, () => ok({ rows: transactions.slice(0, 25), total: 25 })),
  });
  await countOf(page).toBe(4);
  expect(new Set(await column(page, "machine"))).toEqual(new Set(["Kuzey 02"]));
});

test("R-2.8-14: items per page 10, 25, 50 and 100", async () => {
  const rows = scriptedTransactions(120, NOW_MS);
  const { page, path } = await stage.open("/transactions", { before: only(TRANSACTIONS, rows) });
  const size = page.getByRole("combobox", { name: "Items per page" });
  await countOf(page).toBe(25);
  await expect.poll(() => size.locator("option").allInnerTexts()).toEqual(["10", "25", "50", "100"]);
  for (const count of [10, 50, 100]) {
    await size.selectOption(String(count));
    await countOf(page).toBe(count);
    await expect.poll(path).toBe(`/transactions?limit=${count}`);
  }
  await page.reload();
  await countOf(page).toBe(100);
});

test("R-2.8-21, R-1-07, R-2.1-14, R-2.1-15, R-2.1-17: both listings get their rows from the platform, by the menu", async () => {
  const { page, backEnd } = await stage.open("/lobby", { before: bothListings });
  await page.getByRole("link", { name: "Game Sessions" }).click();
  await page.waitForURL("**/slot-sessions");
  await page.getByRole("heading", { level: 1, name: "Game Sessions" }).waitFor();
  await countOf(page).toBe(25);
  await page.getByRole("link", { name: "Transactions", exact: true }).click();
  await page.waitForURL("**/transactions");
  await page.getByRole("table", { name: "Transactions" }).waitFor();
  await countOf(page).toBe(25);
  for (const path of ["/v1/player/sessions", "/v1/player/transactions"]) {
    const [call] = requested(backEnd, path);
    expect(Object.fromEntries(call?.query ?? [])).toEqual({ page: "1", limit: "25" });
  }
});

test.each([
  ["R-2.1-16", "/slot-sessions"],
  ["R-2.1-18", "/transactions"],
])("%s: a guest who opens %s ends at the login", async (_, address) => {
  const { page, backEnd } = await stage.open(address, { guest: true });
  await page.waitForURL("**/login");
  expect(backEnd.calls).toEqual([]);
});

test("D-33: the settings move the calls, and a 404 is an empty list with a notice", { tags: ["long"] }, async () => {
  const { page, backEnd } = await stage.open("/transactions", {
    world: ({ settings }) => Object.assign(settings, { transactionsPath: "/reports/mine" }),
    before: only("GET /v1/reports/mine", transactions.slice(0, 3)),
  });
  await countOf(page).toBe(3);
  await page.getByRole("link", { name: "Game Sessions" }).click();
  await page.getByText("This list is not available here").waitFor();
  await expect.poll(() => backEnd.called()).toContain("GET /v1/player/sessions");
  expect(await rowsOf(page).count()).toBe(0);
});

test("type and period narrow the list and stand in the address; nothing found says what was asked, and one key clears it", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, path } = await stage.open("/transactions", { before: bothListings });
  await countOf(page).toBe(25);
  await page.getByRole("combobox", { name: "Type" }).selectOption({ label: "JACKPOT" });
  await countOf(page).toBe(10);
  await page.getByRole("combobox", { name: "Period" }).selectOption({ label: "Choose dates" });
  await page.getByLabel("First day").fill("2020-01-01");
  await page.getByLabel("Last day").fill("2020-01-31");
  await page.getByText("Filters on: JACKPOT, 1 Jan 2020 – 31 Jan 2020.").waitFor();
  await expect.poll(path).toBe("/transactions?type=6&period=custom&from=2020-01-01&to=2020-01-31");
  const last = requested(backEnd, "/v1/player/transactions").at(-1)?.query;
  const zone = (day: number, month: number) =>
    page.evaluate(([d, m]) => new Date(2020, m as number, d).toISOString(), [day, month] as const);
  expect([last?.get("from"), last?.get("to")]).toEqual([await zone(1, 0), await zone(1, 1)]);
  await page.getByLabel("Last day").fill("2019-12-31");
  await page.getByText("The first day is after the last.").waitFor();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await countOf(page).toBe(25);
  await expect.poll(path).toBe("/transactions");
  await page.goBack();
  await page.getByText("No results").waitFor();
});

test("a player without history reads so; a failure says why, and the next try heals it", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/transactions", { before: only(TRANSACTIONS, []) });
  await page.getByText("You have no transactions yet").waitFor();
  backEnd.script(SESSIONS, () => refused(503, 99_999, { ErrorMessage: "The archive sleeps" }));
  await page.getByRole("link", { name: "Game Sessions" }).click();
  await page.getByRole("alert").getByText("The archive sleeps").waitFor();
  backEnd.script(SESSIONS, pagesOf(sessions));
  await page.getByRole("button", { name: "Try again" }).click();
  await countOf(page).toBe(25);
  backEnd.script(SESSIONS, () => refused(503, 99_999));
  await page.getByRole("button", { name: "Load more" }).click();
  await page.getByText("More rows could not be loaded.").waitFor();
  await expect.poll(() => rowsOf(page).count()).toBe(25);
  backEnd.script(SESSIONS, pagesOf(sessions));
  await page.getByRole("button", { name: "Try again" }).click();
  await countOf(page).toBe(50);
});

test("hostile rows hide nothing: wrong types, scripts, huge texts and amounts", async () => {
  const script = "<img src=x onerror=document.title='broken'>";
  const rows = [
    { ...transactions[2], id: 1, machine: script, amount: -500_000 },
    ...[null, "row", [], 7],
    { id: 2, type: "six", amount: "much", from: {}, operation_date: 5, balance: -1 },
    { id: 3, operation_date: "2026-11-20T10:00:00Z", type: 1, from: "x".repeat(20_000), amount: 1e15, balance: 1e15 },
    { id: 4, operation_date: "2026-11-19T10:00:00Z", type: 1, amount: 1e300, balance: "10" },
  ];
  const { page, complaints } = await stage.open("/transactions", {
    before: (_, backEnd) => backEnd.script(TRANSACTIONS, () => ok({ rows, total: "many", next: 7 })),
  });
  await countOf(page).toBe(4);
  await expect.poll(async () => (await column(page, "machine"))[0]).toBe(script);
  await expect
    .poll(() => column(page, "amount"))
    .toEqual(["−₺5,000.00", "—\nnone", "+₺10,000,000,000,000.00", "—\nnone"]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  await expect.poll(() => page.title()).toContain("Transactions");
  expect(complaints).toEqual([]);
});

test("R-2.8-13: the file holds all rows that match, in the columns shown, byte for byte", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/transactions?type=5", {
    before: (browserPage, end) => {
      bothListings(browserPage, end);
      const rows = [
        {
          id: 1,
          operation_date: "2026-11-20T10:00:00Z",
          type: 5,
          from: '=HYPERLINK("x")',
          machine: "Nar, 07",
          amount: -5,
        },
        { id: 2, operation_date: "2026-11-19T10:00:00Z", type: 5, from: "Cage", machine: null, amount: 110_800 },
      ];
      end.script(TRANSACTIONS, cursorsOf(rows));
    },
  });
  await countOf(page).toBe(2);
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const download = await waiting;
  expect(download.suggestedFilename()).toMatch(/^longarm-transactions-until-\d{4}-\d\d-\d\d\.csv$/);
  const day = (iso: string) => page.evaluate((text) => new Date(text).toLocaleString("sv-SE"), iso);
  const lines = [
    "Operation date,Type,From,Machine,Amount (TRY)",
    `${await day("2026-11-20T10:00:00Z")},Hand Pay,"'=HYPERLINK(""x"")","Nar, 07",-0.05`,
    `${await day("2026-11-19T10:00:00Z")},Hand Pay,Cage,,1108.00`,
  ];
  const bytes = await readFile(await download.path());
  expect(bytes).toEqual(Buffer.from(`\uFEFF${lines.map((line) => `${line}\r\n`).join("")}`));
  const call = backEnd.calls.findLast(({ query }) => query.get("limit") === "500");
  expect(call?.query.get("type")).toBe("5");
});

test("R-2.8-13: a large file says how far it is, can be cancelled, and after a failure goes on where it was", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/slot-sessions", {
    before: only(SESSIONS, scriptedSessions(1_200, NOW_MS)),
  });
  await countOf(page).toBe(25);
  const rows = scriptedSessions(1_200, NOW_MS);
  const gate = Promise.withResolvers<void>();
  let answer: "hold" | "fail" | "give" = "hold";
  const give = cursorsOf(rows);
  backEnd.script(SESSIONS, async (call) => {
    if (call.query.get("after") === "c500" && answer === "hold") await gate.promise;
    if (call.query.get("after") === "c500" && answer === "fail") return refused(503, 99_999);
    return give(call);
  });
  const key = page.getByRole("button", { name: "Download" });
  await key.click();
  await page.getByText("500 of 1,200 rows").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("The file is being made").waitFor({ state: "detached" });
  answer = "fail";
  gate.resolve();
  await key.click();
  await page.getByText("The download was interrupted (500 rows fetched).").waitFor();
  answer = "give";
  const before = backEnd.calls.length;
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Go on" }).click();
  const text = await readFile(await (await waiting).path(), "utf8");
  expect(text.split("\r\n")).toHaveLength(1 + 1_200 + 1);
  await expect
    .poll(() => backEnd.calls.slice(before).map(({ query }) => query.get("after")))
    .toEqual(["c500", "c1000"]);
});

test("the plot tells the balance from the rows, point by point by arrow keys, and hides with the wallet", {
  tags: ["long"],
}, async () => {
  const { page, path } = await stage.open("/transactions", { before: bothListings });
  const plot = page.getByRole("region", { name: "Balance over time" });
  await plot.getByText(/^Lowest ₺[\d,.]+, highest ₺[\d,.]+, now ₺12,450\.75\.$/).waitFor({ state: "attached" });
  const keys = plot.getByRole("slider", { name: "Move along the chart" });
  await keys.focus();
  await page.keyboard.press("ArrowLeft");
  await plot.locator("output").getByText("Withdraw").waitFor();
  await expect.poll(() => keys.getAttribute("aria-valuetext")).toMatch(/ · Withdraw · ₺9,950\.75$/);
  await plot.getByRole("radio", { name: "Month" }).check();
  await expect.poll(path).toBe("/transactions?plot=month");
  await page.getByRole("button", { name: "Hide the balance" }).click();
  await plot.getByText("Your balance is hidden.").waitFor();
  expect(await plot.innerText()).not.toMatch(/\d/);
  await expect.poll(() => column(page, "amount")).toContain("+₺2,500.00");
});

test("fewer than two rows draw no plot, and times run left to right in Arabic", { tags: ["long"] }, async () => {
  const one = await stage.open("/transactions", { before: only(TRANSACTIONS, transactions.slice(0, 1)) });
  await countOf(one.page).toBe(1);
  await expect.poll(() => one.page.locator("svg[preserveAspectRatio=none]").count()).toBe(0);
  const window = { ...DESK, language: "ar" } as const;
  const { page } = await stage.open("/transactions", { window, before: bothListings });
  await countOf(page).toBe(25);
  await expect.poll(() => page.locator("td time").first().getAttribute("dir")).toBe("ltr");
  const days = page.locator("section [aria-hidden=true] > span[style]").filter({ hasText: /^\p{Script=Arabic}/u });
  await days.first().waitFor();
  const lefts = await days.evaluateAll((spans) => spans.map((span) => span.getBoundingClientRect().left));
  expect(lefts).toEqual(lefts.toSorted((left, right) => left - right));
});

/** Session `s_24` of the list as our platform answers it alone. */
const ONE_SESSION = {
  session: sessions[1],
  ...{ wagered: 204_000, won: 314_800, cashed_in: 300_000, cashed_out: 482_050 },
  transfers: [
    {
      id: "t_in",
      operation_date: sessions[1]?.["start"],
      type: 3,
      from: "Wallet",
      machine: "Kuzey 02",
      amount: -300_000,
    },
    {
      id: "t_out",
      operation_date: sessions[1]?.["end"],
      type: 4,
      from: "Kuzey 02",
      machine: "Kuzey 02",
      amount: 482_050,
    },
  ],
};

test.each(everyWindow("desk"))(
  "player, beside the promised pictures: a session opens with its sums and transfers at $width x $height in $language",
  { tags: ["long"] },
  async (window) => {
    const id = String(sessions[1]?.["id"]);
    const { page, backEnd, path, complaints } = await stage.open(`/slot-sessions?session=${id}`, {
      window,
      before: (opened, scripted) => {
        bothListings(opened, scripted);
        scripted.script(`GET /v1/player/sessions/${id}`, () => ok(ONE_SESSION));
      },
    });
    const sheet = page.getByRole("dialog", { name: "Kuzey 02" });
    await sheet.getByRole("listitem").nth(1).waitFor();
    const texts = (await sheet.innerText()).replace(/[⁦-⁩]/g, "");
    for (const figure of ["00:21:18", "101"]) expect(texts).toContain(figure);
    expect(texts.match(/[₺]?[23][.,]?(040|148|000)[.,]00/g)?.length).toBeGreaterThanOrEqual(4);
    await expectSound(page);
    expect(complaints).toEqual([]);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await expect.poll(path).toBe("/slot-sessions");
    expect(backEnd.called().filter((call) => call.includes(id))).toHaveLength(1);
  },
);

test("a session opens from its row, goes back by the browser, and leads to its transactions", {
  tags: ["long"],
}, async () => {
  const { page, path } = await stage.open("/slot-sessions", { before: bothListings });
  await countOf(page).toBe(25);
  await page.getByRole("link", { name: "Kuzey 02" }).first().click();
  // This platform serves no single session: the row is shown, and the sums are not.
  const sheet = page.getByRole("dialog", { name: "Kuzey 02" });
  await sheet.getByText("Net result").waitFor();
  expect(await sheet.innerText()).not.toContain("WAGERED");
  expect(await sheet.getByText("Wagered").count()).toBe(0);
  await page.goBack();
  await sheet.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Kuzey 02" }).first().click();
  await sheet.getByRole("link", { name: "Transactions of this session" }).click();
  await page.waitForURL("**/transactions?search=Kuzey+02&period=custom&from=*");
  await expect.poll(path).toContain("search=Kuzey+02");
});

test("an address that names a session of nobody, or a hostile one, says so and closes", {
  tags: ["long"],
}, async () => {
  for (const id of ["nobody", "%3Cimg src=x%3E", "..%2F..%2Flogin", ".."]) {
    const { page, backEnd, path } = await stage.open(`/slot-sessions?session=${id}`, { before: bothListings });
    const sheet = page.getByRole("dialog", { name: "Game session" });
    await sheet.getByText("This session could not be found.").waitFor();
    const paths = backEnd.calls.map(({ path: called }) => decodeURIComponent(called));
    expect(paths.filter((called) => called.startsWith("/v1/login") || called === "/v1/player/")).toEqual([]);
    await sheet.getByRole("button", { name: "Close" }).click();
    await expect.poll(path).toBe("/slot-sessions");
  }
});

test("a phone has two lines a row and the rest behind it; a session opens from there", { tags: ["long"] }, async () => {
  const { page, path, backEnd } = await stage.open("/slot-sessions", { window: PHONE, before: bothListings });
  await countOf(page).toBe(25);
  await expect.poll(() => backEnd.listening()).toBe(1);
  const second = page.locator("summary").nth(1);
  await expect
    .poll(async () => (await second.innerText()).replace(/\s+/g, " "))
    .toMatch(/^Kuzey 02 \+₺1,108\.00 .* 00:21:18$/);
  await second.press("Enter");
  await page.getByText("Free spin count").nth(1).waitFor();
  await page.getByRole("link", { name: "Open this session" }).first().click();
  await page.getByRole("dialog", { name: "Kuzey 02" }).getByText("Net result").waitFor();
  await expect.poll(path).toContain("session=s_");
});

test("rows are asked again when the live connection comes back, and when the balance changed", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/slot-sessions", { before: only(SESSIONS, sessions.slice(0, 1)) });
  await countOf(page).toBe(1);
  await expect.poll(() => backEnd.listening()).toBe(1);
  await page.getByText("₺12,450").first().waitFor();
  backEnd.script(SESSIONS, pagesOf(sessions.slice(0, 2)));
  backEnd.push("balance", { balance: 5_000 });
  await countOf(page).toBe(2);
  backEnd.script(SESSIONS, pagesOf(sessions.slice(0, 3)));
  backEnd.refuseSockets(true);
  backEnd.drop(1012, "restart");
  await page.getByText("The live connection is down. What you see may be old.").waitFor();
  backEnd.refuseSockets(false);
  await countOf(page).toBe(3);
});

/** No finding, and nothing wider than the window. */
async function expectSound(page: Page): Promise<void> {
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
}

test.each(everyWindow("phone"))(
  "rows and the choice of columns at $width x $height in $language: no axe finding, no overflow, no small key",
  { tags: ["long"] },
  async (window) => {
    const { page, backEnd, complaints } = await stage.open("/transactions", { window, before: bothListings });
    await countOf(page).toBe(25);
    await expectSound(page);
    const controls = page.locator("main :is(button, select, summary, a, label:has(input[type=radio]))");
    const heights = await controls.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    await page.locator("search button[aria-haspopup=dialog]").click();
    await page.getByRole("dialog").waitFor();
    await expectSound(page);
    await page.goto(`${backEnd.url}/slot-sessions`);
    await countOf(page).toBe(25);
    await expectSound(page);
    expect(complaints).toEqual([]);
  },
);

test.each(everyWindow("lying"))(
  "nothing found, and a failure, at $width x $height in $language: no axe finding, no overflow",
  { tags: ["long"] },
  async (window) => {
    const { page, backEnd, complaints } = await stage.open("/transactions?search=zzz&period=custom", {
      window,
      before: bothListings,
    });
    await page.locator("main h2").waitFor();
    await expectSound(page);
    expect(complaints).toEqual([]);
    backEnd.script(SESSIONS, () => refused(503, 99_999));
    await page.goto(`${backEnd.url}/slot-sessions`);
    await page.locator("main h2").waitFor();
    await expectSound(page);
  },
);
