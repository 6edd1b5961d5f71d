import type { IdentityAnswer } from "@longarm/contract/player-identity";
import type { TermsAnswer, TermsText } from "@longarm/contract/player-terms";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";

/* Identity, and the terms of use: what is missing, what it keeps closed, and a new version that waits for a yes. */

const stage = setUpStage();

const PENDING: IdentityAnswer = {
  ...{ state: "pending", decidedAt: "2026-11-21T12:52:00.000Z", validUntil: null, document: "passport" },
  ...{ birthDate: "1988-02-14", tooYoung: false, ageMin: 18 },
  ...{ before: ["play", "deposit", "withdrawal"], closed: ["play", "deposit", "withdrawal"] },
};

const openIdentity = (identity: IdentityAnswer | undefined, scene: Scene = {}) =>
  stage.open("/identity", {
    ...scene,
    before: (_page, backEnd) =>
      backEnd.script("GET /v1/player/identity", () => (identity === undefined ? refused(404, 40000) : ok(identity))),
  });

test.each([
  [
    "none",
    { state: "none", decidedAt: null, birthDate: null, document: null },
    "Show it at the cash desk.",
    "Not begun",
  ],
  ["pending", {}, "A person looks at it", "Being looked at"],
  [
    "verified",
    { state: "verified", validUntil: "2031-02-01", closed: [] },
    /passport.*, valid until .*01\/02\/2031.*\./,
    "Confirmed",
  ],
  ["refused", { state: "refused", closed: ["play", "deposit"] }, "We could not confirm your identity.", "Refused"],
  ["expired", { state: "expired", closed: ["play", "deposit"] }, "The document has expired.", "Expired"],
] as const)(
  "a proof that is %s says what it is, what to do, and what is closed",
  async (_name, change, about, word) => {
    const known = { ...PENDING, ...change } as IdentityAnswer;
    const { page, complaints } = await openIdentity(known);
    const step = page.locator("main ol > li").nth(1);
    await step.getByText(about).waitFor();
    await step.getByText(word, { exact: true }).waitFor();
    const closed = page.getByRole("region", { name: /^(?:Until then|What is open)$/ }).locator("li:not([data-open])");
    await expect.poll(() => closed.count()).toBe(known.closed.length);
    expect(complaints).toEqual([]);
  },
);

test("the birth date keeps its order in a sentence that runs right to left", async () => {
  const { page } = await openIdentity(PENDING, { window: { width: 1440, height: 900, language: "ar" } });
  const step = page.locator("main ol > li").first();
  await expect.poll(async () => await step.innerText()).toContain("\u206614/02/1988\u2069");
});

test("who is too young reads from which age on, and a platform without proofs says so", async () => {
  const young = { ...PENDING, state: "verified", birthDate: "2015-01-01", tooYoung: true, closed: ["play", "deposit"] };
  const { page } = await openIdentity(young as IdentityAnswer);
  await page.getByText("You must be 18 or older to play.").waitFor();
  expect(await page.getByText("Closed below 18 years.").count()).toBe(2);
  const without = await openIdentity(undefined);
  await without.page.getByText("There is no proof of identity here").waitFor();
});

test("the page changes by itself when the desk decides, and the profile leads to it", async () => {
  let known = PENDING;
  const { page } = await stage.open("/profile", {
    clock: true,
    before: (_page, backEnd) => backEnd.script("GET /v1/player/identity", () => ok(known)),
  });
  await page.getByRole("link", { name: "Identity and age" }).click();
  await page.getByText("Being looked at").waitFor();
  known = { ...PENDING, state: "verified", closed: [] };
  await expect
    .poll(async () => {
      await page.clock.runFor(16_000);
      return await page.locator("main ol").getByText("Confirmed", { exact: true }).count();
    })
    .toBe(2);
});

const TEXT: TermsText = {
  ...{ number: 4, validFrom: "2026-12-01T00:00:00.000Z", acceptedAt: null, language: "en" },
  title: "Terms of use",
  changes: ["Rules of the queue: you have 30 seconds.", "Recordings are kept 90 days.", "Withdrawals within 24 hours."],
  body: `# 1. Machines\nEvery machine is real.\n\n# 2. Money\n\n${"What is in your wallet is yours. ".repeat(40)}`,
};

/** A player for whom version 4 waits. */
function serveTerms(backEnd: ScriptedBackEnd) {
  let isAccepted = false;
  const at = () => (isAccepted ? "2026-12-02T10:00:00.000Z" : null);
  const answer = (): TermsAnswer => ({
    due: isAccepted ? null : 4,
    before: ["play"],
    versions: [
      { number: 4, validFrom: TEXT.validFrom, acceptedAt: at(), title: TEXT.title },
      { number: 3, validFrom: "2025-01-01T00:00:00.000Z", acceptedAt: "2025-01-02T00:00:00.000Z", title: "Terms" },
    ],
  });
  backEnd.script("GET /v1/player/terms", () => ok(answer()));
  backEnd.script("GET /v1/player/terms/4", () => ok({ ...TEXT, acceptedAt: at() }));
  backEnd.script("GET /v1/player/terms/3", () => ok({ ...TEXT, number: 3, changes: [], body: "The older text." }));
  backEnd.script("POST /v1/player/terms/accept", () => {
    isAccepted = true;
    return ok(answer());
  });
  return { isAccepted: () => isAccepted };
}

const openTerms = async (path: string, scene: Scene = {}) => {
  let served: ReturnType<typeof serveTerms> | undefined;
  const played = await stage.open(path, {
    ...scene,
    world: (world) => Object.assign(world.signIn, { terms_due: 4 }),
    before: (_page, backEnd) => {
      served = serveTerms(backEnd);
    },
  });
  return { ...played, isAccepted: () => served?.isAccepted() === true };
};

test("a new version is shown once after the sign-in; not now accepts nothing, and a reload does not ask again", async () => {
  const { page, isAccepted, complaints } = await openTerms("/lobby");
  const sheet = page.getByRole("dialog");
  await sheet.getByText("The terms of use have changed").waitFor();
  expect(await sheet.getByRole("listitem").allInnerTexts()).toEqual([...TEXT.changes]);
  await sheet.getByText("Without accepting you cannot play.").waitFor();
  await sheet.getByRole("button", { name: "Not now" }).click();
  await sheet.waitFor({ state: "detached" });
  expect(isAccepted()).toBe(false);
  await page.reload();
  await page.locator("[data-machine]").first().waitFor();
  await page.mouse.move(200, 200);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a version is accepted from the sheet", async () => {
  const { page, backEnd, isAccepted } = await openTerms("/lobby");
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Accept version 4" }).click();
  await expect.poll(isAccepted).toBe(true);
  expect(backEnd.calls.find(({ path }) => path === "/v1/player/terms/accept")?.body).toEqual({ number: 4 });
});

test("the page of the terms has every version, also what was accepted before, and the key to accept the newest", async () => {
  const { page, isAccepted } = await openTerms("/terms");
  await page.getByText("Waits for you").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.getByRole("button", { name: /^Version 3/ }).click();
  await page.getByText("The older text.").waitFor();
  await page.getByRole("button", { name: /^Version 4/ }).click();
  await page.getByRole("button", { name: "Accept version 4" }).click();
  await expect.poll(isAccepted).toBe(true);
  await page.getByText("Waits for you").waitFor({ state: "detached" });
});

test.each([...everyWindow("desk"), ...everyWindow("phone")])(
  "identity and terms at $width x $height in $language: no axe finding, no overflow, no complaint",
  async (window) => {
    const identity = await openIdentity(PENDING, { window });
    await identity.page.locator("main ol > li").nth(1).waitFor();
    expect(await axeFindings(identity.page)).toEqual([]);
    expect(await overflowOf(identity.page)).toBeLessThanOrEqual(0);
    const sheet = await openTerms("/lobby", { window });
    await sheet.page.getByRole("dialog").locator("section[tabindex]").waitFor();
    expect(await axeFindings(sheet.page)).toEqual([]);
    expect(await overflowOf(sheet.page)).toBeLessThanOrEqual(0);
    const list = await openTerms("/terms", { window });
    await list.page.locator("main article").waitFor();
    expect(await axeFindings(list.page)).toEqual([]);
    expect(await overflowOf(list.page)).toBeLessThanOrEqual(0);
    expect([...identity.complaints, ...sheet.complaints, ...list.complaints]).toEqual([]);
  },
);
