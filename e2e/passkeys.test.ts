/** @module-tag long */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, CDPSession, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Visitor } from "../rig/page/visitor.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import type { SimulatedIssuer } from "../rig/simulated-issuer/server.ts";
import { serveSimulatedIssuer } from "../rig/simulated-issuer/server.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { axeFindings, closeVisitors, overflowOf, sharedBrowser } from "./scripted/browser.ts";

/* Passkeys of players in Chromium, with a virtual authenticator, and an issuer of the operator, against the running system. */

let venue: TestVenue;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let keys: CDPSession;
let authenticatorId: string;
let player: { id: string; username: string; password: string };
let players = 0;
/** Passkeys belong to a name: the same platform by the name of this computer. */
let origin: string;
let issuer: SimulatedIssuer;
let settingsFile: string;
const CLIENT = { clientId: "longarm", clientSecret: "a secret of the client" };

beforeAll(async () => {
  issuer = await serveSimulatedIssuer({ ...CLIENT, redirectUris: () => [`${origin}/callback`] });
  settingsFile = join(await mkdtemp(join(tmpdir(), "longarm-keys-")), "Settings.json");
  await writeFile(settingsFile, JSON.stringify({ framesPerSecond: 5, socketTokenInAddress: false }));
  venue = await openTestVenue({
    web: true,
    machines: 1,
    platformEnv: {
      // No token in any address (14.2.1 of docs/security.md).
      SETTINGS_FILE: settingsFile,
      PLAYER_OIDC_ISSUER: issuer.issuer,
      PLAYER_OIDC_CLIENT_ID: CLIENT.clientId,
      PLAYER_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
      PLAYER_OIDC_LABEL: "Levent Club",
      // No mail leaves: a proof is wanted before one is written.
      SMTP_URL: "smtp://127.0.0.1:9",
      MAIL_FROM: "no-reply@example.test",
    },
  });
  browser = await sharedBrowser();
  origin = `http://localhost:${new URL(venue.href).port}`;
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
  await issuer?.close();
  await rm(dirname(settingsFile), { recursive: true, force: true });
});
beforeEach(async () => {
  players += 1;
  const username = `keys.${players}`;
  const added = await longarm(venue, "players", "add", username, "--generate", "--json");
  player = { username, ...(JSON.parse(added) as { id: string; password: string }) };
  visitor = await arrive(browser, DESK, "en");
  ({ page } = visitor);
  keys = await page.context().newCDPSession(page);
  await keys.send("WebAuthn.enable");
  ({ authenticatorId } = await keys.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  }));
});
afterEach(() => visitor.context.close());

async function openForm(): Promise<void> {
  await page.goto(`${origin}/login`);
  await page.getByRole("button", { name: "Pull the arm" }).click();
}
async function logIn(): Promise<void> {
  await openForm();
  await page.getByLabel("User name or e-mail").fill(player.username);
  await page.getByLabel("Password", { exact: true }).fill(player.password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.waitForURL(/localhost:\d+\/(?!login)/);
}
const block = () => page.getByRole("region", { name: "Passkeys" });
async function openProfile(): Promise<void> {
  await page.goto(`${origin}/profile`);
  await block().getByRole("button", { name: "Add for this device" }).waitFor();
}
async function enrol(): Promise<void> {
  await openProfile();
  await block().getByRole("button", { name: "Add for this device" }).click();
  await block()
    .getByRole("button", { name: /^Remove / })
    .waitFor();
}
async function signOut(): Promise<void> {
  await page.goto(`${origin}/logout`);
  await page.waitForURL(/\/login/);
}
/** As if the player had signed in a while ago. */
const ageSignIns = () =>
  venue.ask(`with aged as (update auth_session set created_at = created_at - interval '11 minutes' where player_id = '${player.id}' returning 1)
    select count(*)::int as answer from aged`);
const presence = (enabled: boolean) =>
  keys.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
const verified = (isUserVerified: boolean) =>
  keys.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });

test("a passkey is added, signs in from the name field and by its key, and is the first choice from then on", async () => {
  await logIn();
  await enrol();
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
  await signOut();
  // The virtual authenticator chooses what the browser would offer beside the field.
  await openForm();
  await page.waitForURL(/localhost:\d+\/(?!login)/);
  await signOut();

  await presence(false);
  await openForm();
  await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await presence(true);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL(/localhost:\d+\/(?!login)/);
});

test("a person who is not verified gets no further, and the form stays", async () => {
  await logIn();
  await enrol();
  await signOut();
  await verified(false);
  await openForm();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").getByText("Nothing happened.").waitFor();
  expect(await page.getByLabel("Password", { exact: true }).isVisible()).toBe(true);
});

test("a passkey that was removed is refused, and the password still signs in", async () => {
  await logIn();
  await enrol();
  await block()
    .getByRole("button", { name: /^Remove / })
    .click();
  await block().getByText("You have no passkey yet.").waitFor();
  await signOut();
  await openForm();
  await page.getByRole("alert").getByText("This passkey was removed.").waitFor();
  await logIn();
});

test("later the platform wants the password or the passkey before keys change", async () => {
  await logIn();
  await enrol();
  await ageSignIns();
  await page.reload();
  await block().getByRole("button", { name: "Make new codes" }).click();
  const sheet = page.getByRole("dialog", { name: "Is it you?" });
  await sheet.getByLabel("Password", { exact: true }).fill("wrong password");
  await sheet.getByRole("button", { name: "Continue" }).click();
  await sheet.getByText("Old password is wrong").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await sheet.getByRole("button", { name: "Use a passkey" }).click();
  await sheet.waitFor({ state: "detached" });
  expect(await block().locator("code").count()).toBe(10);
});

test("a recovery code signs in once", async () => {
  await logIn();
  await openProfile();
  await block().getByRole("button", { name: "Make new codes" }).click();
  const code = (await block().locator("code").first().textContent()) ?? "";
  const byCode = async () => {
    await openForm();
    await page.getByRole("button", { name: "Forgot your password?" }).click();
    await page.getByLabel("User name or e-mail").fill(player.username);
    await page.getByLabel("Recovery code").fill(code);
    await page.getByRole("button", { name: "Sign in with the code" }).click();
  };
  await signOut();
  await byCode();
  await page.waitForURL(/localhost:\d+\/(?!login)/);
  await signOut();
  await byCode();
  await page
    .getByRole("alert")
    .getByText(/Wrong username or password/)
    .waitFor();
});

test("the last way to sign in stays, and says so", async () => {
  await logIn();
  await enrol();
  await venue.ask(`with changed as (update player set password = '' where id = '${player.id}' returning 1)
    select count(*)::int as answer from changed`);
  await page.reload();
  await block().getByText("This is the only way left to sign in").waitFor();
  expect(
    await block()
      .getByRole("button", { name: /^Remove / })
      .count(),
  ).toBe(0);
});

/** The page asks for a passkey's word for another act than the one that it then sends: what a script in the page could try. */
async function askForAnother(act: string): Promise<void> {
  await page.route("**/v1/player/confirm/ask", (route) => route.continue({ postData: JSON.stringify({ act }) }));
}
const askAsUsual = () => page.unroute("**/v1/player/confirm/ask");
const NOT_CONFIRMED = "The passkey was not confirmed, or too late.";

test("the passkey replaces the old password and, for a PIN, the password; another act's answer and an unverified person do not", async () => {
  await logIn();
  await enrol();
  const password = page.getByRole("region", { name: "Change password" });
  const instead = (form: Locator) => form.getByRole("button", { name: "Confirm with a passkey instead" });
  expect(await instead(password).isEnabled()).toBe(false);
  await password.getByLabel("New password", { exact: true }).fill("sunfish over the reef");
  await askForAnother("pin");
  await instead(password).click();
  await password.getByRole("alert").getByText(NOT_CONFIRMED).waitFor();
  await askAsUsual();
  await verified(false);
  await instead(password).click();
  await password.getByRole("alert").getByText("Nothing happened.").waitFor();
  await verified(true);
  await instead(password).click();
  await page.getByText("Your password is changed.").waitFor();
  player.password = "sunfish over the reef";

  const pin = page.getByRole("region", { name: "PIN code" });
  await pin.getByRole("button", { name: "Choose a PIN" }).click();
  await pin.getByLabel("New PIN, 4 to 12 digits").fill("8264");
  await pin.getByLabel("New PIN again").fill("8265");
  await instead(pin).click();
  await pin.getByText("The two PINs are not the same.").waitFor();
  await pin.getByLabel("New PIN again").fill("8264");
  await askForAnother("password");
  await instead(pin).click();
  await pin.getByRole("alert").getByText(NOT_CONFIRMED).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await askAsUsual();
  await instead(pin).click();
  await page.getByText("Your PIN is saved.").waitFor();
  await signOut();
  await presence(false);
  await logIn();
});

test("the passkey opens the idle lock, once for each answer", async () => {
  await logIn();
  await enrol();
  await page.getByRole("button", { name: "Choose a PIN" }).click();
  await page.getByLabel("Your password").fill(player.password);
  await page.getByLabel("New PIN, 4 to 12 digits").fill("8264");
  await page.getByLabel("New PIN again").fill("8264");
  await page.getByRole("button", { name: "Choose a PIN" }).click();
  await page.getByText("Your PIN is saved.").waitFor();

  /** Calls with the token of the page, locked or not. */
  const call = (path: string, body: string) =>
    page.evaluate(
      async ([to, text]) => {
        const lock = JSON.parse(localStorage.getItem("longarm.lock") ?? "{}") as { token?: string };
        const token = lock.token ?? localStorage.getItem("jwt_access_token") ?? "";
        const answer = await fetch(`/v1/${to}`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: text ?? "",
        });
        return ((await answer.json()) as { code: number }).code;
      },
      [path, body],
    );
  async function lockUp(): Promise<void> {
    expect(await call("player/lock", "{}")).toBe(20000);
    await page.reload();
    await page.getByRole("button", { name: "Unlock with a passkey" }).waitFor();
  }
  await lockUp();
  expect(await axeFindings(page)).toEqual([]);
  const sent = page.waitForRequest("**/v1/player/unlock");
  await verified(false);
  await page.getByRole("button", { name: "Unlock with a passkey" }).click();
  await page.getByText("No passkey was used. Enter your PIN or try again.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await page.getByRole("dialog", { name: "LOCKED" }).isVisible()).toBe(true);
  await verified(true);
  await page.getByRole("button", { name: "Unlock with a passkey" }).click();
  await page.getByRole("dialog", { name: "LOCKED" }).waitFor({ state: "detached" });
  const used = (await sent).postData() ?? "";
  expect(JSON.parse(used)).toMatchObject({ passkey: { ceremony: expect.any(String) } });
  await lockUp();
  expect(await call("player/unlock", used)).toBe(60055);
  expect(await page.getByRole("dialog", { name: "LOCKED" }).isVisible()).toBe(true);
});

test("later the passkey confirms each change of what signs in, and another act's answer confirms none", async () => {
  await logIn();
  await enrol();
  const apps = page.getByRole("region", { name: "Authenticator app" });
  const mail = page.getByRole("region", { name: "E-mail", exact: true });
  const issuers = page.getByRole("region", { name: "Sign in with Levent Club" });
  const changes: readonly (readonly [press: () => Promise<void>, done: Locator])[] = [
    [() => block().getByRole("button", { name: "Make new codes" }).click(), block().locator("code").first()],
    [() => apps.getByRole("button").first().click(), apps.getByRole("img").first()],
    [
      async () => {
        await mail.getByLabel("E-mail address").fill(`${player.username}@example.test`);
        await mail.getByRole("button", { name: "Send a code" }).click();
      },
      mail.getByLabel("Code from the e-mail"),
    ],
    [
      () =>
        block()
          .getByRole("button", { name: /^Remove / })
          .click(),
      block().getByText("You have no passkey yet."),
    ],
  ];
  const sheet = page.getByRole("dialog", { name: "Is it you?" });
  const usePasskey = sheet.getByRole("button", { name: "Use a passkey" });
  for (const [press, done] of changes) {
    await ageSignIns();
    await page.reload();
    await block().getByRole("button", { name: "Add for this device" }).waitFor();
    await press();
    await askForAnother("password");
    await usePasskey.click();
    await sheet.getByText(NOT_CONFIRMED).waitFor();
    expect(await done.isVisible()).toBe(false);
    await askAsUsual();
    await usePasskey.click();
    await done.waitFor();
  }
  // The link with an issuer: the page leaves for it only after the passkey.
  await ageSignIns();
  await venue.ask(`with fresh as (update auth_session set created_at = now() where player_id = '${player.id}' returning 1)
    select count(*)::int as answer from fresh`);
  await enrol();
  await ageSignIns();
  await page.reload();
  await issuers.getByRole("button", { name: "Link with Levent Club" }).click();
  await askForAnother("pin");
  await usePasskey.click();
  await sheet.getByText(NOT_CONFIRMED).waitFor();
  await askAsUsual();
  await usePasskey.click();
  await page.getByRole("heading", { name: "Simulated issuer" }).waitFor();
});

test("other sign-ins are listed and ended", async () => {
  const other = await arrive(browser, DESK, "en");
  const mine = page;
  page = other.page;
  await logIn();
  page = mine;
  await logIn();
  await openProfile();
  const list = page.getByRole("region", { name: "Open sign-ins" });
  await list.getByText("this device").waitFor();
  await list.getByRole("button", { name: "End all others" }).click();
  await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
  await other.page.waitForURL(/\/login/);
  await other.context.close();
});

test("the casino's own account is linked, signs in with one press, and is unlinked after a new sign-in there", async () => {
  const linkBlock = page.getByRole("region", { name: "Sign in with Levent Club" });
  async function signInThere(): Promise<void> {
    await page.getByLabel("Name").fill(player.username);
    await page.getByRole("button", { name: "Sign in" }).click();
  }
  const visited: string[] = [];
  page.on("request", (request) => void visited.push(request.url()));
  page.on("websocket", (socket) => void visited.push(socket.url()));
  await logIn();
  await page.goto(`${origin}/profile`);
  await linkBlock.getByRole("button", { name: "Link with Levent Club" }).click();
  await signInThere();
  await page.getByText("Your account is linked").waitFor();
  await linkBlock.getByText(player.username).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
  expect(new URL(page.url()).hash).toBe("");

  // The issuer knows the browser: no form there.
  await signOut();
  await openForm();
  await page.getByRole("button", { name: "Sign in with Levent Club" }).click();
  await page.waitForURL(/localhost:\d+\/lobby/);
  await page.goto(`${origin}/profile`);
  await linkBlock.getByRole("button", { name: /^Remove / }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign in again with Levent Club" }).click();
  await signInThere();
  await page.getByText("Make your change now").waitFor();
  await linkBlock.getByRole("button", { name: /^Remove / }).click();
  await linkBlock.getByRole("button", { name: "Link with Levent Club" }).waitFor();

  await signOut();
  await openForm();
  await page.getByRole("button", { name: "Sign in with Levent Club" }).click();
  await page.getByText("This identity is not linked with an account here").waitFor();
  // What the issuer sent back was in no request: neither to us nor, as a referrer, to anybody.
  const ours = visited.filter((address) => address.startsWith(origin) || address.startsWith("ws:"));
  expect(ours.filter((address) => address.startsWith("ws:")).length).toBeGreaterThan(0);
  expect(ours.filter((address) => /[?&](code|state|token)=/.test(address))).toEqual([]);
});
