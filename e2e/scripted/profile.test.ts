import { expect, test } from "vitest";
import type { ScriptedCall } from "./answers.ts";
import { ok, refused } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, everyWindow, PHONE, setUpStage } from "./game-stage.ts";
import type { World } from "./world.ts";

const stage = setUpStage();
const PASSWORD = "POST /v1/player/password";

/** A player of whom everything is known. */
function known(world: World): void {
  world.player["email"] = "deniz@ornek.com";
  world.signIn["password_changed"] = "2026-08-18T11:20:00.000Z";
  world.signIn["pin_code"] = "a".repeat(64);
  world.settings["pinCheck"] = true;
}

async function openProfile(scene: Parameters<typeof stage.open>[1] = {}) {
  const played = await stage.open("/profile", { world: known, ...scene });
  const { page } = played;
  await page.locator("input[name=old_password]").waitFor();
  const block = (title: string) => page.getByRole("region", { name: title, exact: true });
  /** The value beside a name of the facts. */
  const fact = (name: string) =>
    page.locator("#page dl > div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) }).locator("dd");
  const submit = page.locator("#page button[type=submit]");
  async function change(oldPassword: string, newPassword: string): Promise<void> {
    await page.fill("input[name=old_password]", oldPassword);
    await page.fill("input[name=new_password]", newPassword);
    await submit.click();
  }
  return { ...played, block, fact, submit, change };
}

test("R-2.1-11, R-2.7-01, R-2.7-02: /profile shows the account information and the full name", async () => {
  const { block, fact } = await openProfile();
  await block("Account information").waitFor();
  await expect.poll(() => fact("Full name").textContent()).toBe("Deniz Aydın");
  await expect.poll(() => fact("User name").textContent()).toBe("deniz.aydin");
  await expect.poll(() => fact("E-mail").textContent()).toBe("deniz@ornek.com");
});

test("R-2.7-03, R-2.7-04, R-2.7-06, R-2.7-07: the authentication details have password change, last login and its IP", async () => {
  const { page, block, fact } = await openProfile();
  await block("Authentication details").waitFor();
  // The time is the player's own zone's.
  const here = (iso: string, locale: string) =>
    page.evaluate(
      ([time, place]) =>
        new Date(time as string)
          .toLocaleString(place as string, {
            day: "2-digit",
            month: "2-digit",
            year: "numeric",
            hour: "2-digit",
            minute: "2-digit",
            hourCycle: "h23",
          })
          .replace(",", ""),
      [iso, locale],
    );
  await expect.poll(() => fact("Password changed").textContent()).toBe(await here("2026-08-18T11:20:00.000Z", "en-GB"));
  await expect.poll(() => fact("Last login").textContent()).toBe(await here("2026-11-20T20:14:00.000Z", "en-GB"));
  await expect.poll(() => fact("Last login IP").textContent()).toBe("85.104.12.9");
  await block("Language").getByRole("radio", { name: "Türkçe" }).click();
  await expect.poll(() => fact("Son giriş").textContent()).toBe(await here("2026-11-20T20:14:00.000Z", "tr-TR"));
  await expect.poll(() => fact("Son giriş").textContent()).toMatch(/^\d\d\.\d\d\.2026 \d\d:\d\d$/);
});

test("a missing value is a dash, and a text that is no time is shown unchanged", { tags: ["long"] }, async () => {
  const { fact } = await openProfile({
    world: (world) => {
      world.signIn["last_logon"] = "yesterday";
      world.signIn["last_logon_ip"] = null;
    },
  });
  for (const name of ["E-mail", "Password changed", "Last login IP"]) {
    await expect.poll(() => fact(name).locator("[aria-hidden]").textContent()).toBe("–");
    await expect.poll(() => fact(name).textContent()).toContain("not known");
  }
  await expect.poll(() => fact("Last login").textContent()).toBe("yesterday");
});

test("R-2.7-05: an expired password is noticed, and a new one takes the notice away", { tags: ["long"] }, async () => {
  const { page, backEnd, block, change } = await openProfile({
    world: (world) => {
      known(world);
      world.signIn["password_changed"] = new Date(Date.now() - 94.5 * 86_400_000).toISOString();
      world.signIn["password_expired"] = true;
    },
  });
  const notice = block("Authentication details").getByRole("status");
  await expect
    .poll(() => notice.textContent())
    .toBe("You have not changed your password for 94 days. Choose a new one.");
  backEnd.script(PASSWORD, () => {
    backEnd.world.signIn["password_changed"] = new Date().toISOString();
    backEnd.world.signIn["password_expired"] = false;
    return ok({ code: 20000 });
  });
  await change("longarm", "a-better-one");
  await page.getByText("Your password is changed.").waitFor();
  await notice.waitFor({ state: "detached" });
});

test("R-2.7-05: an expired password of unknown age is noticed too", { tags: ["long"] }, async () => {
  const { page } = await openProfile({
    world: (world) => {
      world.signIn["password_expired"] = true;
    },
  });
  await page.getByText("Your password has expired. Choose a new one.").waitFor();
});

test("R-1-08, R-2.7-08: old and new password leave in one call; success is said and the fields are empty again", async () => {
  const { page, backEnd, submit, change } = await openProfile();
  await expect.poll(() => page.locator("#page input[type=password]").count()).toBe(2);
  await expect.poll(() => page.getAttribute("input[name=old_password]", "autocomplete")).toBe("current-password");
  await expect.poll(() => page.getAttribute("input[name=new_password]", "autocomplete")).toBe("new-password");
  const bodies: unknown[] = [];
  backEnd.script(PASSWORD, ({ body }: ScriptedCall) => {
    bodies.push(body);
    return ok({ code: 20000 });
  });
  await change(" longarm ", "yeni parola");
  await page.getByText("Your password is changed.").waitFor();
  expect(bodies).toEqual([{ old_password: " longarm ", new_password: "yeni parola" }]);
  expect(await page.inputValue("input[name=old_password]")).toBe("");
  expect(await page.inputValue("input[name=new_password]")).toBe("");
  await expect.poll(() => submit.isDisabled()).toBe(true);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Change password");
  // No password is ever kept.
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(
    "yeni parola",
  );
});

test("R-5-16, R-5-18: only emptiness holds the call back; a short new password is the server's to refuse, on its field", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, submit, change } = await openProfile();
  await expect.poll(() => submit.isDisabled()).toBe(true);
  await page.fill("input[name=old_password]", "x");
  await expect.poll(() => submit.isDisabled()).toBe(true);
  backEnd.script(PASSWORD, () => refused(400, 40101));
  await change("x", "y");
  const field = page.locator("input[name=new_password]");
  await page.getByText("Password is too short", { exact: true }).waitFor();
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  expect(await page.getAttribute("input[name=old_password]", "aria-invalid")).toBeNull();
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  await field.fill("yy");
  await expect.poll(() => field.getAttribute("aria-invalid")).toBeNull();
});

test.each([
  ["en", "This password is too common or contains your name. Choose another one."],
  ["tr", "Bu parola çok yaygın ya da adınızı içeriyor. Başka bir parola seçin."],
  ["ar", "كلمة المرور هذه شائعة جدًا أو تتضمن اسمك. اختر غيرها."],
] as const)(
  "a new password that many people use is refused on its field, in %s",
  { tags: ["long"] },
  async (language, words) => {
    const { page, backEnd, change } = await openProfile({ window: { ...PHONE, language } });
    backEnd.script(PASSWORD, () => refused(400, 60052));
    await change("x", "password123");
    await page.getByText(words, { exact: true }).waitFor();
    await expect.poll(() => page.getAttribute("input[name=new_password]", "aria-invalid")).toBe("true");
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  },
);

test("R-5-17: a wrong old password is shown on its own field", { tags: ["long"] }, async () => {
  const { page, backEnd, change } = await openProfile();
  backEnd.script(PASSWORD, () => refused(400, 40001));
  await change("wrong", "longer-than-before");
  await page.getByText("Old password is wrong", { exact: true }).waitFor();
  const field = page.locator("input[name=old_password]");
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
});

test("a refusal of neither field, a lost network and a hostile answer are shown above the key, and the page stays usable", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, change } = await openProfile();
  const above = page.locator("#page form [role=alert]");
  const hostile = `<img src=x onerror="document.title='owned'"> ${"ß".repeat(4_000)}`;
  backEnd.script(PASSWORD, () => ({ httpStatus: 418, body: { code: 99999, ErrorMessage: hostile } }));
  await change("a", "b");
  await above.waitFor();
  expect(await above.locator("img").count()).toBe(0);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  backEnd.script(PASSWORD, () => refused(403, 10702));
  await change("a", "b");
  await expect.poll(() => above.textContent()).toBe("Account protected after too many false attempts");
  await page.route("**/v1/player/password", (route) => route.abort());
  await change("a", "b");
  await expect.poll(() => above.textContent()).toBe("Network Error, please check your connection");
  await page.unroute("**/v1/player/password");
  backEnd.script(PASSWORD, () => ok("[1, 2"));
  await change("a", "b");
  await expect.poll(() => above.textContent()).toBe("That did not work. Please try again.");
  await expect.poll(() => page.inputValue("input[name=new_password]")).toBe("b");
});

test("D-29: the settings move the call; two presses of Enter while it is under way are one call", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await openProfile({
    world: (world) => {
      world.settings["passwordPath"] = "/account/new-password";
    },
  });
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  backEnd.script("POST /v1/account/new-password", () => held.then(() => ok({ code: 20000 })));
  await page.fill("input[name=old_password]", "longarm");
  await page.fill("input[name=new_password]", "another");
  await page.press("input[name=new_password]", "Enter");
  await page.locator("#page button[type=submit][aria-busy=true]").waitFor();
  await page.press("input[name=new_password]", "Enter");
  answer();
  await page.getByText("Your password is changed.").waitFor();
  await expect
    .poll(() => backEnd.called().filter((call) => call.startsWith("POST")))
    .toEqual(["POST /v1/account/new-password"]);
});

test("the password can be shown and hidden again, and everything is reached by the keyboard alone", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await openProfile();
  backEnd.script(PASSWORD, () => ok({ code: 20000 }));
  await page.focus("input[name=old_password]");
  await page.keyboard.type("longarm");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect.poll(() => page.getAttribute("input[name=old_password]", "type")).toBe("text");
  await page.getByRole("button", { name: "Hide the old password" }).waitFor();
  await page.keyboard.press("Space");
  await expect.poll(() => page.getAttribute("input[name=old_password]", "type")).toBe("password");
  await page.keyboard.press("Tab");
  await page.keyboard.type("another");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Your password is changed.").waitFor();
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("old_password");
});

test("R-2.7-09: the PIN code block says whether one is set and never which", async () => {
  const withPin = await openProfile();
  const block = withPin.block("PIN code");
  await block.getByText("Set", { exact: true }).waitFor();
  await expect.poll(() => block.textContent()).toContain("After 60 seconds without input the screen locks");
  expect(await withPin.page.locator("#page").innerHTML()).not.toContain("aaaa");
  const without = await openProfile({ world: () => undefined });
  await without.block("PIN code").getByText("Not set", { exact: true }).waitFor();
});

test("R-2.7-10: the support block has the lines of the settings, and kind words when there are none", async () => {
  const { block } = await openProfile();
  const links = block("Support").getByRole("link");
  await expect.poll(() => links.allTextContents()).toEqual(["WhatsApp: Destek", "WhatsApp: Hesap açma"]);
  await expect.poll(() => links.first().getAttribute("href")).toBe("https://wa.me/905550000001");
  const none = await openProfile({
    world: (world) => {
      world.settings["contacts"] = [];
    },
  });
  await none
    .block("Support")
    .getByText("There is no support line here yet. Please ask whoever opened your account.")
    .waitFor();
});

test("the language menu has English, Turkish and Arabic, turns the page round and back, and is kept", {
  tags: ["long"],
}, async () => {
  const { page, block } = await openProfile();
  const options = block("Language").getByRole("radio");
  await expect.poll(() => options.count()).toBe(3);
  await block("Language").getByRole("radio", { name: "العربية" }).click();
  await page.locator("html[dir=rtl][lang=ar]").waitFor();
  await page.getByRole("region", { name: "معلومات الحساب" }).waitFor();
  await page.reload();
  await page.locator("html[dir=rtl][lang=ar]").waitFor();
  await page.getByRole("radio", { name: "English" }).last().click();
  await page.locator("html[dir=ltr][lang=en]").waitFor();
});

test("R-2.1-12: /profile/99 is the player's own profile, no 404, and no call takes the id", async () => {
  const { page, backEnd, path } = await stage.open("/profile/99");
  await page.getByRole("heading", { name: "Account information" }).waitFor();
  await expect.poll(path).toBe("/profile/99");
  expect(backEnd.called().some((call) => call.includes("99"))).toBe(false);
});

test.each(["/profile", "/profile/99"])("R-2.1-13: a guest who opens %s comes to the login", async (from) => {
  const { page, backEnd } = await stage.open(from, { guest: true });
  await page.waitForURL("**/login");
  expect(backEnd.calls).toEqual([]);
});

test("names of a hostile token are shown as text and break nothing", { tags: ["long"] }, async () => {
  const { page, fact } = await openProfile({
    window: PHONE,
    world: (world) => {
      world.player["name"] = "<script>document.title='owned'</script>";
      world.player["lastname"] = "W".repeat(300);
      world.signIn["last_logon_ip"] = "fe80:".repeat(60);
    },
  });
  await expect.poll(() => fact("Full name").textContent()).toContain("<script>");
  expect(await page.title()).not.toBe("owned");
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});

test.each(everyWindow("phone"))(
  "the profile at $width x $height in $language, with notice and errors: no axe finding, no overflow, no complaint",
  { tags: ["long"] },
  async (window) => {
    const { page, backEnd, complaints, change } = await openProfile({
      window,
      world: (world) => {
        known(world);
        world.signIn["password_expired"] = true;
      },
    });
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    backEnd.script(PASSWORD, () => refused(400, 40101));
    await change("a", "b");
    await page.locator("#page form [role=alert]").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  },
);

test("wide and low pages have their columns as drawn: two on a desk, one on a phone", { tags: ["long"] }, async () => {
  const columns = (page: Awaited<ReturnType<typeof openProfile>>["page"]) =>
    page
      .locator("#page > div")
      .first()
      .evaluate((element) => getComputedStyle(element).gridTemplateColumns.split(" ").length);
  for (const [window, wanted] of [
    [DESK, 2],
    [PHONE, 1],
  ] as const) {
    const { page } = await openProfile({ window });
    await expect.poll(() => columns(page)).toBe(wanted);
  }
});

test("player 22: the PIN is set and changed in the profile, with the password, where the platform judges it", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, block } = await openProfile({
    world: (world) => {
      known(world);
      world.signIn["pin_code"] = "";
      world.signIn["pin_set"] = true;
    },
  });
  const form = block("PIN code");
  expect(await form.locator("input").count()).toBe(0);
  await form.getByRole("button", { name: "Change PIN" }).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("pin_password");
  expect(await axeFindings(page)).toEqual([]);
  backEnd.script("POST /v1/player/pin", () => ok({ code: 20000 }));
  await form.getByLabel("Your password", { exact: true }).fill("a password");
  await form.getByLabel("New PIN, 4 to 12 digits", { exact: true }).fill("4711");
  await form.getByLabel("New PIN again", { exact: true }).fill("4711");
  await page.keyboard.press("Enter");
  await page.getByText("Your PIN is saved.").waitFor();
  expect(backEnd.calls.findLast(({ path }) => path === "/v1/player/pin")?.body).toEqual({
    password: "a password",
    pin: "4711",
  });
  // The form is put away with its secrets.
  await form.getByRole("button", { name: "Change PIN" }).waitFor();
  expect(await form.locator("input").count()).toBe(0);
});

test.each([
  ["en", "Member since", "15/03/2026", "This is your first login", "None on file", "Never"],
  ["tr", "Üyelik tarihi", "15.03.2026", "Bu ilk girişiniz", "Kayıtlı e-posta yok", "Hiç değiştirilmedi"],
  ["ar", "عضو منذ", "15/03/2026", "هذا أول دخول لك", "لا يوجد بريد مسجّل", "لم تُغيَّر بعد"],
] as const)("player 22: a first visit has words in %s instead of dashes", { tags: ["long"] }, async (...texts) => {
  const [language, name, day, ...words] = texts;
  const { page, fact } = await openProfile({
    window: { ...PHONE, language },
    world: (world) => {
      world.signIn["member_since"] = "2026-03-15T12:00:00.000Z";
      world.signIn["signed_in_at"] = "2026-11-22T12:30:00.000Z";
      world.signIn["last_logon"] = null;
      world.signIn["last_logon_ip"] = null;
    },
  });
  await expect.poll(() => fact(name).textContent()).toBe(day);
  const facts = page.locator("#page dl").filter({ hasText: name }).or(page.locator("#page dl").nth(1));
  for (const text of words) await facts.getByText(text, { exact: true }).waitFor();
  await page.getByText("85.104.12.7").last().waitFor();
  await expect.poll(() => page.locator("#page dl").first().textContent()).not.toContain("–");
  await expect.poll(() => page.locator("#page dl").nth(1).textContent()).not.toContain("–");
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});

test.each(everyWindow("desk"))(
  "player, beside the promised pictures: what is said covers no title, at $width x $height in $language",
  { tags: ["long"] },
  async (window) => {
    const { page, backEnd, change } = await openProfile({ window });
    backEnd.script(PASSWORD, () => ok({ code: 20000 }));
    await change("longarm", "a-better-one");
    const message = await page.locator("[aria-live] [role=status]").boundingBox();
    const title = await page.locator("h1").boundingBox();
    expect(message?.y).toBeGreaterThanOrEqual((title?.y ?? 0) + (title?.height ?? 0));
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  },
);

test("player 22: the appearance of each part of the page is chosen in the profile, drawn at once and saved", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, block } = await openProfile();
  const look = block("Appearance");
  await look.getByRole("radiogroup", { name: "Side menu" }).getByRole("radio", { name: "Pine" }).check();
  await page.locator("html[data-navbar=pine][data-main=night]").waitFor();
  await look.getByRole("radiogroup", { name: "Page" }).getByRole("radio", { name: "Daylight" }).check();
  await page.locator("html[data-navbar=pine][data-main=daylight]").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await expect.poll(() => backEnd.calls.some(({ path }) => path.endsWith("/auth/user/update"))).toBe(true);
});

test.each(everyWindow("phone"))(
  "an e-mail address at $width x $height in $language: a proof, a code, and the address is confirmed, also later",
  async (window) => {
    const { page, backEnd } = await openProfile({
      window,
      before: async (_opened, { script }) => {
        script("GET /v1/login/ways", () => ok({ openId: null, reset: true }));
        script("GET /v1/player/mail", () => ok({ address: "deniz@ornek.com", confirmed: false }));
      },
    });
    let proofs: unknown[] = [];
    backEnd.script("POST /v1/player/mail/ask", ({ body }: ScriptedCall) => {
      proofs = [...proofs, body];
      return proofs.length === 1 ? refused(403, 60058) : ok({ expiresAt: "2027-01-01T00:00:00.000Z" });
    });
    backEnd.script("POST /v1/player/mail", () => ok({ address: "deniz@ornek.com", confirmed: true }));
    const email = page.locator("#page input[type=email]");
    await expect.poll(() => email.inputValue()).toBe("deniz@ornek.com");
    await email.press("Enter");
    await page.fill("[role=dialog] input[name=password]", "longarm");
    await page.keyboard.press("Enter");
    const code = page.locator("#page input[autocomplete=one-time-code]");
    await code.fill("1234 5678");
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await code.press("Enter");
    await code.waitFor({ state: "detached" });
    expect(proofs).toEqual([
      { address: "deniz@ornek.com", language: window.language },
      { address: "deniz@ornek.com", language: window.language, proof: { password: "longarm" } },
    ]);
    expect(await axeFindings(page)).toEqual([]);
    // A page opened later, of whose address a code is on its way: a registration has it sent.
    const address = "deniz@ornek.com";
    backEnd.script("GET /v1/player/mail", () => ok({ address, confirmed: false, sentTo: address }));
    await page.reload();
    await code.fill("1234 5678");
    await code.press("Enter");
    await code.waitFor({ state: "detached" });
  },
);

test.each(everyWindow("phone"))(
  "an authenticator app at $width x $height in $language: set up by its first code, then a code confirms its removal",
  async (window) => {
    const keys = { passkeys: [], keepsLast: false, codesLeft: 10, freshUntil: null };
    const opened = await openProfile({ window });
    const { page, backEnd } = opened;
    const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
    const otpauth = `otpauth://totp/Longarm:deniz.aydin?secret=${secret}&issuer=Longarm`;
    const expiresAt = "2027-01-01T00:00:00.000Z";
    backEnd.script("POST /v1/player/app/ask", () => ok({ ceremony: "ce_1", secret, otpauth, expiresAt }));
    const appSince = "2026-11-29T12:00:00.000Z";
    const codes = Array.from({ length: 10 }, (_, nth) => `ABCD-EFGH-IJKL-MNOP-QRST-UVW${nth}`);
    // The page may read them anew at any time.
    let own: object = { ...keys, appSince: null };
    backEnd.script("GET /v1/player/passkeys", () => ok(own));
    const first = [refused(400, 60119), ok({ ...keys, appSince, codes })];
    backEnd.script("POST /v1/player/app", () => {
      if (first.length === 1) own = { ...keys, appSince };
      return first.shift() ?? refused(404, 60003);
    });
    let proofs: unknown[] = [];
    backEnd.script("POST /v1/player/app/remove", ({ body }: ScriptedCall) => {
      proofs = [...proofs, body];
      return proofs.length === 1 ? refused(403, 60058) : ok({ ...keys, appSince: null });
    });
    const block = opened.block(APP_TITLES[window.language]);
    await block.getByRole("button").click();
    await block.getByRole("img").waitFor();
    const code = block.locator("input");
    await code.fill("000000");
    await code.press("Enter");
    await block.locator("[aria-invalid=true]").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await code.fill("123 456");
    await code.press("Enter");
    await block.locator("ol code").first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await block.locator("li").getByRole("button").click();
    const proof = page.locator("[role=dialog] input");
    await proof.fill("654321");
    expect(await axeFindings(page)).toEqual([]);
    await proof.press("Enter");
    await block.locator("ul").waitFor({ state: "detached" });
    expect(proofs).toEqual([{}, { proof: { code: "654321" } }]);
  },
);
const APP_TITLES = { en: "Authenticator app", tr: "Doğrulama uygulaması", ar: "تطبيق المصادقة" };

test.each(everyWindow("phone"))(
  "a second step at $width x $height in $language: the password, then a code of the app",
  async (window) => {
    const { page, backEnd } = await stage.open("/login", { guest: true, window });
    const answers = [refused(403, 60118), refused(400, 60119)];
    backEnd.script("POST /v1/login", () => answers.shift() ?? ok({}));
    await page.locator("button:has(svg)").last().click();
    await page.fill("input[name=username]", "deniz.aydin");
    await page.fill("input[name=password]", "longarm");
    await page.keyboard.press("Enter");
    const code = page.locator("input[name=code]");
    await code.fill("000000");
    await code.press("Enter");
    await page.locator("[aria-invalid=true]").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await code.fill("123456");
    await code.press("Enter");
    await expect
      .poll(() => backEnd.calls.filter(({ path }) => path === "/v1/login").at(-1)?.body)
      .toMatchObject({ password: "longarm", code: "123456" });
  },
);

test.each(everyWindow("phone"))(
  "a forgotten password at $width x $height in $language: name, code, new password, a recovery code where one is needed",
  { tags: ["long"] },
  async (window) => {
    const { page, backEnd, complaints } = await stage.open("/login", {
      guest: true,
      window,
      before: async (_opened, { script }) => {
        script("GET /v1/login/ways", () => ok({ openId: null, reset: true }));
        script("POST /v1/login/reset", () => ok({ reset: "mc_1234567890", expiresAt: "2027-01-01T00:00:00.000Z" }));
      },
    });
    const answers = [refused(400, 60115), refused(403, 60117), ok({ code: 20000 })];
    backEnd.script("POST /v1/login/reset/password", () => answers.shift() ?? refused(500, 1));
    await page.locator("button:has(svg)").last().click();
    await page.locator("button[class*=forgot]").click();
    await page.fill("input[name=reset-username]", "  deniz.aydin ");
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press("Enter");
    await page.fill("input[name=mailed-code]", "1234 5678");
    await page.fill("input[name=new_password]", "a harbour in the rain");
    await page.keyboard.press("Enter");
    await page.locator("input[name=mailed-code][aria-invalid=true]").waitFor();
    await page.fill("input[name=mailed-code]", "1234 5679");
    await page.keyboard.press("Enter");
    await page.fill("input[name=second]", "ABCD-EFGH");
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press("Enter");
    await page.locator("input[name=mailed-code]").waitFor({ state: "detached" });
    const bodies = backEnd.calls.filter(({ path }) => path.startsWith("/v1/login/reset")).map(({ body }) => body);
    expect(bodies[0]).toEqual({ username: "deniz.aydin", language: window.language });
    expect(bodies.at(-1)).toEqual({
      reset: "mc_1234567890",
      code: "1234 5679",
      new_password: "a harbour in the rain",
      second: "ABCD-EFGH",
    });
    expect(complaints.filter((line) => !/40[03]/.test(line))).toEqual([]);
  },
);
