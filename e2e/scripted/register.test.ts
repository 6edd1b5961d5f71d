/** @module-tag long */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import { DESK, PHONE, setUpStage } from "./game-stage.ts";

const stage = setUpStage();
const REGISTER = "POST /api/auth/register";
const ACCOUNT = { displayName: "Selin Ak", email: "selin@example.test", password: "sunfish over the reef" };

async function fill(page: Page): Promise<void> {
  await page.fill("input[name=name]", ACCOUNT.displayName);
  await page.fill("input[name=email]", ACCOUNT.email);
  await page.fill("input[name=password]", ACCOUNT.password);
  await page.fill("input[name=confirm]", ACCOUNT.password);
  await page.check("input[name=terms]");
}
const submit = (page: Page) => page.locator("#page button[type=submit]").click();

test("R-7-16: the register page sends the user; errors are shown on their fields, and success logs in", async () => {
  const { page, backEnd, complaints } = await stage.open("/pages/auth/register", { guest: true, window: DESK });
  backEnd.script(REGISTER, () => ok({ error: [{ type: "email", message: "In use", reason: "taken" }] }));
  await page.locator("input[name=name]").waitFor();
  await fill(page);
  await submit(page);
  const email = page.locator("input[name=email]");
  await page.getByText("This e-mail address has an account already").waitFor();
  await expect.poll(() => email.getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => email.evaluate((field) => field === document.activeElement)).toBe(true);
  const user = { uuid: "p_1", from: "longarm", role: ["user"], data: { displayName: ACCOUNT.displayName } };
  backEnd.script(REGISTER, () => ok({ user, access_token: backEnd.token }));
  await submit(page);
  await page.waitForURL("**/lobby");
  await page.locator("[data-wallet], header", { hasText: "₺" }).first().waitFor();
  const sent = backEnd.calls.filter(({ path }) => path === "/api/auth/register");
  expect(sent.map(({ body, headers }) => [body, headers["authorization"]])).toEqual([
    [ACCOUNT, undefined],
    [ACCOUNT, undefined],
  ]);
  await expect.poll(() => page.evaluate(() => localStorage.getItem("jwt_access_token"))).toBe(backEnd.token);
  expect(complaints).toEqual([]);
});

test("R-7-16: a venue that opens accounts itself says so above the form, and nothing that was typed is lost", async () => {
  const { page, backEnd } = await stage.open("/pages/auth/register-3", { guest: true, window: PHONE });
  backEnd.script(REGISTER, () => refused(403, 60070));
  await page.locator("input[name=name]").waitFor();
  await fill(page);
  await submit(page);
  await page.getByRole("alert").getByText("The casino opens accounts itself. Please ask its staff.").waitFor();
  await expect.poll(() => page.inputValue("input[name=email]")).toBe(ACCOUNT.email);
  expect(await page.evaluate(() => localStorage.getItem("jwt_access_token"))).toBeNull();
});
