import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ICON_PATHS } from "../../packages/ui/src/icon-paths.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, PHONE, setUpTemplateStage } from "./game-stage.ts";
import type { World } from "./world.ts";

const stage = setUpTemplateStage();

const ARABIC = { ...PHONE, language: "ar" } as const;
const inLayout1 = (world: World) => {
  world.settings["layout"] = "layout1";
};
/** Lets the page use the clipboard, as a page that is served over TLS may after a press. */
const withClipboard = (page: Page) => page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const said = (page: Page) => page.getByRole("region", { name: "Messages" });

test("R-2.1-50: icons are found by a part of their name or of a word for them, and a press really copies", async () => {
  const { page, complaints } = await stage.open("/ui/icons", { before: withClipboard });
  const cells = page.locator("main li button");
  const names = Object.keys(ICON_PATHS);
  await cells.first().waitFor();
  await expect.poll(() => cells.allInnerTexts()).toEqual(names);
  await page.getByText(`${names.length} icons`).waitFor();
  const search = page.getByRole("searchbox", { name: "Search icons" });
  await search.fill("  xyzzy ");
  await page.getByRole("heading", { name: "No results!" }).waitFor();
  expect(await cells.count()).toBe(0);
  await search.fill("yeO");
  await expect.poll(() => cells.allInnerTexts()).toEqual(["eyeOff"]);
  await search.fill("password");
  await expect.poll(() => cells.allInnerTexts()).toEqual(["lock"]);
  await cells.first().click();
  await said(page).getByText('Copied: <Icon name="lock" />').waitFor();
  expect(await clipboard(page)).toBe('<Icon name="lock" />');
  await page.getByRole("radio", { name: "Name" }).check();
  await cells.first().press("Enter");
  await expect.poll(() => clipboard(page)).toBe("lock");
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("the words of an icon are those of the spoken language, and a browser that keeps its clipboard shut is told of", {
  tags: ["long"],
}, async () => {
  const shut = (page: Page) =>
    page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  const { page } = await stage.open("/ui/icons", { window: { ...PHONE, language: "tr" }, before: shut });
  await page.getByRole("searchbox", { name: "Simge ara" }).fill("kilit");
  const cells = page.locator("main li button");
  await expect.poll(() => cells.allInnerTexts()).toEqual(["lock"]);
  await cells.first().click();
  await page.getByText("Tarayıcı bu sayfanın kopyalamasına izin vermiyor.").waitFor();
});

test("R-2.1-51: typography shows its samples from Display 4 to Button, each beside what is written for it", async () => {
  const { page, complaints } = await stage.open("/ui/typography", { before: withClipboard });
  const samples = page.locator("main dl > div");
  await samples.last().waitFor();
  const names = await samples.locator("dt").allInnerTexts();
  expect(names.slice(0, 10)).toEqual([
    ...["Display 4", "Display 3", "Display 2", "Display 1", "Headline"],
    ...["Title", "Subheading", "Body 2", "Body 1", "Caption"],
  ]);
  expect(names.at(-1)).toBe("Button");
  const sizes = await samples
    .locator("dt")
    .evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)));
  expect(sizes.slice(0, 10)).toEqual([56, 56, 34, 34, 26, 20, 17, 15, 15, 13]);
  // The paragraph that keeps to one line is cut.
  expect(
    await samples
      .nth(10)
      .locator("dt")
      .evaluate((one) => one.scrollWidth > one.clientWidth),
  ).toBe(true);
  await samples.first().getByRole("button", { name: "Copy: Display 4" }).click();
  await expect.poll(() => clipboard(page)).toContain("font-size: var(--t-hero);");
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("R-2.1-52: helper classes are the tokens as the open palette has them, and the marks beside them", async () => {
  const { page, complaints } = await stage.open("/ui/helper-classes", { before: withClipboard });
  const room = page.getByRole("button", { name: "--room" });
  await room.waitFor();
  await expect
    .poll(() => page.locator("h2").allInnerTexts())
    .toEqual([
      ...[
        "Styling",
        "Classes and attributes",
        "Space",
        "Text",
        "Surfaces",
        "Ink",
        "Brass and lamps",
        "Corners",
        "Motion",
      ],
    ]);
  const unset = await page
    .locator("li button code")
    .evaluateAll((all) =>
      all.filter(({ nextElementSibling }) => !nextElementSibling?.textContent).map(({ textContent }) => textContent),
    );
  expect(unset).toEqual([]);
  await expect.poll(() => room.innerText()).toContain("#100d0b");
  await room.click();
  await expect.poll(() => clipboard(page)).toBe("var(--room)");
  expect(await axeFindings(page)).toEqual([]);
  // Another palette, another worth.
  await page.evaluate(() => document.documentElement.style.setProperty("--room", "#123456"));
  await expect.poll(() => room.innerText()).toContain("#123456");
  expect(complaints).toEqual([]);
});

test("R-2.1-53: the documentation key of layout1 leads to /documentation, a guide whose contents lead to its chapters", async () => {
  const { page, complaints, path } = await stage.open("/ui/icons", { window: DESK, world: inLayout1 });
  await page.getByRole("contentinfo").getByRole("link", { name: "Documentation" }).click();
  await expect.poll(path).toBe("/documentation");
  await page.getByRole("heading", { level: 1, name: "Documentation" }).waitFor();
  const contents = page.getByRole("navigation", { name: "Contents" });
  const ids = await page
    .locator("main article[aria-labelledby]")
    .evaluateAll((all) => all.map((one) => one.getAttribute("aria-labelledby")));
  expect(
    await contents
      .getByRole("link")
      .evaluateAll((all) => all.map((one) => new URL((one as HTMLAnchorElement).href).hash.slice(1))),
  ).toEqual(ids);
  await contents.getByRole("link", { name: "Machines" }).click();
  await expect.poll(path).toBe("/documentation#machines");
  const heading = page.getByRole("heading", { name: "Machines", exact: true });
  await expect.poll(() => heading.evaluate((node) => node.getBoundingClientRect().top < innerHeight)).toBe(true);
  expect(complaints).toEqual([]);
});

test("the guide shows every part in its states, live", { tags: ["long"] }, async () => {
  const { page, complaints } = await stage.open("/documentation#machines");
  const chapter = (name: string) =>
    page.locator("article").filter({ has: page.getByRole("heading", { name, exact: true, level: 2 }) });
  await chapter("Machines").locator("[data-machine]").last().waitFor();
  // What is drawn late above does not push the chapter of the address away.
  const top = () => page.locator("#machines").evaluate((heading) => heading.getBoundingClientRect().top);
  await expect.poll(top).toBeLessThan(DESK.height);
  expect(
    await chapter("Machines")
      .locator("[data-lamp]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-lamp"))),
  ).toEqual([...["available", "playing", "waiting", "waiting", "reserved", "off"]]);
  const controls = chapter("Controls of the casino");
  await expect
    .poll(() =>
      controls.locator("button[data-state]").evaluateAll((all) => all.map((one) => one.getAttribute("data-state"))),
    )
    .toEqual([
      ...["ready", "turning", "cycle", "queued", "auto", "noCredit", "above", "unfair"],
      ...["locked", "unlinked", "offline"],
    ]);
  await controls.getByRole("button", { name: "7", exact: true }).click();
  await expect.poll(() => controls.locator("input[name=pin]").inputValue()).toBe("7");
  await controls.getByRole("button", { name: "Hide the balance" }).first().click();
  await controls.getByRole("button", { name: "Show the balance" }).waitFor();
  await expect.poll(() => chapter("Palettes").locator("[data-palette]").count()).toBeGreaterThanOrEqual(20);
  await expect.poll(() => chapter("Lamps").locator("[data-status]").count()).toBe(6);
  await expect.poll(() => chapter("Keys").locator("[aria-busy]").count()).toBe(1);
  await expect.poll(() => chapter("Fields").locator("[aria-invalid]").count()).toBe(1);
  await chapter("Messages").getByRole("button", { name: "Say something bad" }).click();
  await page.getByRole("alert").getByText("Connection lost, please wait.").waitFor();
  await chapter("Sheets").getByRole("button", { name: "Drawer at the end" }).click();
  await page.getByRole("dialog", { name: "Sheets" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Sheets" }).waitFor({ state: "detached" });
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("R-3-22: the guide's navigation has every kind of entry and every field, as a guest, a player or an administrator sees it", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/documentation");
  const tree = page.getByRole("navigation", { name: "Vertical navigation" });
  await tree.waitFor();
  const titles = () => tree.locator("[data-title]").allInnerTexts();
  const always = ["Item with a badge", "Collapse", "Icons", "One level deeper", "Typography", "Link in a new tab"];
  await expect.poll(titles).toEqual([...always, "Only for players"]);
  await expect.poll(() => tree.getByText("Group", { exact: true }).count()).toBe(1);
  await expect.poll(() => tree.locator("hr").count()).toBe(1);
  await expect.poll(() => tree.locator("[data-badge]").innerText()).toBe("3");
  const link = tree.getByRole("link", { name: "Link in a new tab" });
  await expect.poll(() => link.getAttribute("target")).toBe("_blank");
  // Exact: it is the page that is open.
  await expect
    .poll(() => tree.locator("[aria-current]").allInnerTexts())
    .toEqual([expect.stringContaining("Item with a badge")]);
  await page.getByRole("radio", { name: "Administrator" }).check();
  await expect.poll(titles).toEqual([...always, "Only for admins"]);
  await page.getByRole("radio", { name: "Guest" }).check();
  await expect.poll(titles).toEqual(always);
  await tree.getByRole("button", { name: "Collapse" }).click();
  await expect.poll(titles).toEqual(["Item with a badge", "Collapse", "Link in a new tab"]);
});

test("on a phone the contents are a drawer whose links lead on, and every page of the gallery fits in Arabic", {
  tags: ["long"],
}, async () => {
  const { page, complaints } = await stage.open("/documentation", { window: ARABIC });
  await page.getByRole("button", { name: "المحتويات" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "المصابيح" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const heading = page.locator("#lamps");
  await expect.poll(() => heading.evaluate((node) => node === document.activeElement)).toBe(true);
  await expect.poll(() => heading.evaluate((node) => node.getBoundingClientRect().top)).toBeLessThan(ARABIC.height);
  expect([await axeFindings(page), await overflowOf(page)]).toEqual([[], 0]);
  const pages = {
    "/ui/icons": "الأيقونات",
    "/ui/typography": "الخطوط",
    "/ui/helper-classes": "الأصناف المساعدة",
  };
  for (const [path, title] of Object.entries(pages)) {
    await page.evaluate((to) => history.pushState({}, "", to), path);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    expect([path, await axeFindings(page), await overflowOf(page)]).toEqual([path, [], 0]);
  }
  await page.getByRole("link", { name: "المرجع" }).click();
  await page.locator("#lamps").waitFor();
  // A phone that is turned: SPIN stands in its list, not where the game's deck would have it.
  await page.setViewportSize({ width: 844, height: 390 });
  await page.locator("li button[data-state=offline]").waitFor();
  const astray = () =>
    page.locator("li:has(> button[data-state])").evaluateAll(
      (items) =>
        items.filter((item) => {
          const [around, spin] = [item, item.firstElementChild].map((node) => node?.getBoundingClientRect());
          return around === undefined || spin === undefined || spin.top < around.top || spin.bottom > around.bottom;
        }).length,
    );
  await expect.poll(async () => [await astray(), await overflowOf(page)]).toEqual([0, 0]);
  expect(complaints).toEqual([]);
});
