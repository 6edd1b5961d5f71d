import { setTimeout as pause } from "node:timers/promises";
import { DEMO_DEPOSIT_MINOR } from "../../launcher/seed.ts";
import { GAME } from "../../rig/page/game-page.ts";
import { allOf, playerIdOf, signIn } from "../../rig/player.ts";
import type { HourVenue } from "./hour-venue.ts";
import { answerDialog, MOVES, whereIs } from "./moves.ts";
import type { Person } from "./person.ts";

export type Books = { readonly line: string; readonly faults: readonly string[] };

/** Gets up from whatever machine it is, and waits until no credit is anywhere but in the wallet. */
export async function settle(person: Person, venue: HourVenue, limitMs: number): Promise<boolean> {
  const { balance } = await signIn(venue.href, person.credentials);
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt) {
    const { onMachine = 0, pending = 0 } = await balance();
    const place = await whereIs(person).catch(() => "elsewhere" as const);
    if (onMachine === 0 && pending === 0 && place !== "game") return true;
    if (place === "reconnect") await answerDialog(person, true).catch(() => {});
    else if (place === "game") await getUp(person);
    else
      await person
        .page()
        .goto(`${venue.href}/lobby`, { waitUntil: "commit" })
        .catch(() => {});
    await pause(1_500);
  }
  return false;
}

/** A game that still runs, or free spins, must end first; a bonus waits for a press. */
async function getUp(person: Person): Promise<void> {
  const main = person.page().locator(GAME);
  const turning = (await main.getAttribute("data-turning").catch(() => null)) === "true";
  if (turning) await person.touch(person.page().locator("[data-spin]"), true).catch(() => {});
  await person
    .page()
    .keyboard.press("Escape")
    .catch(() => {});
  await MOVES["leave"]?.(person).catch(() => {});
}

/** The wallet against what was played: by the platform's history of games, by its play sessions, and by the ledger's own entries. */
export async function readBooks(person: Person, venue: HourVenue): Promise<Books> {
  const player = await signIn(venue.href, person.credentials);
  const id = playerIdOf(player);
  const one = async (sql: string) => Number(await venue.ask(sql));
  const wallet = allOf(await player.balance());
  const sessions = await one(
    `select coalesce(sum(net), 0)::bigint as answer from play_session where player_id = '${id}'`,
  );
  const games = await one(
    `select coalesce(sum(game.win - game.stake), 0)::bigint as answer from game join play_session on play_session.id = game.play_session_id where player_id = '${id}'`,
  );
  const count = await one(
    `select count(*)::int as answer from game join play_session on play_session.id = game.play_session_id where player_id = '${id}'`,
  );
  const entries = await one(
    `select coalesce(sum(amount), 0)::bigint as answer from wallet_entry where player_id = '${id}'`,
  );
  const expected = DEMO_DEPOSIT_MINOR + games;
  const faults = [
    wallet !== expected && `the wallet has ${wallet}, deposit and games make ${expected}`,
    sessions !== games && `the play sessions' net is ${sessions}, their games make ${games}`,
    entries !== wallet && `the wallet's entries make ${entries}, the wallet has ${wallet}`,
  ].filter((fault) => fault !== false);
  return { line: `${person.name}: ${count} games, net ${games}, wallet ${wallet}`, faults };
}

/** What the whole venue must have kept right. */
export async function venueFaults(venue: HourVenue): Promise<string[]> {
  const breaches = await venue.ledger.verify();
  const discrepancies = Number(await venue.ask("select count(*)::int as answer from discrepancy"));
  return [
    ...breaches.map((breach) => `the ledger: ${JSON.stringify(breach)}`),
    ...(discrepancies > 0 ? [`${discrepancies} discrepancies between machines and books`] : []),
  ];
}
