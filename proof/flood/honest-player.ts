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
  if (player === undefined) return { asked: 1, failures, tookMs };
  const me = player;
  const before = allOf(await me.balance());
  const page = await me.open(machineId);
  await timed("init", async () => (await page.init()).is === "done");
  for (let round = 0; !isOver(); round += 1) {
    const method = round % 2 === 0 ? "cashIn" : "cashOut";
    const id = `flood-${method}-${round}`;
    await timed(method, async () => (await page.peer.request(method, { id, amount: AMOUNT })).is === "done");
    await timed("the balance", async () => allOf(await me.balance()) === before);
    await timed("the lobby", async () => (await me.machines()).length > 0);
    for (const path of ["/healthz", "/readyz"])
      await timed(path, async () => (await fetch(`${href}${path}`)).status === 200);
    await pause(EVERY_MS);
  }
  await timed("leave", async () => (await page.peer.request("leave", {})).is === "done");
  await timed("the wallet at the end", async () => (await me.balance()).balance === before);
  return { asked: tookMs.length, failures, tookMs: tookMs.sort((one, other) => one - other) };
}
