import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { integrationCalls } from "@longarm/contract/integration";
import { webhookReports } from "@longarm/contract/webhooks";
import { createIntegrationClient } from "@longarm/link/integration-client";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../launcher/venue.ts";
import { shellSnippets, shellWith } from "../rig/shell.ts";
import { freePort } from "../rig/venue/free-port.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { axeFindings, openContext, sharedBrowser } from "./scripted/browser.ts";

/* The walk of docs/integrating.md, as it is written there, with curl and openssl against a platform of its own; and the reference page of the port. */

const run = promisify(execFile);
let venue: TestVenue;
let portNumber: number;

beforeAll(async () => {
  portNumber = await freePort();
  venue = await openTestVenue({
    web: true,
    nodes: 1,
    machines: 1,
    platformEnv: { INTEGRATION_PORT: String(portNumber) },
  });
});
afterAll(() => venue?.close());

/** Admits a system as the document does; its key. */
async function admit(...args: string[]): Promise<{ keyId: string; secret: string }> {
  const said = await longarm(venue, "integrations", "add", ...args);
  return {
    keyId: /^Key: (\S+)$/m.exec(said)?.[1] ?? "",
    secret: /^Secret .*: (\S+)$/m.exec(said)?.[1] ?? "",
  };
}

test("the walk of the document works as it is written", async () => {
  const page = await readFile(join(ROOT, "docs/integrating.md"), "utf8");
  const snippets = shellSnippets(page);
  expect(snippets).toHaveLength(4);
  const [command = ""] = /^longarm integrations add .*$/m.exec(page) ?? [];
  const { keyId, secret } = await admit(...command.split(" ").slice(3));
  const { stdout } = await run("sh", ["-euc", snippets.join("\n")], {
    env: {
      ...(await shellWith("curl", "openssl")),
      LONGARM_API: `http://127.0.0.1:${portNumber}`,
      LONGARM_KEY: keyId,
      LONGARM_SECRET: secret,
    },
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answers).toMatchObject([
    { externalId: "crm-1042", username: "walk.player" },
    { before: 0, after: 5_000 },
    { before: 0, after: 5_000 },
    { available: 5_000 },
    { limits: [{ limit: "deposit.day", value: 6_000 }] },
    { problem: "money.refused", reason: "limit.deposit" },
    { before: 5_000, after: 3_000 },
    { rows: [] },
    { excludedUntil: null },
    { code: expect.stringMatching(/^[\w-]{43}$/) },
  ]);
});

test("the reference page shows every call and webhook, breaks no rule of its content policy, and signs and sends", async () => {
  const { keyId, secret } = await admit("reference", "--scopes", "players.add,players.read");
  const context = await openContext(await sharedBrowser());
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => void complaints.push(message.text()));
  page.on("pageerror", (error) => void complaints.push(error.message));
  await page.goto(`http://127.0.0.1:${portNumber}/`);
  await page.locator("#calls details").first().waitFor();
  expect(await page.locator("#calls details").count()).toBe(Object.keys(integrationCalls).length);
  expect(await page.locator("#webhooks details").count()).toBe(Object.keys(webhookReports).length);
  const deposited = page.locator("[id='webhook-wallet.deposit']");
  await page.goto(`http://127.0.0.1:${portNumber}/#webhook-wallet.deposit`);
  await deposited.getByText('"transfer": "staff:receipt-1042"').waitFor();
  expect(await page.locator("#headers").getByText("webhook-signature").count()).toBe(1);
  await page.getByLabel("Key id").fill(keyId);
  await page.getByLabel("Secret, base64").fill(secret);
  for (const [id, problem] of [
    ["addPlayer", '"username": "deniz.aydin.2"'],
    ["player", '"state": "active"'],
    ["deposit", '"problem": "scope.missing"'],
  ] as const) {
    const call = page.locator(`#${id}`);
    await call.locator("summary").click();
    if (id !== "addPlayer") await call.getByLabel("externalId").fill("crm-1043");
    else await call.getByLabel("Body").fill('{"externalId":"crm-1043","username":"deniz.aydin.2"}');
    await call.getByRole("button", { name: "Sign and send" }).click();
    await call.locator("output").getByText(problem).waitFor();
  }
  expect(await axeFindings(page)).toEqual([]);
  await page.getByLabel("Find").fill("/exclusions");
  expect(await page.locator("#calls details:visible").count()).toBe(1);
  await page.getByLabel("Find").fill("game.ended");
  expect(await page.locator("#webhooks details:visible").count()).toBe(1);
  await page.getByLabel("Find").fill("no call has this");
  await page.getByText("Nothing has this text.").waitFor();
  expect(complaints.filter((one) => !one.includes("403"))).toEqual([]);
});

test("a player of another site is signed in by a link, once: no request, referrer or address carries the code", async () => {
  const key = await admit("site", "--scopes", "players.add,players.sign-in");
  const href = `http://127.0.0.1:${portNumber}`;
  const client = createIntegrationClient(
    { ...key, href },
    { fetch, nowMs: Date.now, nonce: () => randomBytes(12).toString("hex") },
  );
  await client.call("addPlayer", { body: { externalId: "link-1", username: "by.link" }, key: "add-link-1" });
  const body = { address: "127.0.0.1" };
  const made = await client.call("loginLink", { externalId: "link-1", body, key: "link-of-link-1" });
  const code = made.is === "done" ? made.answer.code : "";
  const context = await openContext(await sharedBrowser());
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.addInitScript(() => localStorage.setItem("longarm.language", "en"));
  const sent: string[] = [];
  page.on("request", (request) => {
    const { referer = "" } = request.headers();
    sent.push(request.isNavigationRequest() ? referer : `${referer} ${request.url()}`);
  });
  page.on("websocket", (socket) => void sent.push(socket.url()));
  await page.route("http://site.example/", (route) =>
    route.fulfill({
      contentType: "text/html",
      headers: { "referrer-policy": "unsafe-url" },
      body: `<a href="${venue.href}/#once=${code}">Play</a>`,
    }),
  );
  const visit = async () => {
    await page.goto("http://site.example/");
    await page.getByRole("link", { name: "Play" }).click();
  };
  await visit();
  await page.waitForURL(/\/lobby/);
  const token = await page.evaluate(() => localStorage.getItem("jwt_access_token") ?? "");
  expect(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")).toContain('"by.link"');
  expect(page.url()).not.toContain("once");
  await expect.poll(() => sent.some((one) => one.includes("/notifications"))).toBe(true);
  expect(sent.filter((one) => one.includes(code))).toEqual([]);
  await page.evaluate(() => localStorage.removeItem("jwt_access_token"));
  await visit();
  await page.getByText("This link to sign in was used already or is too old.").waitFor();
  expect(page.url()).not.toContain("once");
});
