import type { Meters } from "@longarm/contract/machine";
import type { Locator, Page } from "playwright-core";
import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import type { Words } from "../state.ts";

const SOON = { timeout: 30_000 };

/** A machine with nothing on but its lamps. */
export const OPEN = {
  inGame: false,
  bonus: false,
  freeSpins: 0,
  win: 0,
  lockup: undefined,
  handPay: undefined,
} as const;
const CREDIT = 482_050;
const BET = 1_200;

/** The picture of a machine is wide. */
export const USUAL = { size: [1_280, 720] } as const satisfies GameScene;

/** Plays with sound: the first gesture was made. */
export async function begun({ page, playing }: PlayedGame): Promise<void> {
  await playing();
  await gesture(page);
  await page.locator("audio[data-locked=false]").waitFor({ state: "attached", ...SOON });
  await page.locator("main[data-delay-ms]").waitFor(SOON);
}

/** A click where nothing is: what the browser waits for before it makes a sound. */
export async function gesture(page: Page): Promise<void> {
  await page.locator("h1").first().click();
}

/** The machine as it was at first, whatever happened to it. */
export function calm({ notify, answer }: PlayedGame): void {
  notify("meters", Object.assign(answer.meters, { ...OPEN, credit: CREDIT, bet: BET }));
}

/** Notifies the meters, and something that they do not keep. */
export function locks({ notify, answer }: PlayedGame, lockup: NonNullable<Meters["lockup"]>, more: object = {}): void {
  notify("meters", { ...answer.meters, ...OPEN, lockup, ...more });
}

export const key = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true });
export const spin = (page: Page): Promise<void> => page.keyboard.press("Space");
export const autoKey = (page: Page): Locator => page.locator("section button[aria-pressed]:has(> span > svg)").first();
const sheet = (page: Page): Locator => page.locator("[role=dialog] form");

/** One game was begun. */
export async function turning({ page, presses }: PlayedGame): Promise<void> {
  const before = presses.length;
  await spin(page);
  await until(() => presses.length > before);
  await page.locator("main[data-turning=true]").waitFor(SOON);
}

/** Autoplay plays its first game, with what `choose` does to the sheet. */
export async function startAutoplay(game: PlayedGame, t: Words, choose?: (form: Locator) => Promise<unknown>) {
  const { page, presses } = game;
  const before = presses.length;
  await autoKey(page).click();
  // What was chosen before stays: nothing of it counts here.
  await sheet(page).getByLabel(t("play.autoAnyWin")).uncheck();
  for (const limit of await sheet(page).locator("input[data-limit]").all()) await limit.fill("");
  await choose?.(sheet(page));
  await sheet(page).locator("button[type=submit]").click();
  await sheet(page).waitFor({ state: "detached", ...SOON });
  await until(() => presses.length > before);
}

/** The money sheet with an amount in it. */
export async function typeAmount(page: Page, t: Words, amount: string): Promise<void> {
  if ((await sheet(page).count()) === 0) await key(page, t("play.transfer")).click();
  await sheet(page).locator("[data-amount]").fill(amount);
}

export const submit = (page: Page): Promise<void> => sheet(page).locator("button[type=submit]").click();

/** The game's own address again, signed in. */
export async function sitDownAgain({ page, backEnd, playing }: PlayedGame): Promise<void> {
  await page.goto(`${backEnd.url}/game/m_3/-?token=${backEnd.token}`);
  await playing();
  await gesture(page);
}

export async function closeSheets(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.locator("[role=dialog]").waitFor({ state: "detached", ...SOON });
}

/** Waits until a text does not count any more. */
export async function settled(page: Page, selector: string): Promise<void> {
  await page.waitForFunction(
    (place) =>
      new Promise<boolean>((still) => {
        const text = () => document.querySelector(place)?.textContent;
        const first = text();
        let frames = 0;
        const look = (): void => {
          frames += 1;
          if (frames < 20) requestAnimationFrame(look);
          else still(text() === first);
        };
        look();
      }),
    selector,
    SOON,
  );
}

/** Waits for something that the scripted back end saw. */
export async function until(is: () => boolean): Promise<void> {
  const late = performance.now() + SOON.timeout;
  while (!is()) {
    if (performance.now() > late) throw new Error("It did not come to pass");
    await new Promise((look) => setTimeout(look, 20));
  }
}
