import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Script } from "./answers.ts";
import { ok, refused } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import { scriptedWorld } from "./world.ts";

/* Signing in with an issuer of the operator's, or with one of several: on the form and in the profile. */

const stage = setUpStage();

/** The form of a guest, its arm pulled. */
async function openForm(scene: Parameters<typeof stage.open>[1] = {}) {
  const played = await stage.open("/login", { guest: true, ...scene });
  await played.page.getByRole("button", { name: /Pull the arm/ }).click();
  await played.page.locator("input[name=username]").waitFor();
  return played;
}

describe("the operator's issuer", () => {
  const SECRET = "S".repeat(43);
  const ANSWER = "code=abc&state=xyz&iss=https%3A%2F%2Flogin.example";
  /** An issuer that sends each browser straight back; `how` the answer comes. */
  const issuer =
    (login: Script, mark = "#") =>
    (_: Page, backEnd: ScriptedBackEnd) => {
      const begun = () => ok({ href: `${backEnd.url}/callback${mark}${ANSWER}`, secret: SECRET });
      backEnd.script("GET /v1/login/ways", () => ok({ openId: { label: "Levent Club" } }));
      backEnd.script("POST /v1/login/openid/begin", begun);
      backEnd.script("POST /v1/player/openid/begin", begun);
      backEnd.script("POST /v1/login/openid", login);
    };
  const key = (page: Page) => page.getByRole("button", { name: "Sign in with Levent Club" });

  test.each(["#", "?"])("signs in by the answer behind %s, which no address keeps", async (mark) => {
    const { page, backEnd, path, complaints } = await openForm({
      before: issuer(() => ok({ ...scriptedWorld(0).signIn, token: backEnd.token, code: 20000 }), mark),
    });
    await key(page).click();
    await page.locator("article").first().waitFor();
    await expect.poll(path).toBe("/lobby");
    const sent = backEnd.calls.find((call) => call.path === "/v1/login/openid");
    expect(sent?.body).toEqual({ secret: SECRET, answer: ANSWER, site_id: "2011" });
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(SECRET);
    await page.goBack();
    expect(page.url()).not.toMatch(/abc|xyz/);
    expect(complaints).toEqual([]);
  });

  test("that refuses says what to do, and the form is there again", async () => {
    const { page, path } = await openForm({ before: issuer(() => refused(403, 60112)) });
    await key(page).click();
    await page.getByText("This identity is not linked with an account here").waitFor();
    await expect.poll(path).toBe("/login");
    // What is not this tab's is no sign-in.
    await page.goto(`${new URL(page.url()).origin}/callback#${ANSWER}`);
    await page.getByText("did not sign you in, or it took too long").waitFor();
  });

  test("that does not answer keeps the form, with its error in the logo's place", async () => {
    const { page, backEnd } = await openForm({ before: issuer(() => refused(503, 60110)) });
    backEnd.script("POST /v1/login/openid/begin", () => refused(503, 60110));
    await key(page).click();
    await page.getByRole("alert").getByText("does not answer").waitFor();
    expect(await key(page).isEnabled()).toBe(true);
  });

  test.each(everyWindow("phone"))(
    "with a long name is offered on the form and in the profile ($width $language)",
    async (window) => {
      const label = "Levent Club of the Great Casino on the Bosporus and Sons Ltd.";
      function before(opened: Page, backEnd: ScriptedBackEnd): void {
        issuer(() => refused(503, 60110))(opened, backEnd);
        backEnd.script("GET /v1/login/ways", () => ok({ openId: { label } }));
        const state = { label, link: null, keepsLast: false, freshUntil: null };
        backEnd.script("GET /v1/player/openid", () => ok(state));
        backEnd.script("POST /v1/player/openid/begin", () => refused(403, 60058));
      }
      const { page } = await stage.open("/login", { guest: true, window, before });
      await page.locator("main button").first().click();
      await page.locator("form button", { hasText: label }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      const profile = await stage.open("/profile", { window, before });
      await profile.page.getByRole("button", { name: label }).click();
      await profile.page.getByRole("dialog").waitFor();
      expect(await axeFindings(profile.page)).toEqual([]);
      expect(await overflowOf(profile.page)).toBeLessThanOrEqual(0);
    },
  );

  /** Two of them, as the platform lists them. */
  const two = (link: object | null = null) => [
    { name: "levent", label: "Levent Club", icon: "/issuer-levent.svg", link, keepsLast: false },
    { name: "city", label: "City ID", icon: null, link: null, keepsLast: false },
  ];
  function scriptTwo(_: Page, backEnd: ScriptedBackEnd): void {
    const issuers = two({ name: "deniz@levent.example", linkedAt: "2026-11-01T10:00:00Z", usedAt: null });
    backEnd.script("GET /v1/login/ways", () => ok({ openId: { label: "Levent Club" }, issuers: two() }));
    backEnd.script("GET /v1/player/openid", () => ok({ ...issuers[0], issuers, freshUntil: null }));
    backEnd.script("GET /issuer-levent.svg", () => ({
      httpStatus: 200,
      body: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><circle cx="10" cy="10" r="9" fill="#4fbfb2"/></svg>',
      headers: { "content-type": "image/svg+xml" },
    }));
  }

  test("is one of several: each has its button, in order, and one that does not answer holds up no other", async () => {
    const never = Promise.withResolvers<ReturnType<typeof ok>>();
    const { page, backEnd, path, complaints } = await openForm({
      before(opened, scripted) {
        scriptTwo(opened, scripted);
        scripted.script("POST /v1/login/openid/begin", ({ body }) =>
          (body as { issuer: string }).issuer === "levent"
            ? never.promise
            : ok({ href: `${scripted.url}/callback/city#${ANSWER}`, secret: SECRET }),
        );
        scripted.script("POST /v1/login/openid", () =>
          ok({ ...scriptedWorld(0).signIn, token: scripted.token, code: 20000 }),
        );
      },
    });
    const keys = page.locator("form button", { hasText: "Sign in with" });
    await expect.poll(() => keys.allInnerTexts()).toEqual(["Sign in with Levent Club", "Sign in with City ID"]);
    await expect
      .poll(() =>
        keys
          .first()
          .locator("img")
          .evaluate((icon: HTMLImageElement) => icon.naturalWidth),
      )
      .not.toBe(0);
    expect(await keys.last().locator("img").count()).toBe(0);
    await keys.first().click();
    await expect.poll(() => keys.first().getAttribute("aria-busy")).toBe("true");
    expect(await page.locator("input[name=username]").isEnabled()).toBe(true);
    await keys.last().click();
    await expect.poll(path).toBe("/lobby");
    const sent = backEnd.calls.find((call) => call.path === "/v1/login/openid");
    expect(sent?.body).toEqual({ secret: SECRET, answer: ANSWER, issuer: "city", site_id: "2011" });
    never.resolve(refused(503, 60110));
    expect(complaints).toEqual([]);
  });

  test("is linked and removed by itself in the profile, where there are several", async () => {
    const { page, backEnd } = await stage.open("/profile", {
      before(opened, scripted) {
        scriptTwo(opened, scripted);
        scripted.script("POST /v1/player/openid/remove", () => refused(403, 60058));
        scripted.script("POST /v1/player/openid/begin", () => refused(503, 60110));
      },
    });
    const block = page.getByRole("region", { name: "Sign in with another account" });
    await block.getByText("deniz@levent.example").waitFor();
    await block.getByText("not linked").waitFor();
    await block.getByRole("button", { name: "Link with City ID" }).click();
    await block.getByRole("alert").getByText("does not answer").waitFor();
    await block.getByRole("button", { name: "Remove Levent Club" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign in again with Levent Club" }).waitFor();
    expect(
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /City ID/ })
        .count(),
    ).toBe(0);
    const bodies = backEnd.calls.filter(
      ({ method, path }) => method === "POST" && path.startsWith("/v1/player/openid"),
    );
    expect(bodies.map(({ body }) => body)).toEqual([{ act: "link", issuer: "city" }, { issuer: "levent" }]);
  });

  test.each(everyWindow("phone"))("are drawn whole where there are several ($width $language)", async (window) => {
    const form = await stage.open("/login", { guest: true, window, before: scriptTwo });
    await form.page.locator("main button").first().click();
    await form.page.locator("form button", { hasText: "City ID" }).waitFor();
    expect(await axeFindings(form.page)).toEqual([]);
    expect(await overflowOf(form.page)).toBeLessThanOrEqual(0);
    const profile = await stage.open("/profile", { window, before: scriptTwo });
    await profile.page.getByText("deniz@levent.example").waitFor();
    expect(await axeFindings(profile.page)).toEqual([]);
    expect(await overflowOf(profile.page)).toBeLessThanOrEqual(0);
  });

  test("is linked and unlinked in the profile, after a new sign-in there where the platform wants one", async () => {
    const linked = { name: "deniz@levent.example", linkedAt: "2026-11-01T10:00:00Z", usedAt: null };
    const state = { label: "Levent Club", link: null as typeof linked | null, keepsLast: false, freshUntil: null };
    let did = "link";
    const { page, backEnd, path } = await stage.open("/profile", {
      before(opened, scripted) {
        issuer(() => refused(400, 60111))(opened, scripted);
        scripted.script("GET /v1/player/openid", () => ok(state));
        scripted.script("POST /v1/player/openid", () => {
          state.link = linked;
          return ok({ ...state, did });
        });
        scripted.script("POST /v1/player/openid/remove", () => {
          if (did === "link") return refused(403, 60058);
          state.link = null;
          return ok(state);
        });
      },
    });
    await page.getByRole("button", { name: "Link with Levent Club" }).click();
    await page.getByText("Your account is linked").waitFor();
    await expect.poll(path).toBe("/profile");
    expect(backEnd.calls.find((call) => call.path === "/v1/player/openid" && call.method === "POST")?.body).toEqual({
      secret: SECRET,
      answer: ANSWER,
    });
    await page.getByText("deniz@levent.example").waitFor();
    await page.getByRole("button", { name: "Remove deniz@levent.example" }).click();
    did = "confirm";
    const again = page.getByRole("dialog").getByRole("button", { name: "Sign in again with Levent Club" });
    await again.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await again.click();
    await page.getByText("Make your change now").waitFor();
    await page.getByRole("button", { name: "Remove deniz@levent.example" }).click();
    await page.getByText("The link is removed").waitFor();
    await page.getByRole("button", { name: "Link with Levent Club" }).waitFor();
  });
});
