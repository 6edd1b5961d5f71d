import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, everyWindow, PHONE, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";
import type { World } from "./world.ts";

const stage = setUpStage();

const card = (id: string) => `[data-machine="${id}"]`;
const settings =
  (more: Record<string, unknown>): NonNullable<Scene["world"]> =>
  (world) =>
    Object.assign(world.settings, more);
const machinesCalls = (called: string[]) => called.filter((call) => /GET \/v1\/machine\/(?!brands)/.test(call)).length;
/** What the page's clock says. */
const timeOf = (page: Page) => page.evaluate(() => Date.now());
const names = (world: World) => world.machines.map(({ name }) => name);

test("R-1-05, R-2.1-02, R-2.6-01, R-2.6-02, R-2.6-03, R-2.6-05, R-7-15, R-9-23: brands with counts and jackpots, machines with their brand", async () => {
  const { page, backEnd } = await stage.open("/lobby", {
    world(world) {
      world.brands = [
        { id: "nar", name: "Nar", jackpot: "100,200,300", machineCount: 3 },
        { id: "kuzey", name: "Kuzey", jackpot: null },
        { id: "pera", name: "Pera", jackpot: [4_000], machineCount: 3 },
      ];
    },
  });
  const brands = page.getByRole("navigation", { name: "Brands" });
  await brands.getByRole("link", { name: /^Nar.*3 machines/ }).waitFor();
  await expect.poll(() => brands.getByRole("link").count()).toBe(4);
  await expect.poll(() => brands.getByRole("link", { name: /Kuzey/ }).textContent()).toContain("0 machines");
  await expect.poll(() => backEnd.called()).toContain("GET /v1/machine/brands");
  // Without a brand the largest of each, with one its list.
  const jackpots = page.locator("section[aria-labelledby=lobby-jackpots] li .visually-hidden");
  await expect.poll(() => jackpots.allTextContents()).toEqual(["₺40.00", "₺3.00"]);
  await brands.getByRole("link", { name: /Nar/ }).click();
  await expect.poll(() => jackpots.allTextContents()).toEqual(["₺1.00", "₺2.00", "₺3.00"]);
  await expect.poll(() => page.locator(`${card("m_1")}[data-brand=Nar]`).textContent()).toContain("Nar 07");
});

test("R-2.1-03, R-2.6-09, R-7-12: a brand's address lists its machines, and choosing one changes the address", async () => {
  const { page, backEnd, path } = await stage.open("/lobby/7/Alpha", {
    world(world) {
      world.brands = [...world.brands, { id: 7, name: "Alpha", machineCount: 1 }];
    },
    before: (_page, { script }) =>
      script("GET /v1/machine/7", () =>
        ok({ brand: "Alpha", machines: [{ id: 9, name: "Alpha 1", brand: "Alpha", status: 1 }] }),
      ),
  });
  await page.locator(card("9")).waitFor();
  await expect.poll(() => page.locator("article").count()).toBe(1);
  await expect.poll(() => page.locator("main nav [aria-current]").textContent()).toContain("Alpha");
  await page.getByRole("navigation", { name: "Brands" }).getByRole("link", { name: /Pera/ }).click();
  await page.waitForURL("**/lobby/pera/Pera");
  await expect.poll(() => page.locator("article").count()).toBe(3);
  await expect.poll(() => backEnd.called()).toContain("GET /v1/machine/pera");
  await page.goBack();
  await page.waitForURL("**/lobby/7/Alpha");
  await page.locator(card("9")).waitFor();
  await expect.poll(path).toBe("/lobby/7/Alpha");
});

test.each(
  someOf(1, [
    ["{machines}", (machines: readonly LobbyMachine[]) => ({ machines })],
    ["{brand, machines}", (machines: readonly LobbyMachine[]) => ({ brand: { id: 1 }, machines })],
    ["a bare list", (machines: readonly LobbyMachine[]) => machines],
  ] as const),
)("R-7-13, R-7-14: with show lobby off there are no brands, and machine/all is read as %s", async (_shape, shape) => {
  const { page, backEnd } = await stage.open("/lobby/nar/Nar", {
    world: settings({ showLobby: false }),
    before: (_page, { script, world }) => script("GET /v1/machine/all", () => ok(shape(world.machines))),
  });
  await expect.poll(() => page.locator("article").count()).toBe(12);
  expect(await page.getByRole("navigation", { name: "Brands" }).count()).toBe(0);
  expect(await page.locator("#lobby-jackpots").count()).toBe(0);
  const calls = backEnd.called().filter((call) => call.includes("/machine/"));
  expect(new Set(calls)).toEqual(new Set(["GET /v1/machine/all"]));
});

test("R-2.6-04, R-4.1-01, R-4.1-02, R-4.1-03, R-4.1-04, R-4.1-05: five states by word, light and lamp; any other number is not available", async () => {
  const STATES = [
    [0, "off", "Not available"],
    [1, "available", "Available"],
    [2, "waiting", "Waiting for user"],
    [3, "playing", "Playing"],
    [4, "reserved", "Reserved"],
    [99, "off", "Not available"],
    [-7, "off", "Not available"],
    [1e300, "off", "Not available"],
    [0.5, "off", "Not available"],
  ] as const;
  const { page } = await stage.open("/lobby", {
    world(world) {
      world.machines = STATES.map(([status], index) => ({ id: `s${index}`, name: `S ${index}`, brand: "Nar", status }));
    },
  });
  await page.locator(card("s8")).waitFor();
  for (const [index, [, lamp, word]] of STATES.entries()) {
    const one = page.locator(`${card(`s${index}`)}[data-lamp=${lamp}]`);
    await expect.poll(() => one.locator(`[data-status=${lamp}]`).textContent()).toBe(word);
  }
  const brightness = (id: string) =>
    page
      .locator(`${card(id)} img`)
      .evaluate((img) => Number(/brightness\(([\d.]+)/.exec(getComputedStyle(img).filter)?.[1]));
  const lights = await Promise.all(["s1", "s3", "s4", "s0"].map(brightness));
  expect(lights).toEqual(lights.toSorted((a, b) => b - a));
  expect(new Set(lights).size).toBe(4);
  // The shape says it too: no two lamps look alike without their colour.
  const shapes = await page.locator("article [data-status]").evaluateAll((lamps) =>
    lamps.slice(0, 5).map((lamp) => {
      const { backgroundImage, transform, borderRadius } = getComputedStyle(lamp, "::before");
      return [backgroundImage.replaceAll(/rgba?\([^)]*\)/g, ""), transform, borderRadius].join(" ");
    }),
  );
  expect(new Set(shapes).size).toBe(5);
});

test("R-2.6-06, R-2.6-07: a machine's image, else its brand's picture, else dark glass", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby", {
    world(world) {
      world.machines = [
        { id: "a", name: "A 1", brand: "Nar", status: 1, image: "/assets/machines/Pera.png" },
        { id: "b", name: "B 2", brand: "Nar", status: 1 },
        { id: "c", name: "C 3", brand: "No such", status: 1 },
        { id: "d", name: "D 4", brand: "Kuzey", status: 1, image: "/nowhere.png" },
        { id: "e", name: "E 5", brand: "Mercan", status: 1, image: "http://" },
      ];
    },
  });
  const source = (id: string) =>
    page.locator(card(id)).evaluate((one) => one.querySelector("img")?.src.replace(location.origin, "") ?? null);
  await expect.poll(() => source("c")).toBeNull();
  await expect.poll(() => source("d")).toBe("/assets/machines/Kuzey.png");
  await expect.poll(() => source("a")).toBe("/assets/machines/Pera.png");
  await expect.poll(() => source("b")).toBe("/assets/machines/Nar.png");
  await expect.poll(() => source("e")).toBe("/assets/machines/Mercan.png");
});

test("R-2.6-08: a reservation of any shape is shown as far as it is told", async () => {
  const until = "2026-11-21T21:40:00";
  const { page } = await stage.open("/lobby", {
    world(world) {
      const of = (id: string, reservation: unknown) => ({ id, name: id, brand: "Nar", status: 4, reservation });
      world.machines = [
        of("yes", true),
        of("text", "Ece K."),
        of("name", { name: "Cem T." }),
        of("until", { until }),
        of("mine", { until, mine: true }),
        of("odd", { until: "soon", name: 7 }),
        of("number", 12),
        of("none", null),
      ] as LobbyMachine[];
    },
  });
  const text = (id: string) => page.locator(card(id)).innerText();
  await page.locator(card("none")).waitFor();
  for (const id of ["yes", "text", "name", "until", "odd", "number", "none"])
    await expect.poll(() => text(id)).toContain("Reserved");
  await expect.poll(() => text("text")).toContain("Ece K.");
  await expect.poll(() => text("name")).toContain("Cem T.");
  await expect.poll(() => text("until")).toContain("until 21:40");
  await expect.poll(() => text("mine")).toMatch(/Reserved for you[\s\S]*Play/);
});

test("R-2.6-10, R-9-08: machines and brands are asked again every 10 s, and not while the tab is hidden", async () => {
  const openedAt = Date.now();
  const { page, backEnd } = await stage.open("/lobby", { clock: true });
  await page.locator("article").first().waitFor();
  const requested = () => machinesCalls(backEnd.called());
  const brands = () => backEnd.called().filter((call) => call === "GET /v1/machine/brands").length;
  for (const times of [2, 3]) {
    await page.clock.runFor(10_000);
    await expect.poll(requested).toBeGreaterThanOrEqual(times);
    await expect.poll(brands).toBeGreaterThanOrEqual(times);
  }
  // The clock goes on beside the test, which may be slow: no more often than its time allows.
  expect(requested()).toBeLessThanOrEqual(1 + Math.floor(((await timeOf(page)) - openedAt) / 10_000));
  const show = (state: "visible" | "hidden") =>
    page.evaluate((now) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => now });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    }, state);
  await show("hidden");
  const before = requested();
  await page.clock.runFor(120_000);
  // One may have been on its way.
  expect(requested()).toBeLessThanOrEqual(before + 1);
  const still = requested();
  await show("visible");
  await expect.poll(requested).toBeGreaterThan(still);
});

test.each([0, 3])(
  "R-2.6-10: update lobby %d counts in seconds, and 0 is never",
  { tags: ["long"] },
  async (updateLobby) => {
    const { page, backEnd } = await stage.open("/lobby", { clock: true, world: settings({ updateLobby }) });
    await page.locator("article").first().waitFor();
    await expect.poll(() => backEnd.listening()).toBe(1);
    const before = machinesCalls(backEnd.called());
    const startedAt = await timeOf(page);
    for (let second = 1; second <= 12; second += 1) {
      await page.clock.runFor(1_000);
      const due = updateLobby === 0 ? 0 : Math.floor(second / updateLobby);
      await expect.poll(() => machinesCalls(backEnd.called()) - before).toBeGreaterThanOrEqual(due);
    }
    const most = updateLobby === 0 ? 0 : 1 + Math.floor(((await timeOf(page)) - startedAt) / (updateLobby * 1_000));
    expect(machinesCalls(backEnd.called()) - before).toBeLessThanOrEqual(most);
  },
);

test("R-3-15: dark cabinets while loading; the chosen brand and what was chosen stay while it is asked again", async () => {
  /** Answers the asking that is held now. */
  let answer: (() => void) | undefined;
  const { page } = await stage.open("/lobby/nar/Nar", {
    clock: true,
    before(_page, { script, world }) {
      // Where the whole floor is known, a brand is drawn from it until its own list comes.
      script("GET /v1/machine/all", () => new Promise(() => {}));
      script("GET /v1/machine/nar", async () => {
        await new Promise<void>((answered) => {
          answer = answered;
        });
        answer = undefined;
        return ok(world.machines.filter(({ brand }) => brand === "Nar"));
      });
    },
  });
  await page.locator("[aria-busy=true]").waitFor();
  await expect.poll(() => answer).toBeDefined();
  answer?.();
  await expect.poll(() => page.locator("article").count()).toBe(3);
  await page.getByRole("button", { name: /Available/ }).click();
  await expect.poll(() => page.locator("article").count()).toBe(1);
  // On a slow computer it is asked again before that.
  await page.clock.runFor(10_000);
  await expect.poll(() => answer).toBeDefined();
  expect(await page.locator("[aria-busy=true]").count()).toBe(0);
  await expect.poll(() => page.locator("article").count()).toBe(1);
  await expect.poll(() => page.locator("main nav [aria-current]").textContent()).toContain("Nar");
  (answer as unknown as () => void)();
});

test("R-3-18, R-7-35: a push changes its tile alone, and counts with it; the card that changed is the only one drawn", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await page.locator(`${card("m_2")}[data-lamp=available]`).waitFor();
  await expect.poll(() => backEnd.listening()).toBe(1);
  await page.evaluate(() => {
    const changed = new Set<string>();
    const watch = new MutationObserver((records) => {
      for (const { target } of records) {
        const one = (target instanceof Element ? target : target.parentElement)?.closest("article");
        if (one) changed.add(one.getAttribute("data-machine") ?? "");
      }
    });
    watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    Object.assign(window, { changed });
  });
  const second = backEnd.world.machines[1] as LobbyMachine;
  second.status = 4;
  backEnd.push("machine", { id: "m_2", status: 4 });
  backEnd.push("machine", { id: 4, status: 1 });
  backEnd.push("machine", { id: "nobody", status: 1 });
  await page.locator(`${card("m_2")}[data-lamp=reserved]`).waitFor();
  await page.getByRole("button", { name: "Reserved 2" }).waitFor();
  // The seat that is kept for the player counts its seconds.
  const changed = await page.evaluate(() => [...(window as unknown as { changed: Set<string> }).changed]);
  expect(changed.filter((id) => id !== "m_1")).toEqual(["m_2"]);
});

test("R-9-05: a jackpot above the limit is hot by word and lamp, at the limit it is not", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby", {
    world(world) {
      world.brands = [
        { id: "nar", name: "Nar", jackpot: "2000001", machineCount: 3 },
        { id: "pera", name: "Pera", jackpot: "2000000", machineCount: 3 },
      ];
    },
  });
  await expect
    .poll(() => page.locator("section[aria-labelledby=lobby-jackpots] li").allInnerTexts())
    .toEqual([expect.stringMatching(/Hot/i), expect.not.stringMatching(/Hot/i)]);
});

test("R-9-19: with an empty wallet the game opens, unless the settings forbid it; then a message says why", async () => {
  const world =
    (more: Record<string, unknown>): NonNullable<Scene["world"]> =>
    (now) => {
      now.balance = { balance: 0 };
      Object.assign(now.settings, more);
    };
  const refused = await stage.open("/lobby", { world: world({ allowZeroBalance: false }) });
  await refused.page.locator("header").getByText("₺0.00").first().waitFor();
  await refused.page.locator(`${card("m_2")} a`).click();
  await refused.page.getByText("You need a balance above zero to sit at a machine.").waitFor();
  await expect.poll(() => refused.path()).toBe("/lobby");
  const allowed = await stage.open("/lobby", { world: world({}) });
  await allowed.page.locator("header").getByText("₺0.00").first().waitFor();
  await allowed.page.locator(`${card("m_2")} a`).click();
  await allowed.page.waitForURL("**/game/m_2/**");
});

test("R-1-06: a free machine opens its game; an occupied one says why and the page stays", async () => {
  const { page, path } = await stage.open("/lobby");
  await page.locator(`${card("m_4")} a`).click();
  await page.getByText("Pera 01 is being played now.").waitFor();
  await expect.poll(path).toBe("/lobby");
  await page.locator(`${card("m_2")} a`).click();
  await page.waitForURL("**/game/m_2/Kuzey%2002");
});

test("the seat kept for me comes first with its seconds, and on a phone the dock keeps Continue in reach", async () => {
  const { page, path } = await stage.open("/lobby", {
    window: PHONE,
    clock: true,
    world(world) {
      const [first, ...others] = world.machines;
      world.machines = [...others, { ...(first as LobbyMachine), until: new Date(Date.now() + 42_000).toISOString() }];
    },
  });
  await page.locator("article").first().waitFor();
  await expect.poll(() => page.locator("article").first().getAttribute("data-machine")).toBe("m_1");
  const dock = page.getByRole("complementary", { name: "Waiting for you" });
  const seconds = async () => Number(/(\d+) s/.exec(await dock.innerText())?.[1]);
  const before = await seconds();
  await page.clock.runFor(5_000);
  await expect.poll(seconds).toBeLessThan(before - 3);
  await dock.getByRole("link", { name: "Continue" }).click();
  await page.waitForURL("**/game/m_1/**");
  await expect.poll(path).toBe("/game/m_1/Nar%2007");
});

test("filters are in the address: they outlive a reload, a brand's choice and the way back", {
  tags: ["long"],
}, async () => {
  const { page, path } = await stage.open("/lobby?x=1&status=available,nonsense");
  await expect.poll(() => page.locator("article").count()).toBe(5);
  await page.getByRole("button", { name: /^Playing/ }).click();
  await expect.poll(path).toBe("/lobby?x=1&status=available%2Cplaying");
  await page.getByLabel("Search machines").fill("kuz");
  await expect.poll(path).toBe("/lobby?x=1&status=available%2Cplaying&search=kuz");
  await expect.poll(() => page.locator("article").count()).toBe(3);
  await page.reload();
  await expect.poll(() => page.locator("article").count()).toBe(3);
  await expect.poll(() => page.getByLabel("Search machines").inputValue()).toBe("kuz");
  await page.getByRole("navigation", { name: "Brands" }).getByRole("link", { name: /Pera/ }).click();
  await page.getByText("No machine matches").waitFor();
  await expect.poll(path).toContain("/lobby/pera/Pera?x=1&status=available%2Cplaying&search=kuz");
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await expect.poll(path).toBe("/lobby/pera/Pera?x=1");
  await expect.poll(() => page.locator("article").count()).toBe(3);
  await page.goBack();
  await expect.poll(path).toContain("search=kuz");
  await expect.poll(() => page.getByLabel("Search machines").inputValue()).toBe("kuz");
});

test("favourites are kept between visits", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby");
  await page.getByRole("button", { name: "Add to favourites: Pera 06" }).click();
  await page.reload();
  await page.getByRole("button", { name: "Favourites", exact: true }).click();
  await expect.poll(() => page.locator("article").count()).toBe(1);
  await expect.poll(() => page.locator(`${card("m_8")} [aria-pressed=true]`).count()).toBe(1);
});

test("script in names is text, names of ten thousand letters break nothing, and wrong rows hide no others", async () => {
  const script = "<img src=x onerror=alert(1)><script>alert(2)</script>";
  const long = "Ğ".repeat(10_000);
  const { page, backEnd, complaints, path } = await stage.open("/lobby", {
    window: DESK,
    world(world) {
      Object.assign(world.player, { name: script, lastname: long.slice(0, 300) });
      world.brands = [
        { id: "a/b?#", name: `a/b "c" '%2e ${script}`, machineCount: 1, jackpot: "5", jackpotNames: [script] },
        { id: "long", name: long, machineCount: 1, jackpot: "5", jackpotNames: [long] },
        { id: "dots", name: "..", machineCount: 1 },
        { name: "no id" },
        null,
      ];
      world.machines = [
        null,
        { name: "no id" },
        { id: "ok", name: script, brand: `a/b "c" '%2e ${script}`, status: "1" },
        { id: "long", name: long, brand: long, status: 1, image: {} },
        { id: "dots", name: "..", brand: "..", status: -3, mine: "no", until: 7 },
        { id: "nameless", name: "", brand: "\ud800", status: 1 },
        { id: "ok", name: "twice", brand: "Nar", status: 1 },
      ] as never;
    },
    before: (_page, { script: on, world }) => {
      on("GET /v1/machine/a%2Fb%3F%23", () => ok(world.machines.slice(2, 3)));
      on("GET /v1/machine/dots", () => ok([]));
    },
  });
  await expect.poll(() => page.locator("article").count()).toBe(4);
  await expect.poll(() => page.locator(`${card("ok")} h3`).textContent()).toBe(script);
  await expect.poll(() => page.locator(`${card("nameless")} h3`).textContent()).toBe("nameless");
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await page.locator("article script, article img[onerror]").count()).toBe(0);
  const brands = page.getByRole("navigation", { name: "Brands" });
  await brands.getByRole("link").nth(1).click();
  await expect.poll(() => page.locator("article").count()).toBe(1);
  await expect.poll(path).toMatch(/^\/lobby\/a%2Fb%3F%23\/a%2Fb/);
  await page.reload();
  await expect.poll(() => page.locator("article").count()).toBe(1);
  await brands.getByRole("link").nth(3).click();
  await expect.poll(path).toBe("/lobby/dots/-");
  await expect.poll(() => backEnd.called()).toContain("GET /v1/machine/dots");
  // Missing pictures are the browser's own lines; nothing of ours complained, and nothing opened a dialog.
  expect(complaints.filter((line) => !line.includes("404"))).toEqual([]);
});

test.each(
  someOf(1, [
    [360, 740],
    [1920, 1080],
  ]),
)("R-2.6-11: at %d x %d everything of the lobby can be reached and seen", async (width, height) => {
  const { page } = await stage.open("/lobby", { window: { width, height, language: "en" } });
  await page.locator("article").nth(11).waitFor();
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  const small = await page.locator("main :is(a, button):visible").evaluateAll((all) =>
    all.flatMap((one) => {
      // A cabinet's link covers the cabinet.
      const { width: wide, height: high } = (
        (one.closest("h3") && one.closest("article")) ??
        one
      ).getBoundingClientRect();
      return wide >= 43.5 && high >= 43.5 ? [] : [`${one.textContent} is ${wide} x ${high}`];
    }),
  );
  expect(small).toEqual([]);
  const widths = await page
    .locator("article")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  expect(Math.min(...widths)).toBeGreaterThan(140);
  expect(Math.max(...widths)).toBeLessThan(500);
});

test.each(everyWindow("phone"))(
  "loading, one brand, nothing found, error, empty floor and outage at $width x $height in $language",
  async (window) => {
    let hold = true;
    let refuse = false;
    const { page, backEnd } = await stage.open("/lobby", {
      window,
      before: (_page, { script, world }) =>
        script("GET /v1/machine/all", async () => {
          while (hold) await new Promise((resolve) => setTimeout(resolve, 50));
          if (refuse) return { httpStatus: 503, body: { code: 60040, ErrorMessage: "x" } };
          return ok(world.machines);
        }),
    });
    const looks = async () => {
      expect(await axeFindings(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    };
    await page.locator("[aria-busy=true]").waitFor();
    // The signs come with the floor, which they would push down otherwise.
    expect(await page.locator("main nav a").count()).toBe(0);
    await looks();
    hold = false;
    await page.locator("article").nth(11).waitFor();
    await page.locator("main nav a").nth(1).click();
    await expect.poll(() => page.locator("article").count()).toBe(3);
    await looks();
    await page.locator("input[type=search]").fill("zeytin");
    await page.locator("main section h2 ~ p, main section p").getByText("zeytin").waitFor();
    await looks();
    refuse = true;
    await page.goto(`${backEnd.url}/lobby`);
    const again = page.locator("main section button");
    await again.waitFor();
    await looks();
    refuse = false;
    backEnd.world.machines = [];
    await again.click();
    await again.waitFor({ state: "detached" });
    await page.locator("main section svg").waitFor();
    await looks();
    await expect.poll(() => backEnd.listening()).toBe(1);
    backEnd.refuseSockets(true);
    backEnd.drop(1012, "restart");
    await page.locator("[role=status]").filter({ hasText: /\S/ }).first().waitFor();
    await looks();
  },
);

test("an error of a later asking leaves the floor, says so, and can be tried again", async () => {
  let refuse = false;
  const { page, backEnd } = await stage.open("/lobby", {
    clock: true,
    before: (_page, { script, world }) =>
      script("GET /v1/machine/all", () =>
        refuse ? { httpStatus: 503, body: { code: 60040, ErrorMessage: "x" } } : ok(world.machines),
      ),
  });
  await page.locator("article").nth(11).waitFor();
  refuse = true;
  await page.clock.runFor(10_000);
  await expect.poll(() => machinesCalls(backEnd.called())).toBeGreaterThan(1);
  await page.clock.runFor(5_000);
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  await expect.poll(() => page.locator("article").count()).toBe(12);
  refuse = false;
  await again.click();
  await again.waitFor({ state: "detached" });
  expect(names(backEnd.world)).toHaveLength(12);
});

// player 19
test("player 19: on a phone on its side the whole first row of machines is in view", async () => {
  const { page } = await stage.open("/lobby", { window: { width: 844, height: 390, language: "en" } });
  const card = page.locator("article").first();
  await card.waitFor();
  await expect
    .poll(async () => {
      const box = await card.boundingBox();
      return box === null ? Number.NaN : box.y + box.height;
    })
    .toBeLessThanOrEqual(390);
});

// player 31
test("player 31: with a brand chosen the subtitle counts its machines", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby/nar/Nar");
  await page.getByText("1 of 3 machines are free").waitFor();
});
