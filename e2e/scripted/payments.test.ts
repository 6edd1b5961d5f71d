import { codeOf } from "@longarm/contract/payments";
import type { Payment, PaymentsAnswer } from "@longarm/contract/player-payments";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";
import { ScriptedLimits } from "./scripted-limits.ts";

/* Money into the wallet and out of it: what the page says in each state, and that it decides nothing. */

const stage = setUpStage();

const CODE = codeOf([16, 7, 4, 8, 2]);
const NOW = "2026-11-21T20:00:00.000Z";
const REQUESTED: Payment = {
  ...{ id: "pm_77120", kind: "withdrawal", way: "desk", amount: 60_000, moved: null, state: "requested" },
  ...{ madeAt: "2026-11-21T19:31:00.000Z", at: "2026-11-21T19:31:00.000Z", until: "2026-11-21T20:30:00.000Z" },
  ...{ code: CODE, url: null, reason: null, mayCancel: true },
};
const over = (state: Payment["state"], more: Partial<Payment> = {}): Payment => ({
  ...REQUESTED,
  ...{ state, code: null, until: null, mayCancel: false },
  ...more,
});
const ANSWER: PaymentsAnswer = {
  ...{ now: NOW, ways: [{ name: "desk", kinds: ["deposit", "withdrawal"] }] },
  ...{ depositClosed: null, depositLeft: 50_000, withdrawalClosed: null, available: 1_245_075, payments: [] },
};

/** The page on a platform that answers this; what it answers may change while the page is open. */
async function openWallet(
  answer: Partial<PaymentsAnswer> | undefined,
  { path = "/wallet", ...scene }: Scene & { path?: string } = {},
) {
  let now = answer;
  const given = () => (now === undefined ? refused(404, 40000) : ok({ ...ANSWER, ...now }));
  const becomes = (next: Partial<PaymentsAnswer>): void => {
    now = next;
  };
  const played = await stage.open(path, {
    ...scene,
    before: async (page, backEnd) => {
      backEnd.script("GET /v1/player/payments", given);
      new ScriptedLimits(Date.parse(NOW)).serve(backEnd);
      await scene.before?.(page, backEnd);
    },
  });
  return { ...played, becomes, given };
}
const requestsOf = ({ calls }: Pick<ScriptedBackEnd, "calls">) =>
  calls.filter(({ method, path }) => method === "POST" && path === "/v1/player/payments");
const sheetOf = (page: Awaited<ReturnType<typeof openWallet>>["page"]) => page.getByRole("dialog");

test("a code is requested for a typed amount, shown sign by sign, and the page follows what the desk does", async () => {
  const { page, backEnd, becomes, given, complaints } = await openWallet({}, { clock: true });
  backEnd.script("POST /v1/player/payments", () => {
    becomes({ payments: [{ ...REQUESTED, kind: "deposit", amount: 25_000 }] });
    return given();
  });
  await page.getByRole("meter", { name: "Deposits, 30 days" }).waitFor();
  const key = page.getByRole("button", { name: "Get a code" });
  expect(await key.isDisabled(), "no amount is chosen in advance").toBe(true);
  await page.getByRole("textbox", { name: "Amount" }).fill("500.01");
  await page.getByText("Your limit leaves ₺500.00.").waitFor();
  await page.getByRole("button", { name: "250", exact: true }).click();
  await page.getByRole("button", { name: "Get a code for ₺250" }).click();
  const sheet = sheetOf(page);
  await sheet.getByText(`Code: ${Array.from(CODE).join(" ")}`).waitFor();
  const [call] = requestsOf(backEnd);
  expect(call?.body).toMatchObject({ kind: "deposit", way: "desk", amount: 25_000 });
  becomes({ payments: [over("captured", { kind: "deposit", amount: 25_000, moved: 25_000 })] });
  await expect
    .poll(async () => {
      await page.clock.runFor(5_000);
      return await sheet.getByText("₺250.00 was added to your wallet").count();
    })
    .toBeGreaterThan(0);
  await sheet.getByRole("button", { name: "Back to the wallet" }).click();
  await page.getByRole("button", { name: /Deposit at the cash desk.*Done.*\+₺250\.00/ }).waitFor();
  expect(complaints).toEqual([]);
});

test("a request without an answer is repeated under the same id, and a refusal is said in words", async () => {
  const { page, backEnd } = await openWallet({}, { path: "/wallet?tab=withdraw" });
  let tries = 0;
  backEnd.script("POST /v1/player/payments", () => {
    tries += 1;
    return tries === 1 ? { httpStatus: 200, body: "cut off" } : refused(409, 60093);
  });
  await page.getByRole("button", { name: "All" }).click();
  const key = page.getByRole("button", { name: "Withdraw ₺12,450.75" });
  await key.click();
  await page.getByRole("alert").first().waitFor();
  await key.click();
  await page.getByText("Enough of this is under way").waitFor();
  const ids = requestsOf(backEnd).map(({ body }) => (body as { id: string }).id);
  expect(ids).toHaveLength(2);
  expect(ids[0]).toBe(ids[1]);
});

test("a withdrawal is taken back only where the platform says so, and a rule says why not", async () => {
  const { page, backEnd, becomes, given } = await openWallet(
    { payments: [REQUESTED] },
    { path: "/wallet?tab=withdraw" },
  );
  backEnd.script("POST /v1/player/payments/cancel", () => {
    becomes({ payments: [over("cancelled")] });
    return given();
  });
  await page.getByRole("button", { name: /^Show/ }).first().click();
  await sheetOf(page).getByRole("button", { name: "Take it back" }).click();
  await sheetOf(page).getByText("The money is in your wallet again").first().waitFor();
  const other = await openWallet(
    { payments: [{ ...REQUESTED, until: null, mayCancel: false }] },
    { path: "/wallet?tab=withdraw" },
  );
  await other.page.getByRole("button", { name: /^Show/ }).first().click();
  await sheetOf(other.page).getByText("Where you play, a withdrawal cannot be taken back.").waitFor();
  expect(await sheetOf(other.page).getByRole("button", { name: "Take it back" }).count()).toBe(0);
});

test.each([
  ["inReview", { code: CODE }, "A second person looks at it. Stay at the desk."],
  ["paid", { moved: 60_000 }, "₺600.00 was paid to you"],
  ["refused", { reason: "bring your card" }, "bring your card"],
  ["refused", {}, "The cash desk gave no reason."],
  ["cancelled", {}, "You cancelled the code."],
  ["expired", {}, "The code was too old."],
] as const)("a payment that is %s %j says so", async (state, more, text) => {
  const { page } = await openWallet({ payments: [over(state, more)] }, { path: "/wallet?tab=withdraw" });
  await page
    .getByRole("button", { name: /Withdrawal at the cash desk/ })
    .last()
    .click();
  await sheetOf(page).getByText(text).first().waitFor();
});

const WAYS: PaymentsAnswer["ways"] = [
  { name: "desk", kinds: ["deposit", "withdrawal"] },
  { name: "acme", kinds: ["deposit", "withdrawal"] },
];
const VIA = { ...REQUESTED, way: "acme", code: null, until: null, mayCancel: false };

test("a deposit through a provider goes to its page, and the wallet follows it when the player is back", async () => {
  const url = "https://pay.example.org/pages/pm_77120";
  const { page, backEnd, becomes, given } = await openWallet({ ways: WAYS });
  await page.route("https://pay.example.org/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<h1>Pay</h1>" }),
  );
  backEnd.script("POST /v1/player/payments", () => {
    becomes({ ways: WAYS, payments: [{ ...VIA, kind: "deposit", amount: 25_000, url, mayCancel: true }] });
    return given();
  });
  await page.getByRole("radio", { name: /^With Acme/ }).check();
  await page.getByRole("button", { name: "250", exact: true }).click();
  await page.getByRole("button", { name: "₺250 with Acme" }).click();
  await page.waitForURL(url);
  expect(requestsOf(backEnd)[0]?.body).toMatchObject({ way: "acme", amount: 25_000 });
  await page.goBack();
  await page.getByRole("button", { name: /^Show/ }).first().click();
  await sheetOf(page).getByText("On its way: ₺250.00. Please do not pay a second time.").waitFor();
  expect(await sheetOf(page).getByRole("link", { name: "Go to Acme" }).getAttribute("href")).toBe(url);
});

test.each([
  ["inReview", {}, "Staff looks at it first."],
  ["sent", {}, "It was sent to your bank."],
  ["refused", { reason: "The card was declined." }, "Acme says:"],
  ["refused", { reason: "limit.deposit" }, "A limit or a rule of play did not allow it any more."],
  ["chargedBack", { moved: 60_000 }, "The money went back to your bank."],
] as const)("through a provider: %s %j says so, and names no desk", async (state, more, text) => {
  const { page } = await openWallet(
    { ways: WAYS, payments: [{ ...VIA, state, ...more }] },
    { path: "/wallet?tab=withdraw" },
  );
  await page
    .getByRole("button", { name: /Withdrawal with Acme/ })
    .last()
    .click();
  await sheetOf(page).getByText(text).first().waitFor();
  expect(await sheetOf(page).getByText("desk").count()).toBe(0);
});

test("who has closed play can only withdraw; a limit that is used up says until when; no way, no key", async () => {
  const closed = await openWallet({ depositClosed: { code: 60080, ErrorMessage: "break", Params: { until: NOW } } });
  await closed.page.getByRole("radio", { name: "Withdraw", exact: true }).waitFor();
  expect(await closed.page.getByRole("radio", { name: "Add money" }).count()).toBe(0);
  const used = await openWallet({
    depositLeft: 0,
    depositClosed: { code: 60063, ErrorMessage: "limit", Params: { left: 0, until: "2026-11-22T20:00:00.000Z" } },
  });
  await used.page.getByText(/From .*22\/11\/2026.*on you can add money again\./).waitFor();
  await used.page.getByRole("link", { name: "Your limits" }).waitFor();
  const none = await openWallet({ ways: [] });
  await none.page.getByText("No way is open at the moment. Ask at the cash desk.").waitFor();
});

test("while it loads, when it fails, without a connection and on a platform without payments the page says so", async () => {
  const absent = await openWallet(undefined);
  await absent.page.getByText("Money is added and withdrawn elsewhere here").waitFor();
  let fails = true;
  const { page, backEnd } = await openWallet(
    {},
    {
      before: (_page, scripted) =>
        scripted.script("GET /v1/player/payments", () => (fails ? refused(500, 50000) : ok(ANSWER))),
    },
  );
  await page.getByText("Your money could not be looked up").waitFor({ timeout: 30_000 });
  fails = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("textbox", { name: "Amount" }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole("textbox", { name: "Amount" }).fill("100");
  await page.getByRole("button", { name: "Get a code for ₺100" }).click();
  await page.getByRole("alert").first().waitFor();
  expect(requestsOf(backEnd)).toHaveLength(0);
  await page.context().setOffline(false);
});

test.each(everyWindow("phone"))(
  "$width × $height in $language: nothing that axe finds, nothing beside the window",
  async (window) => {
    const payments = [
      REQUESTED,
      over("refused", { id: "pm_2", reason: "bring your card" }),
      over("captured", { id: "pm_3", kind: "deposit", moved: 60_000 }),
      over("chargedBack", { id: "pm_4", kind: "deposit", way: "acme", moved: 60_000 }),
    ];
    const { page } = await openWallet({ payments, ways: WAYS }, { window, path: "/wallet?tab=withdraw" });
    await page.locator("[data-amount]").waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.locator("section[aria-labelledby=payments-open] button").click();
    await sheetOf(page).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  },
);
