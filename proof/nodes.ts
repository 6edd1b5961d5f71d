import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Part } from "./part.ts";

const ROOT = join(import.meta.dirname, "..");
/** From the end of a node until its player plays again, at most, ms. */
const LIMIT_MS = 5_000;

/** Nodes are killed under a player in a real browser: `e2e/nodes.test.ts`, again and again, with its figures. */
export const nodes: Part = {
  proves: "a platform node is killed in mid-session, and its player plays again within 5 s on another",
  options: [
    "--times 3   how often everything is done (3); each kills the player's node, the agent's, and one that has both",
  ],
  async run(words, say) {
    const { values } = parseArgs({ args: [...words], options: { times: { type: "string", default: "3" } } });
    const times = Number(values.times);
    if (!Number.isInteger(times) || times < 1 || times > 1_000) throw new Error("--times must be 1 to 1000.");
    const folder = await mkdtemp(join(tmpdir(), "longarm-nodes-"));
    const figures = join(folder, "figures");
    try {
      let held = true;
      for (let time = 1; time <= times; time += 1) {
        const passed = await runOnce(figures, say);
        say(`run ${time} of ${times}: ${passed ? "every seat, game and credit is where it belongs" : "FAILED"}`);
        held &&= passed;
      }
      return report(await readFile(figures, "utf8").catch(() => ""), say) && held;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function runOnce(figures: string, say: (line: string) => void): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--project", "e2e", "e2e/nodes.test.ts"],
    { cwd: ROOT, env: { ...process.env, LONGARM_FIGURES: figures }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      printed += part;
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) say(printed);
  return code === 0;
}

/** Says for each kind of end how long it took; answers whether all stayed below the limit. */
function report(written: string, say: (line: string) => void): boolean {
  const found = Array.from(written.matchAll(/^(.*): (\d+) ms$/gm), ([, what = "", ms]) => ({ what, ms: Number(ms) }));
  for (const [what, all] of Map.groupBy(found, ({ what }) => what)) {
    const sorted = all.map(({ ms }) => ms).sort((one, other) => one - other);
    const median = sorted[Math.floor(sorted.length / 2)];
    say(`${what}: the player plays on after ${median} ms (median of ${sorted.length}), ${sorted.at(-1)} ms at most`);
  }
  const late = found.filter(({ ms }) => ms > LIMIT_MS);
  if (late.length > 0) say(`${late.length} of ${found.length} took longer than ${LIMIT_MS} ms.`);
  return found.length > 0 && late.length === 0;
}
