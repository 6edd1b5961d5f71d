import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Keeper } from "./keeper.ts";
import { keepRunning } from "./keeper.ts";

let folder: string;
const keepers: Keeper[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-keeper-"));
});
afterEach(async () => {
  for (const keeper of keepers.splice(0)) await keeper.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A program of one line, kept running. `said` fills with what the person at the console reads. */
async function keep(line: string, more: Partial<Parameters<typeof keepRunning>[0]> = {}) {
  const main = join(folder, "main.mjs");
  await writeFile(main, line);
  const said: string[] = [];
  const logFile = join(folder, "program.log");
  const keeper = keepRunning({
    name: "platform",
    main,
    env: { PORT: "0" },
    logFile,
    revive: true,
    say: (words) => void said.push(words),
    ...more,
  });
  keepers.push(keeper);
  return { keeper, said };
}

const SERVES = `process.on("disconnect", () => process.exit(0));
process.send({ kind: "ready", pid: process.pid, href: "http://127.0.0.1:" + (process.env.PORT === "0" ? "4711" : process.env.PORT) });`;

test("a program that was killed comes back where it was", async () => {
  const portOf = ({ href }: { href?: string }) => ({ env: { PORT: new URL(href ?? "").port } });
  const { keeper, said } = await keep(SERVES, { keep: portOf });
  const first = await keeper.ready();
  await keeper.kill();
  await vi.waitFor(() => expect(keeper.pid()).not.toBe(first.pid), { timeout: 60_000 });
  expect(await keeper.ready()).toMatchObject({ href: "http://127.0.0.1:4711" });
  expect(said).toEqual(["The platform ended (SIGKILL); it is started again."]);
});

test("a program that never served is not started again: its last output is reported instead", async () => {
  const { keeper, said } = await keep(`process.stderr.write("The port is taken."); process.exitCode = 1;`);
  await expect(keeper.ready()).rejects.toThrow("The platform ended before it served. The port is taken.");
  await keeper.exited();
  expect(said).toEqual([]);
});

const BEATS = `${SERVES}
setInterval(() => process.send({ kind: "beat" }), 50);`;

test.each([
  ["is stopped", `setTimeout(() => process.kill(process.pid, "SIGSTOP"), 300);`],
  ["is caught in a loop", `setTimeout(() => { while (true); }, 300);`],
])("a program that %s is killed and comes back (16.5.3)", async (_what, hangs) => {
  const once = `if (process.env.PORT === "0") ${hangs}`;
  const portOf = ({ href }: { href?: string }) => ({ env: { PORT: new URL(href ?? "").port } });
  const { keeper, said } = await keep(`${BEATS}\n${once}`, { keep: portOf, silentMs: 1_500 });
  const first = await keeper.ready();
  await vi.waitFor(() => expect(keeper.pid()).not.toBe(first.pid), { timeout: 60_000 });
  await keeper.ready();
  expect(said).toEqual([
    "The platform hangs: it sent no beat for 2 s and is killed.",
    "The platform ended (SIGKILL); it is started again.",
  ]);
});
