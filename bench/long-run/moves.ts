import type { Counts } from "../../rig/figures.ts";
import { confirmLeave, GAME } from "../../rig/page/game-page.ts";
import type { BrowserPlayer } from "./browser-player.ts";

/** Somebody whose page is neither a game nor the lobby for so long signs in again, ms. */
const LOST_MS = 20_000;

type LiveDeps = {
  readonly counts: Counts;
  /** Called with each action, and with each obstacle. */
  readonly trace: (line: string) => void;
  readonly isRunning: () => boolean;
};

/** Plays until it is stopped. Whatever cannot be done now is tried otherwise, as players do. */
export async function live(player: BrowserPlayer, { counts, trace, isRunning }: LiveDeps): Promise<void> {
  let lostAt: number | undefined;
  while (isRunning()) {
    const doing = await next(player).catch(() => undefined);
    if (doing === undefined) {
      lostAt ??= performance.now();
      await player.rest(300, 700);
      if (performance.now() - lostAt < LOST_MS) continue;
      lostAt = undefined;
      counts.add("is lost");
      trace("is lost");
      await findWay(player).catch(() => {});
      continue;
    }
    lostAt = undefined;
    counts.add(doing.name);
    trace(doing.name);
    const obstacle = await doing.go().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (obstacle === undefined) continue;
    counts.add(`${doing.name}: not possible`);
    trace(`${doing.name} not possible: ${obstacle.replaceAll(/\s+/g, " ").slice(0, 600)}`);
    await player
      .page()
      .keyboard.press("Escape")
      .catch(() => {});
    await player.rest(300, 700);
  }
}

/** To the lobby, and where it is closed over the form. */
async function findWay(player: BrowserPlayer): Promise<void> {
  await goToLobby(player);
  if (!new URL(player.page().url()).pathname.startsWith("/lobby")) await player.logIn();
}

async function next(player: BrowserPlayer): Promise<{ name: string; go(): Promise<void> } | undefined> {
  switch (await whereIs(player)) {
    case "reconnect":
      return { name: "answers the dialog", go: () => answerDialog(player) };
    case "lobby":
      return { name: "takes a machine", go: () => takeMachine(player) };
    case "watch":
      return { name: "watches", go: () => watchOther(player) };
    case "game": {
      const name = await chooseMove(player);
      return { name, go: async () => await MOVES[name]?.(player) };
    }
    default:
      return undefined;
  }
}

type Place = "game" | "watch" | "reconnect" | "lobby" | "elsewhere";

/** Where the page is, once it says so. */
export async function whereIs(player: BrowserPlayer): Promise<Place> {
  const { pathname } = new URL(player.page().url());
  const is = (what: string) => player.page().locator(what).count();
  if ((await is("[data-variant]")) > 0) return "reconnect";
  if (pathname.startsWith("/watch/")) return "watch";
  if ((await is(GAME)) > 0) return "game";
  if (pathname.startsWith("/lobby") && (await is("[data-machine]")) > 0) return "lobby";
  return "elsewhere";
}

/** Back to the machine that is kept, else to a free one, or to look at one whose seat was just taken. */
async function takeMachine(player: BrowserPlayer): Promise<void> {
  const mine = player.page().locator("[data-machine][data-mine] a");
  const kept = (await mine.count()) > 0 && player.chance.next() < 0.9;
  const cards = kept ? mine : player.page().locator("[data-machine][data-lamp=available] a");
  const count = await cards.count();
  if (count === 0) return player.rest(1_000, 3_000);
  await player.touch(cards.nth(Math.floor(player.chance.next() * count)));
  await player.page().locator(GAME).waitFor({ timeout: 20_000 });
}

/** Looks at somebody else's game for a while. */
async function watchOther(player: BrowserPlayer): Promise<void> {
  await player.rest(2_000, 12_000);
  await goToLobby(player);
}

async function goToLobby(player: BrowserPlayer): Promise<void> {
  await player.page().goto(`${player.href}/lobby`, { waitUntil: "commit", timeout: 30_000 });
  await player.rest(1_000, 2_000);
}

/** Answers the dialog that asks what becomes of the open game. `end`: the game is to be over. */
export async function answerDialog(player: BrowserPlayer, end = false): Promise<void> {
  const { chance, reconnect } = player;
  const key = (name: string) =>
    player
      .page()
      .getByRole("dialog")
      .getByRole("button", { name: reconnect[name] ?? "" });
  const wanted = end ? ["cashOut", "continue", "kick", "tryAgain"] : chance.pick([CONTINUE, CONTINUE, CASH_OUT]);
  for (const name of wanted) {
    if ((await key(name).count()) === 0) continue;
    await player.touch(key(name));
    return player.rest(1_000, 3_000);
  }
  await player.rest(1_000, 3_000);
}

const CONTINUE = ["continue", "kick", "tryAgain"];
const CASH_OUT = ["cashOut", "continue", "kick", "tryAgain", "close"];

/** One thing that somebody at a machine does. Throws when it cannot be done now. */
type Move = (player: BrowserPlayer) => Promise<void>;

const spinKey = (player: BrowserPlayer) => player.page().locator("[data-spin]");
const named = (player: BrowserPlayer, key: string) =>
  player.page().getByRole("button", { name: player.play[key] ?? "", exact: true });
const dialog = (player: BrowserPlayer) => player.page().getByRole("dialog");
const credit = async (player: BrowserPlayer) => Number(await player.page().locator(GAME).getAttribute("data-credit"));

/** The input of a choice is hidden behind its label. */
const choose = (input: HTMLElement | SVGElement): void => {
  if (input instanceof HTMLElement) input.click();
};

const spin: Move = async (player) => {
  const { device, chance } = player;
  if (!device.touch && chance.next() < 0.5) await player.page().keyboard.press("Space");
  else if (!(await spinKey(player).isDisabled({ timeout: 1_000 }))) await player.touch(spinKey(player), true);
  await player.rest(300, 3_000);
};

/** Several presses before the reels have come to rest: one game more is wanted, never two. */
const hurry: Move = async (player) => {
  for (let press = 0; press < 5; press += 1) {
    await player.touch(spinKey(player), true);
    await player.rest(80, 700);
  }
};

const changeBet: Move = async (player) => {
  const { chance } = player;
  const key = chance.pick(["lessBet", "moreBet", "maxBet"]);
  await player.touch(named(player, key), true);
  await player.rest(400, 1_200);
  // No player plays the highest stake for long.
  for (let down = 0; key !== "lessBet" && down < 4; down += 1) {
    await player.touch(named(player, "lessBet"), true);
    await player.rest(150, 300);
  }
};

const changeBand: Move = async (player) => {
  const caps = player.page().locator("main[data-phase] fieldset button[aria-pressed]");
  const count = await caps.count();
  if (count > 0) await player.touch(caps.nth(Math.floor(player.chance.next() * count)), true);
  await player.rest(200, 900);
};

const autoplay: Move = async (player) => {
  await player.touch(named(player, "auto"));
  const sheet = dialog(player);
  await sheet.waitFor();
  const choices = sheet.getByRole("radio");
  await choices.nth(Math.floor(player.chance.next() * 3)).evaluate(choose);
  await player.touch(sheet.locator("button[type=submit]"));
  await player.rest(3_000, 20_000);
  if ((await spinKey(player).getAttribute("data-state")) === "auto") await player.touch(spinKey(player), true);
};

const cashIn: Move = async (player) => {
  await player.touch(named(player, "transfer"));
  await dialog(player).getByRole("radio").first().evaluate(choose);
  const amount = String(Math.floor(player.chance.between(50, 300)));
  await player
    .page()
    .getByRole("textbox", { name: player.play["amount"] ?? "" })
    .fill(amount);
  await player.touch(player.page().locator("form button[type=submit]"));
  await dialog(player).waitFor({ state: "detached", timeout: 20_000 });
};

const cashOut: Move = async (player) => {
  await player.touch(named(player, "transfer"));
  await dialog(player).getByRole("radio").nth(1).evaluate(choose);
  await player.touch(player.page().locator("form fieldset button").last());
  await player.touch(player.page().locator("form button[type=submit]"));
  await dialog(player).waitFor({ state: "detached", timeout: 20_000 });
};

const lookAtMoney: Move = async (player) => {
  await player.touch(named(player, "transfer"));
  await player.rest(500, 3_000);
  await player.page().keyboard.press("Escape");
};

const lookAtLink: Move = async (player) => {
  const { page, chance } = player;
  await player.touch(page().locator("button[data-quality]"));
  await dialog(player).waitFor();
  if (chance.next() < 0.5) {
    await dialog(player).getByRole("radio").nth(1).evaluate(choose);
    await player.touch(dialog(player).locator("button").last());
    await player.rest(3_000, 15_000);
  }
  await page().keyboard.press("Escape");
};

const sideBar: Move = async (player) => {
  await player.touch(named(player, "sideBar"));
  await player.rest(500, 3_000);
  await player.page().keyboard.press("Escape");
  if (!player.device.touch && player.chance.next() < 0.5) await player.touch(named(player, "sideBar"));
};

const reload: Move = async (player) => {
  await player.page().reload({ waitUntil: "commit", timeout: 30_000 });
  await player.rest(500, 4_000);
};

/** The same game in one more tab: the first one is notified, and closed some time later. */
const secondTab: Move = async (player) => {
  const before = await player.newTab();
  await player.rest(4_000, 10_000);
  await before.close();
};

/** To the lobby by its address, without a word to the machine: the seat waits. */
const wander: Move = async (player) => {
  const { page, chance } = player;
  await page().goto(`${player.href}${chance.pick(["/lobby", "/profile", "/lobby"])}`, { waitUntil: "commit" });
  await player.rest(500, 6_000);
};

const back: Move = async (player) => {
  // Before the first page of a tab there is nothing to go back to.
  if (!(await player.page().evaluate(() => navigation.canGoBack))) return;
  await player.page().goBack({ waitUntil: "commit" });
  await player.rest(500, 4_000);
};

const leave: Move = async (player) => {
  await player.touch(named(player, "toLobby"));
  await confirmLeave(player.page());
  await player.page().waitForURL("**/lobby**", { timeout: 12_000, waitUntil: "commit" });
};

/** A phone in the other position, for some games. */
const turn: Move = async (player) => {
  const { device } = player;
  if (!device.touch) return;
  await player.page().setViewportSize({ width: device.height, height: device.width });
  for (let game = 0; game < 4; game += 1) await spin(player);
  await player.page().setViewportSize({ width: device.width, height: device.height });
};

/** Long enough that the venue asks whether anybody is there. */
const doze: Move = (player) => player.rest(32_000, 65_000);

const resume: Move = async (player) => {
  if ((await named(player, "continue").count()) > 0) await player.touch(named(player, "continue"));
};

export const MOVES: Readonly<Record<string, Move>> = {
  ...{ spin, hurry, changeBet, changeBand, autoplay, cashIn, cashOut, lookAtMoney, lookAtLink, sideBar },
  ...{ reload, secondTab, wander, back, leave, turn, doze, resume },
};

const WEIGHTS: readonly (readonly [number, string])[] = [
  ...([
    [60, "spin"],
    [5, "hurry"],
    [5, "changeBet"],
    [3, "changeBand"],
    [4, "autoplay"],
    [3, "cashIn"],
  ] as const),
  ...([
    [1.5, "cashOut"],
    [2, "lookAtMoney"],
    [2, "lookAtLink"],
    [3, "sideBar"],
    [2, "reload"],
  ] as const),
  ...([
    [1, "secondTab"],
    [1, "wander"],
    [0.5, "back"],
    [1.5, "leave"],
    [1, "turn"],
    [0.7, "doze"],
  ] as const),
];

/** What to do next at a machine. */
async function chooseMove(player: BrowserPlayer): Promise<string> {
  if ((await named(player, "continue").count()) > 0) return "resume";
  if ((await credit(player)) < 2_000 && player.chance.next() < 0.8) return "cashIn";
  return player.chance.weighted(WEIGHTS);
}
