import { parseSettings } from "@longarm/contract/settings";
import { someOf } from "@longarm/link/testing/whole-run";
import { contentHosts } from "@longarm/platform/plugins/settings-file";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";

const stage = setUpStage();
const TAWK = { provider: "tawk", id: "0123456789abcdef01234567/default", fallbackScript: "" };
const JIVO = { provider: "jivo", id: "Ab12Cd34", fallbackScript: "" };
const FALLBACK = "https://help.example.net/chat.js";
const TAWK_UP = "window.Tawk_API.onLoad(); document.documentElement.dataset.chat = 'up';";
const JIVO_UP = "window.jivo_onLoadCallback(); document.documentElement.dataset.chat = 'up';";

type Services = { readonly tawk?: string; readonly jivo?: string; readonly fallback?: string };

/** A page with the chat of these settings, as the platform's content policy lets it; the services are played by short scripts. */
async function open(chat: Record<string, string> | undefined, services: Services, more: Scene = {}) {
  const requested: string[] = [];
  const files: string[] = [];
  const play = async (page: Page, pattern: string, body: string | undefined) =>
    page.route(pattern, async (route) => {
      requested.push(route.request().url());
      if (body === undefined) await route.abort();
      else await route.fulfill({ contentType: "text/javascript", body });
    });
  const played = await stage.open("/login", {
    guest: true,
    clock: true,
    ...more,
    world(world) {
      if (chat !== undefined) world.settings["chat"] = chat;
      world.hosts = [...contentHosts(parseSettings(world.settings).settings).script];
    },
    async before(page) {
      page.on("requestfinished", (request) => void files.push(request.url()));
      await play(page, "https://*.tawk.to/**", services.tawk);
      await play(page, "https://*.jivosite.com/**", services.jivo);
      await play(page, "https://help.example.net/**", services.fallback);
      // Time moves only when a test advances it.
      await page.clock.pauseAt(Date.now() + 1_000);
    },
  });
  const startedAt = await played.page.evaluate(() => Date.now());
  /** Lets the time pass to so many ms after the start. */
  const to = async (ms: number) => {
    const now = await played.page.evaluate(() => Date.now());
    await played.page.clock.runFor(startedAt + ms - now);
  };
  /** A chat that is loaded late finds its time over, and acts at the next tick. */
  const requestedSoon = async () => {
    await played.page.clock.runFor(1);
    return requested;
  };
  const isLoaded = () => files.some((url) => /\/live-chat-[^/]+\.js$/.test(url));
  return { ...played, requested, to, requestedSoon, isLoaded };
}
const ready = (page: Page) => page.locator("main button").first().waitFor();

test.each(
  someOf(1, [
    ["tawk", TAWK, TAWK_UP, "https://embed.tawk.to/0123456789abcdef01234567/default"],
    ["jivo", JIVO, JIVO_UP, "https://code.jivosite.com/widget/Ab12Cd34"],
  ] as const),
)(
  "R-1-21, R-1-22, R-9-29: %s is requested at 700 ms, not at 690, and once up it needs no fallback",
  async (name, chat, up, address) => {
    const { page, requested, to, requestedSoon, isLoaded, complaints } = await open(
      { ...chat, fallbackScript: FALLBACK },
      { [name]: up, fallback: "" },
    );
    await ready(page);
    await expect.poll(isLoaded).toBe(true);
    await to(690);
    expect(requested).toEqual([]);
    await to(710);
    await expect.poll(requestedSoon).toEqual([address]);
    await page.locator("html[data-chat=up]").waitFor();
    await to(10_000);
    await ready(page);
    expect(requested).toEqual([address]);
    expect(complaints).toEqual([]);
  },
);

test.each(
  someOf(1, [
    ["blocked", {}],
    ["loaded, but its widget not up", { tawk: "" }],
  ] as const),
)(
  "R-1-23, R-9-30: with the provider's script %s, the fallback is requested at 5 s, and the page stays usable",
  async (_, services) => {
    const { page, requested, to, requestedSoon, isLoaded, complaints } = await open(
      { ...TAWK, fallbackScript: FALLBACK },
      { ...services, fallback: "document.title = 'fallback here';" },
    );
    await ready(page);
    await expect.poll(isLoaded).toBe(true);
    await to(710);
    await expect.poll(requestedSoon).toHaveLength(1);
    await to(4_990);
    expect(requested).toHaveLength(1);
    await to(5_010);
    await expect.poll(requestedSoon).toContain(FALLBACK);
    await expect.poll(() => page.title()).toBe("fallback here");
    if (!("tawk" in services))
      await expect.poll(() => complaints.join()).toContain("A script of the live chat could not be loaded.");
    await ready(page);
  },
);

test("R-1-21: without a provider nothing of a chat is loaded, its fallback neither", { tags: ["long"] }, async () => {
  for (const chat of [
    undefined,
    { provider: "none", id: "Ab12Cd34", fallbackScript: FALLBACK },
    { provider: "nobody", id: "Ab12Cd34", fallbackScript: FALLBACK },
  ]) {
    const { page, requested, to, isLoaded } = await open(chat, {});
    await ready(page);
    await to(10_000);
    await ready(page);
    expect(requested).toEqual([]);
    expect(isLoaded()).toBe(false);
    expect(await page.locator("script[src^=http]").count()).toBe(0);
  }
});

test.each(
  someOf(2, [
    { ...TAWK, id: "../../evil" },
    { ...TAWK, id: "0123456789abcdef01234567/default?x=//evil.example/" },
    { ...JIVO, id: "Ab12Cd34/../../x" },
    { ...JIVO, id: "" },
    { ...JIVO, id: 'x"></script><script>alert(1)</script>' },
  ]),
)("the id $id is no id: nothing is requested with it, and the log says so", async (chat) => {
  const { page, requested, complaints } = await open({ ...chat, fallbackScript: "javascript:alert(1)" }, {});
  await ready(page);
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000);
      return complaints.join();
    })
    .toContain("the id of the chat is none that");
  await page.clock.runFor(10_000);
  await ready(page);
  expect(requested).toEqual([]);
  expect(await page.locator("head script[src*=evil], head script[src^=javascript]").count()).toBe(0);
});
