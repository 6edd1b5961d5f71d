import { GAME } from "../../../e2e/page/game-page.ts";
import type { Person } from "./person.ts";

export type Place = "game" | "watch" | "reconnect" | "lobby" | "elsewhere";

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
export async function takeMachine(person: Person): Promise<void> {
  const mine = person.page().locator("[data-machine][data-mine] a");
  const kept = (await mine.count()) > 0 && person.chance.next() < 0.9;
  const cards = kept ? mine : person.page().locator("[data-machine][data-lamp=available] a");
  const count = await cards.count();
  if (count === 0) return person.rest(1_000, 3_000);
  await person.touch(cards.nth(Math.floor(person.chance.next() * count)));
  await person.page().locator(GAME).waitFor({ timeout: 20_000 });
}

/** Looks at somebody else's game for a while. */
export async function watchOther(person: Person): Promise<void> {
  await person.rest(2_000, 12_000);
  await goToLobby(person);
}

export async function goToLobby(person: Person): Promise<void> {
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
