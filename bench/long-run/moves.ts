import { confirmLeave, GAME } from "../../rig/page/game-page.ts";
import type { Counts } from "./counts.ts";
import type { Person } from "./person.ts";

/** Somebody whose page is neither a game nor the lobby for so long signs in again, ms. */
const LOST_MS = 20_000;

type LiveDeps = {
  readonly counts: Counts;
  /** Told of each thing that was done, and of what stood in its way. */
  readonly trace: (line: string) => void;
  readonly goesOn: () => boolean;
};

/** Plays until told to stop. Whatever cannot be done now is tried otherwise, as people do. */
export async function live(person: Person, { counts, trace, goesOn }: LiveDeps): Promise<void> {
  let lostAt: number | undefined;
  while (goesOn()) {
    const doing = await next(person).catch(() => undefined);
    if (doing === undefined) {
      lostAt ??= performance.now();
      await person.rest(300, 700);
      if (performance.now() - lostAt < LOST_MS) continue;
      lostAt = undefined;
      counts.add("is lost");
      trace("is lost");
      await findWay(person).catch(() => {});
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
    await person
      .page()
      .keyboard.press("Escape")
      .catch(() => {});
    await person.rest(300, 700);
  }
}

/** To the lobby, and where it is closed over the form. */
async function findWay(person: Person): Promise<void> {
  await goToLobby(person);
  if (!new URL(person.page().url()).pathname.startsWith("/lobby")) await person.logIn();
}

async function next(person: Person): Promise<{ name: string; go(): Promise<void> } | undefined> {
  switch (await whereIs(person)) {
    case "reconnect":
      return { name: "answers the dialog", go: () => answerDialog(person) };
    case "lobby":
      return { name: "takes a machine", go: () => takeMachine(person) };
    case "watch":
      return { name: "watches", go: () => watchOther(person) };
    case "game": {
      const name = await chooseMove(person);
      return { name, go: async () => await MOVES[name]?.(person) };
    }
    default:
      return undefined;
  }
}

type Place = "game" | "watch" | "reconnect" | "lobby" | "elsewhere";

/** Where the page is, once it says so. */
export async function whereIs(person: Person): Promise<Place> {
  const { pathname } = new URL(person.page().url());
  const is = (what: string) => person.page().locator(what).count();
  if ((await is("[data-variant]")) > 0) return "reconnect";
  if (pathname.startsWith("/watch/")) return "watch";
  if ((await is(GAME)) > 0) return "game";
  if (pathname.startsWith("/lobby") && (await is("[data-machine]")) > 0) return "lobby";
  return "elsewhere";
}

/** Back to the machine that is kept, else to a free one, or to look at one whose seat was just taken. */
async function takeMachine(person: Person): Promise<void> {
  const mine = person.page().locator("[data-machine][data-mine] a");
  const kept = (await mine.count()) > 0 && person.chance.next() < 0.9;
  const cards = kept ? mine : person.page().locator("[data-machine][data-lamp=available] a");
  const count = await cards.count();
  if (count === 0) return person.rest(1_000, 3_000);
  await person.touch(cards.nth(Math.floor(person.chance.next() * count)));
  await person.page().locator(GAME).waitFor({ timeout: 20_000 });
}

/** Looks at somebody else's game for a while. */
async function watchOther(person: Person): Promise<void> {
  await person.rest(2_000, 12_000);
  await goToLobby(person);
}

async function goToLobby(person: Person): Promise<void> {
  await person.page().goto(`${person.href}/lobby`, { waitUntil: "commit", timeout: 30_000 });
  await person.rest(1_000, 2_000);
}

/** Answers the dialog that asks what becomes of the open game. `end`: the game is to be over. */
export async function answerDialog(person: Person, end = false): Promise<void> {
  const { chance, reconnect } = person;
  const key = (name: string) =>
    person
      .page()
      .getByRole("dialog")
      .getByRole("button", { name: reconnect[name] ?? "" });
  const wanted = end ? ["cashOut", "continue", "kick", "tryAgain"] : chance.pick([CONTINUE, CONTINUE, CASH_OUT]);
  for (const name of wanted) {
    if ((await key(name).count()) === 0) continue;
    await person.touch(key(name));
    return person.rest(1_000, 3_000);
  }
  await person.rest(1_000, 3_000);
}

const CONTINUE = ["continue", "kick", "tryAgain"];
const CASH_OUT = ["cashOut", "continue", "kick", "tryAgain", "close"];

/** One thing that somebody at a machine does. Throws when it cannot be done now. */
type Move = (person: Person) => Promise<void>;

const spinKey = (person: Person) => person.page().locator("[data-spin]");
const named = (person: Person, key: string) =>
  person.page().getByRole("button", { name: person.play[key] ?? "", exact: true });
const dialog = (person: Person) => person.page().getByRole("dialog");
const credit = async (person: Person) => Number(await person.page().locator(GAME).getAttribute("data-credit"));

/** The input of a choice is hidden behind its label. */
const choose = (input: HTMLElement | SVGElement): void => {
  if (input instanceof HTMLElement) input.click();
};

const spin: Move = async (person) => {
  const { device, chance } = person;
  if (!device.touch && chance.next() < 0.5) await person.page().keyboard.press("Space");
  else if (!(await spinKey(person).isDisabled({ timeout: 1_000 }))) await person.touch(spinKey(person), true);
  await person.rest(300, 3_000);
};

/** Several presses before the reels have come to rest: one game more is wanted, never two. */
const hurry: Move = async (person) => {
  for (let press = 0; press < 5; press += 1) {
    await person.touch(spinKey(person), true);
    await person.rest(80, 700);
  }
};

const changeBet: Move = async (person) => {
  const { chance } = person;
  const key = chance.pick(["lessBet", "moreBet", "maxBet"]);
  await person.touch(named(person, key), true);
  await person.rest(400, 1_200);
  // Nobody plays the dearest stake for long.
  for (let down = 0; key !== "lessBet" && down < 4; down += 1) {
    await person.touch(named(person, "lessBet"), true);
    await person.rest(150, 300);
  }
};

const changeBand: Move = async (person) => {
  const caps = person.page().locator("main[data-phase] fieldset button[aria-pressed]");
  const count = await caps.count();
  if (count > 0) await person.touch(caps.nth(Math.floor(person.chance.next() * count)), true);
  await person.rest(200, 900);
};

const autoplay: Move = async (person) => {
  await person.touch(named(person, "auto"));
  const sheet = dialog(person);
  await sheet.waitFor();
  const choices = sheet.getByRole("radio");
  await choices.nth(Math.floor(person.chance.next() * 3)).evaluate(choose);
  await person.touch(sheet.locator("button[type=submit]"));
  await person.rest(3_000, 20_000);
  if ((await spinKey(person).getAttribute("data-state")) === "auto") await person.touch(spinKey(person), true);
};

const cashIn: Move = async (person) => {
  await person.touch(named(person, "transfer"));
  await dialog(person).getByRole("radio").first().evaluate(choose);
  const amount = String(Math.floor(person.chance.between(50, 300)));
  await person
    .page()
    .getByRole("textbox", { name: person.play["amount"] ?? "" })
    .fill(amount);
  await person.touch(person.page().locator("form button[type=submit]"));
  await dialog(person).waitFor({ state: "detached", timeout: 20_000 });
};

const cashOut: Move = async (person) => {
  await person.touch(named(person, "transfer"));
  await dialog(person).getByRole("radio").nth(1).evaluate(choose);
  await person.touch(person.page().locator("form fieldset button").last());
  await person.touch(person.page().locator("form button[type=submit]"));
  await dialog(person).waitFor({ state: "detached", timeout: 20_000 });
};

const lookAtMoney: Move = async (person) => {
  await person.touch(named(person, "transfer"));
  await person.rest(500, 3_000);
  await person.page().keyboard.press("Escape");
};

const lookAtLink: Move = async (person) => {
  const { page, chance } = person;
  await person.touch(page().locator("button[data-quality]"));
  await dialog(person).waitFor();
  if (chance.next() < 0.5) {
    await dialog(person).getByRole("radio").nth(1).evaluate(choose);
    await person.touch(dialog(person).locator("button").last());
    await person.rest(3_000, 15_000);
  }
  await page().keyboard.press("Escape");
};

const sideBar: Move = async (person) => {
  await person.touch(named(person, "sideBar"));
  await person.rest(500, 3_000);
  await person.page().keyboard.press("Escape");
  if (!person.device.touch && person.chance.next() < 0.5) await person.touch(named(person, "sideBar"));
};

const reload: Move = async (person) => {
  await person.page().reload({ waitUntil: "commit", timeout: 30_000 });
  await person.rest(500, 4_000);
};

/** The same game in one more tab: the first one is told, and shut some time later. */
const secondTab: Move = async (person) => {
  const before = await person.newTab();
  await person.rest(4_000, 10_000);
  await before.close();
};

/** To the lobby by its address, without a word to the machine: the seat waits. */
const wander: Move = async (person) => {
  const { page, chance } = person;
  await page().goto(`${person.href}${chance.pick(["/lobby", "/profile", "/lobby"])}`, { waitUntil: "commit" });
  await person.rest(500, 6_000);
};

const back: Move = async (person) => {
  // Before the first page of a tab there is nothing to go back to.
  if (!(await person.page().evaluate(() => navigation.canGoBack))) return;
  await person.page().goBack({ waitUntil: "commit" });
  await person.rest(500, 4_000);
};

const leave: Move = async (person) => {
  await person.touch(named(person, "toLobby"));
  await confirmLeave(person.page());
  await person.page().waitForURL("**/lobby**", { timeout: 12_000, waitUntil: "commit" });
};

/** A phone in the other position, for some games. */
const turn: Move = async (person) => {
  const { device } = person;
  if (!device.touch) return;
  await person.page().setViewportSize({ width: device.height, height: device.width });
  for (let game = 0; game < 4; game += 1) await spin(person);
  await person.page().setViewportSize({ width: device.width, height: device.height });
};

/** Long enough that the venue asks whether anybody is there. */
const doze: Move = (person) => person.rest(32_000, 65_000);

const goOn: Move = async (person) => {
  if ((await named(person, "continue").count()) > 0) await person.touch(named(person, "continue"));
};

export const MOVES: Readonly<Record<string, Move>> = {
  ...{ spin, hurry, changeBet, changeBand, autoplay, cashIn, cashOut, lookAtMoney, lookAtLink, sideBar },
  ...{ reload, secondTab, wander, back, leave, turn, doze, goOn },
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
async function chooseMove(person: Person): Promise<string> {
  if ((await named(person, "continue").count()) > 0) return "goOn";
  if ((await credit(person)) < 2_000 && person.chance.next() < 0.8) return "cashIn";
  return person.chance.weighted(WEIGHTS);
}
