import { setTimeout as pause } from "node:timers/promises";
import type { Player } from "../../e2e/player/player.ts";
import { allOf, signIn } from "../../e2e/player/player.ts";

const EVERY_MS = 100;
const AMOUNT = 10_000;

/** What an honest player has seen. */
export type Seen = {
  readonly asked: number;
  /** One sentence for each thing that went wrong. */
  readonly failures: readonly string[];
  /** How often the game socket was lost and opened again, as a page does it. */
  readonly reopened: number;
  /** How long calls and messages took, ms, sorted. */
  readonly tookMs: readonly number[];
};

/** Signs in, plays a machine, moves money to and fro and asks for its balance, until it is told to stop. */
export async function playHonestly(href: string, machineId: string, isOver: () => boolean): Promise<Seen> {
  const failures: string[] = [];
  const tookMs: number[] = [];
  const timed = async (what: string, run: () => Promise<boolean>): Promise<void> => {
    const from = performance.now();
    const well = await run().catch((error: unknown) => {
      failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      return true;
    });
    if (!well) failures.push(`${what} was not done`);
    tookMs.push(performance.now() - from);
  };

  let player: Player | undefined;
  await timed("the sign-in", async () => {
    player = await signIn(href);
    return true;
  });
  if (player === undefined) return { asked: 1, failures, reopened: 0, tookMs };
  const me = player;
  const before = allOf(await me.balance());
  let reopened = 0;
  let page = await me.open(machineId);
  await timed("init", async () => (await page.init()).is === "done");
  /** A page whose socket was lost comes back to its seat, and asks again with the same id. */
  const money = async (method: "cashIn" | "cashOut", id: string): Promise<boolean> => {
    const answer = await page.peer.request(method, { id, amount: AMOUNT });
    if (answer.is === "done" || !page.peer.closed) return answer.is === "done";
    reopened += 1;
    page = await me.open(machineId);
    return (await page.init()).is === "done" && (await page.peer.request(method, { id, amount: AMOUNT })).is === "done";
  };
  for (let round = 0; !isOver(); round += 1) {
    const method = round % 2 === 0 ? "cashIn" : "cashOut";
    await timed(method, () => money(method, `flood-${method}-${round}`));
    await timed("the balance", async () => allOf(await me.balance()) === before);
    await timed("the lobby", async () => (await me.machines()).length > 0);
    for (const path of ["/healthz", "/readyz"])
      await timed(path, async () => (await fetch(`${href}${path}`)).status === 200);
    await pause(EVERY_MS);
  }
  await timed("leave", async () => {
    if (page.peer.closed) {
      reopened += 1;
      page = await me.open(machineId);
      await page.init();
    }
    return (await page.peer.request("leave", {})).is === "done";
  });
  await timed("the wallet at the end", async () => (await me.balance()).balance === before);
  return { asked: tookMs.length, failures, reopened, tookMs: tookMs.sort((one, other) => one - other) };
}
