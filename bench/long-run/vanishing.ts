import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LifeDeps } from "./life.ts";
import { rest } from "./life.ts";
import type { VanishingAsk } from "./vanishing-main.ts";

const PROCESS = fileURLToPath(new URL("./vanishing-main.ts", import.meta.url));
/** From coming to vanishing, the process' own start included, ms. */
const STAYS_MS = [6_000, 25_000] as const;
/** Sometimes back before the seat is given up, sometimes after it. */
const AWAY_MS = [500, 12_000] as const;

/** Two people whose computer loses its power again and again. */
export async function vanishAgainAndAgain(
  { chance, note, goesOn }: Pick<LifeDeps, "chance" | "note" | "goesOn">,
  ask: VanishingAsk,
): Promise<void> {
  for (let time = 1; goesOn(); time += 1) {
    const given = { ...ask, seed: `${ask.seed} ${time}` };
    const child = fork(PROCESS, [JSON.stringify(given)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const ended = once(child, "exit");
    child.on("message", (deed) => note(String(deed)));
    await rest({ chance, goesOn }, ...STAYS_MS);
    child.kill("SIGKILL");
    await ended;
    note("vanishes");
    await rest({ chance, goesOn }, ...AWAY_MS);
  }
}
