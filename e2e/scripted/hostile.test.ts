/** @module-tag long */
import { expect, test } from "vitest";
import type { ScriptedBackEnd } from "./back-end.ts";
import { overflowOf } from "./browser.ts";
import { setUpStage } from "./game-stage.ts";

/* A platform that answers everything with garbage, and one that floods: the page stays a page, with its ways out. */

const stage = setUpStage();
const CALLS = [
  "GET /v1/player/balance",
  "GET /v1/machine/brands",
  "GET /v1/machine/all",
  "GET /v1/machine/nar",
  "GET /v1/player/sessions",
  "GET /v1/player/transactions",
];
const PAGES = ["/lobby", "/lobby/nar/Nar", "/slot-sessions", "/transactions"];
const OWN = "document.title='owned'";

test.each<[string, number, unknown]>([
  ["null", 200, null],
  ["rows of nothing", 200, { rows: [null, 7, "x", [], {}], machines: [null, 7, {}], total: "many", next: {} }],
  ["keys of prototypes", 200, '{"__proto__":{"rows":[]},"constructor":{"name":1},"rows":{"length":5}}'],
  ["a page of HTML", 500, `<html><script>${OWN}</script><img src=x onerror=${OWN}></html>`],
  ["a refusal of wrong types", 429, { code: "CODE_18800", ErrorMessage: { a: 1 }, Params: [{ seconds: -1e99 }] }],
])(
  "every call answered with %s: each page stands, its menu leads on, nothing is thrown",
  async (_, httpStatus, body) => {
    const { page, complaints } = await stage.open("/lobby", {
      before: (_page, backEnd) => {
        for (const call of CALLS) backEnd.script(call, () => ({ httpStatus, body }));
      },
    });
    const menu = page.getByRole("navigation").first();
    await menu.waitFor();
    for (const path of PAGES) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator("h1").first().waitFor();
      await page.getByRole("link", { name: "Transactions" }).first().waitFor();
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await expect.poll(() => page.title()).toMatch(/· Longarm$/);
    }
    expect(complaints.filter((line) => !line.startsWith("Failed to load resource"))).toEqual([]);
  },
);

test("machines and brands of hostile names, ids and addresses are only shown", async () => {
  const huge = "W".repeat(50_000);
  const evil = `<img src=x onerror=${OWN}>`;
  const machines = [
    { id: "m", name: huge, brand: evil, status: 1, url: "http://[" },
    { id: "__proto__", name: "", brand: "__proto__", status: 99 },
    { id: "../x", name: "..", brand: "../..", status: -1 },
    { id: "m2", name: "\u202e\u0000x", brand: "b", status: 1.5, reservation: { until: "never" }, until: 1e300 },
  ];
  const brands = [
    { id: "nar", name: huge, jackpot: "9".repeat(400), jackpotNames: [huge], machineCount: 1e308 },
    { id: "__proto__", name: evil, jackpot: ",,,NaN,-1,1e999", jackpotNames: null, machineCount: -1 },
  ];
  const { page, complaints } = await stage.open("/lobby", {
    before: (_page, backEnd) => {
      backEnd.script("GET /v1/machine/all", () => ({ httpStatus: 200, body: machines }));
      // As text, so that `__proto__` is a key of its own on the wire.
      backEnd.script("GET /v1/machine/brands", () => ({ httpStatus: 200, body: JSON.stringify(brands) }));
    },
  });
  await expect.poll(() => page.locator("article").count()).toBe(machines.length);
  for (const path of ["/lobby/__proto__/x", "/game/__proto__/x", "/game/m/x"]) {
    await page.goto(new URL(path, page.url()).href);
    // The way out, of the shell or of the game.
    await page
      .getByText(/^(Home|Lobby)$/)
      .first()
      .waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  }
  expect(await page.title()).not.toBe("owned");
  expect(complaints.filter((line) => /TypeError|RangeError|not a function|undefined/.test(line))).toEqual([]);
});

test("a flood of pushes, most of them about nothing, leaves the last word on the screen", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await page.locator("article").first().waitFor();
  await expect.poll(() => backEnd.listening()).toBeGreaterThan(0);
  flood(backEnd);
  backEnd.push("machine", { id: "m_2", status: 3 });
  for (const strange of [null, {}, { balance: "x" }, { balance: 1e308 }]) backEnd.push("balance", strange);
  backEnd.push("constructor", { balance: 1 });
  backEnd.push("balance", { balance: 4_200 });
  const words = async () => (await page.locator("body").innerText()).replaceAll(/\s/g, "");
  await expect.poll(words).toContain("₺42.00");
  const card = page.locator("article").filter({ hasText: "Kuzey 02" });
  await card.getByText("Playing").first().waitFor();
});

function flood(backEnd: ScriptedBackEnd): void {
  for (let n = 0; n < 5_000; n += 1)
    backEnd.push("machine", { id: n % 2 === 0 ? `u${n}` : `m_${n % 12}`, status: n % 5 });
}
