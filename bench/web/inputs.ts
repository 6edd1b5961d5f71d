import { setTimeout as pause } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { cursorsOf, scriptedTransactions } from "../../e2e/scripted/listing-rows.ts";
import { percentile, spreadOf } from "../../rig/figures.ts";
import { confirmLeave, texts } from "../../rig/page/game-page.ts";
import { signIn } from "../../rig/player.ts";
import type { Part } from "../result.ts";
import type { Setup } from "../setup/setup.ts";
import { MACHINES } from "../setup/setup.ts";
import { newPhone, openFloor, slowPage, startFloor } from "./phone.ts";

const MANY = 2_000;
const ROUNDS = 2;
/** Between two inputs: no player is quicker, and what the last one began is over. */
const REST_MS = 120;
const KEY_MS = 90;
/** What an input counts that the browser does not report, for it took less than 16 ms. */
const UNREPORTED_MS = 8;
/** Longest wait of 98 of 100 inputs, ms: what people take for at once. */
const REACH_MS = 100;
const ROWS = 60;

type Leave = (page: Page) => Promise<void>;

/** How long a phone's player waits for the page to answer a tap or a key, all over the lobby and on the way to a game. */
export const webInputs: Part = async (setup, report) => {
  for (const [condition, play] of [
    ["the venue", playVenue],
    [`${MANY} machines`, playLargeFloor],
  ] as const) {
    setup.say(`Inputs on a slow phone: ${condition}`);
    const { reported, all, tasks } = await play(setup);
    const ms = [
      ...reported.map((input) => input.ms),
      ...Array.from({ length: all - reported.length }, () => UNREPORTED_MS),
    ];
    const sorted = ms.toSorted((one, other) => one - other);
    report({ what: "input to picture", condition, unit: "ms", value: spreadOf(ms) });
    const held = { reach: { of: "figure", atMost: REACH_MS } } as const;
    report({ what: "the same, 98 of 100", condition, unit: "ms", value: percentile(sorted, 0.98), held });
    report({ what: "tasks over 50 ms meanwhile", condition, unit: "ms", value: spreadOf(tasks) });
    const slowest = [...reported].sort((one, other) => other.ms - one.ms).slice(0, 3);
    setup.say(`Slowest: ${slowest.map((input) => `${input.ms} ms ${input.on}`).join(" | ")}`);
  }
};

async function playVenue(setup: Setup): Promise<SeenInputs> {
  const { token } = await signIn(setup.venue.href);
  return await watched(setup, `${setup.venue.href}/lobby?token=${token}`, async (page) => {
    await tap(page.locator(`[data-machine="${MACHINES[0]}"] a`));
    await page.locator("main[data-phase=playing][data-live=true]").waitFor();
    await tap(page.getByRole("button", { name: texts("en", "play")["toLobby"] ?? "" }));
    await confirmLeave(page);
    await page.locator("[data-machine]").first().waitFor();
  });
}

async function playLargeFloor(setup: Setup): Promise<SeenInputs> {
  const backEnd = await startFloor(MANY);
  try {
    backEnd.script("GET /v1/player/transactions", cursorsOf(scriptedTransactions(ROWS, Date.now())));
    return await watched(setup, (page) => openFloor(page, backEnd));
  } finally {
    await backEnd.close();
  }
}

/** Plays some rounds on a slow phone; answers what its page saw of the inputs. */
async function watched(setup: Setup, enter: string | Leave, more?: Leave): Promise<SeenInputs> {
  const phone = await newPhone(setup);
  try {
    const { page } = await slowPage(phone, { network: false });
    await page.addInitScript(watchInputs);
    await (typeof enter === "string" ? page.goto(enter) : enter(page));
    await page.locator("[data-machine]").first().waitFor();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const step of [...STEPS, ...(more === undefined ? [] : [more])]) {
        await step(page);
        await pause(REST_MS);
      }
    }
    type Holder = { longarmInputs: { take(): SeenInputs } };
    return await page.evaluate(() => (globalThis as unknown as Holder).longarmInputs.take());
  } finally {
    await phone.close();
  }
}

/** What a visit to the lobby is made of. Each step leaves the page as it found it. */
const STEPS: readonly Leave[] = [
  async (page) => {
    await openMenu(page);
    await closeTop(page);
  },
  async (page) => {
    for (const language of ["tr", "en"]) {
      await openMenu(page);
      await tap(page.locator(`[role=dialog] label:has(input[value=${language}])`));
      await page.locator(`html[lang=${language}]`).waitFor();
      await closeTop(page);
    }
  },
  async (page) => {
    await openMenu(page);
    await tap(page.locator("[role=dialog] button[aria-keyshortcuts]"));
    await page.locator("input[role=combobox]").focus();
    await page.keyboard.type("pro", { delay: KEY_MS });
    await closeTop(page);
  },
  async (page) => {
    for (const place of [1, 2, 2, 1]) await tap(page.locator("search button[aria-pressed]").nth(place));
  },
  async (page) => {
    await tap(page.locator("search input[type=search]"));
    await page.keyboard.type("nar 1", { delay: KEY_MS });
    await pause(REST_MS);
    for (let left = 0; left < 5; left += 1) await page.keyboard.press("Backspace", { delay: 20 });
  },
  async (page) => {
    const brands = page.getByRole("navigation", { name: texts("en", "lobby")["brands"] ?? "" }).getByRole("link");
    for (const place of [1, 0]) await tap(brands.nth(place));
  },
  async (page) => {
    for (let turn = 0; turn < 2; turn += 1) await tap(page.locator("[data-machine] button[aria-pressed]").first());
  },
  async (page) => {
    await openMenu(page);
    await tap(page.locator("[role=dialog] a[href='/transactions']"));
    await page.locator("[data-row], h1").first().waitFor();
    await tap(page.getByRole("button", { name: texts("en", "history")["columns"] ?? "" }));
    await closeTop(page);
    await openMenu(page);
    await tap(page.locator("[role=dialog] a[href='/lobby']").last());
    await page.locator("[data-machine]").first().waitFor();
  },
];

/**
 * A tap by the browser alone. Playwright's own watches in the page, while the tap is handled, where it lands, and looks for what comes of it
 * at once: by scripts that are slowed as the page's are, and that no player has.
 */
async function tap(what: Locator): Promise<void> {
  await what.scrollIntoViewIfNeeded();
  const box = await what.boundingBox();
  if (box === null) throw new Error("What is to be tapped has gone.");
  await pause(REST_MS);
  await what.page().touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  await pause(REST_MS);
}

async function openMenu(page: Page): Promise<void> {
  await tap(page.locator("[data-menu-key]"));
  await page.locator("[role=dialog]").waitFor();
}

async function closeTop(page: Page): Promise<void> {
  await pause(REST_MS);
  await page.keyboard.press("Escape");
  await pause(REST_MS);
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
}

/** Runs in the page, before the web: keeps how long each input was waited for, from it to the next frame that was painted. */
function watchInputs(): void {
  const longest = new Map<number, { ms: number; on: string }>();
  const watch = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId?: number })[]) {
      const { interactionId = 0, duration, name } = entry;
      if (interactionId === 0 || (longest.get(interactionId)?.ms ?? 0) >= duration) continue;
      // Its own tag only: writing out a page that lies in it would hold up the next input.
      const target =
        entry.target instanceof Element ? (entry.target.cloneNode() as Element).outerHTML.slice(0, 60) : "";
      longest.set(interactionId, { ms: duration, on: `${name} ${target}` });
    }
  });
  const tasks: number[] = [];
  const held = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  // 16 ms is the least that a browser reports, in steps of 8.
  watch.observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  addEventListener("pointerdown", () => held.observe({ type: "longtask" }), { once: true, capture: true });
  Object.assign(globalThis, {
    longarmInputs: {
      take(): SeenInputs {
        const reported = [...longest.values()];
        const counted = (performance as unknown as { interactionCount?: number }).interactionCount;
        return { reported, tasks, all: Math.max(counted ?? 0, reported.length) };
      },
    },
  });
}

/** Inputs (a tap, a key) since the page began. */
type SeenInputs = {
  /** Those that took 16 ms or more. */
  readonly reported: readonly { readonly ms: number; readonly on: string }[];
  readonly all: number;
  /** Ms of each task over 50 ms since the first tap, before a picture or behind it: what a next input may have to wait for. */
  readonly tasks: readonly number[];
};
