import { parseArgs } from "node:util";
import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { addressOf, askServer } from "@longarm/database/testing/server";
import { platformMigrations } from "@longarm/platform/migration-sets";
import { seededRandom } from "../../rig/chance.ts";
import type { Part } from "../part.ts";
import { computer } from "../part.ts";
import { withServer } from "../with-server.ts";
import { WalletWorld } from "./world.ts";

const OPTIONS = [
  "--calls N     until the platform has called the operator's wallet so often (100000)",
  "--players N   who move money at the same time (40)",
  "--nodes N     platform processes on one database (3)",
  "--minutes N   at the longest (60)",
  "--seed N      of all choices; the order of answers is the database's (the time)",
];

const wholeNumber = (word: string | undefined, fallback: number): number => {
  const number = Number(word ?? fallback);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`"${word}" is no whole number from 1 on.`);
  return number;
};

/** What happens to money between the operator's wallet and ours. */
export const wallet: Part = {
  proves:
    "with the operator's own wallet, whatever calls, answers and processes are lost, no amount is lost or doubled",
  options: OPTIONS,
  async run(words, say) {
    const text = { type: "string" } as const;
    const names = { calls: text, players: text, nodes: text, minutes: text, seed: text };
    const { values } = parseArgs({ args: [...words], options: names });
    const calls = wholeNumber(values.calls, 100_000);
    const players = wholeNumber(values.players, 40);
    const nodes = wholeNumber(values.nodes, 3);
    const minutes = wholeNumber(values.minutes, 60);
    const seed = wholeNumber(values.seed, Date.now());
    say(computer());
    say(`seed ${seed}, ${players} players, ${nodes} nodes, until ${calls.toLocaleString("en-US")} calls`);
    return await withServer(async (server) => {
      const url = addressOf(server, "wallet_proof");
      await askServer(server, "create database wallet_proof");
      const database = openDatabase<unknown>({ url, maxConnections: 24, log: silentLog });
      try {
        await migrate({ pool: database.pool, sets: platformMigrations, log: silentLog });
        const world = new WalletWorld(database, seededRandom(String(seed)), { players, nodes });
        await world.begin();
        await world.run({ calls, untilMs: performance.now() + minutes * 60_000, say });
        const problems = await world.settle();
        for (const line of world.figures()) say(line);
        for (const problem of problems) say(`BROKEN: ${problem}`);
        if (problems.length === 0) say("\nEverything held.");
        return problems.length === 0;
      } finally {
        await database.close();
      }
    });
  },
};
