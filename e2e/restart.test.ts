import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../launcher/venue.ts";
import { allOf, ELIF, signIn } from "../rig/player.ts";
import type { StartCommand } from "../rig/venue/start-command.ts";
import { runStart } from "../rig/venue/start-command.ts";

/* The command that a person types, on one data folder: it is closed, killed and started again. */

const SOON = { timeout: 30_000, interval: 50 };
const MACHINE = "nar-01";
const BET = 50_000;
let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
let running: StartCommand | undefined;

beforeAll(async () => {
  data = await temporaryDataFolder();
});
afterAll(async () => {
  await running?.close();
  await data?.remove();
});

async function start(): Promise<string> {
  running = runStart(data.folder);
  return await running.href;
}

test("wallets, credits and the seat survive a second start, and a kill -9 of every process", async () => {
  const first = await signIn(await start());
  expect(running?.printed()).toMatch(/Log in as\s+deniz\.aydin\s+password longarm/);
  const all = allOf(await first.balance());
  const page = await first.open(MACHINE);
  await expect.poll(() => page.init(), SOON).toMatchObject({ is: "done" });
  expect(await page.peer.request("cashIn", { id: "survives-it-all", amount: BET })).toMatchObject({
    data: { outcome: "done", amount: BET },
  });
  const kept = { balance: all - BET, onMachine: BET };
  expect(await first.balance()).toEqual(kept);

  expect(await running?.close()).toBe(0);
  const second = await signIn(await start());
  expect(await second.balance()).toEqual(kept);

  // The command, platform, agent and the database's own processes.
  expect(await running?.killAll()).toBeGreaterThan(5);
  const third = await signIn(await start());
  expect(await third.balance()).toEqual(kept);
  const back = await third.open(MACHINE);
  await expect
    .poll(() => back.init(), SOON)
    .toMatchObject({ is: "done", data: { meters: { credit: BET }, machine: { status: 3 } } });
  // The same id again after all that is the same command.
  expect(await back.peer.request("cashIn", { id: "survives-it-all", amount: BET })).toMatchObject({
    data: { outcome: "done", amount: BET },
  });
  expect(await third.balance()).toEqual(kept);
  await expect
    .poll(() => back.peer.request("leave", {}), SOON)
    .toMatchObject({ is: "done", data: { outcome: "done", amount: BET } });
  await expect.poll(() => third.balance(), SOON).toEqual({ balance: all });

  // The fresh floor got its sample days, and what was played follows on them.
  const shown = await longarm("reports", "show", "--from", "2026-01-01", "--to", "2035-12-31", "--by", "day");
  expect(shown.stdout.split("\n").filter((line) => /^\d{4}-\d\d-\d\d /.test(line)).length).toBeGreaterThanOrEqual(14);
  expect((await longarm("reports", "prove")).stdout).toContain("exactly what it is made of");
});

const longarm = async (...args: string[]) =>
  await promisify(execFile)(
    process.execPath,
    [join(ROOT, "apps/platform/src/cli/main.ts"), ...args, "--data", data.folder],
    { env: { ...process.env, DATABASE_URL: "" } },
  );

test("staff grants a bonus beside the running command; it and that of the demo are claimed once, also over a start", {
  tags: ["long"],
}, async () => {
  const claims = async (href: string) => {
    const elif = await signIn(href, ELIF);
    return async () => (await (await elif.call("player/bonus")).json()) as object;
  };
  const claim = await claims((await running?.href) ?? "");
  expect(await claim()).toEqual({ status: true, code: 20000, Params: { amount: 25_000 } });
  expect(await claim()).toMatchObject({ code: 60020 });

  const granted = await longarm(
    "promotions",
    "grant",
    "--player",
    "elif.kaya",
    "--amount",
    "1.50",
    "--reason",
    "a test",
    "--as-root",
    "a test",
  );
  expect(granted.stdout).toMatch(/^Granted 1\.50 to elif\.kaya/);
  // One bonus, and how many they are.
  expect(
    (await longarm("promotions", "list", "--open", "--player", "elif.kaya")).stdout.trim().split("\n"),
  ).toHaveLength(2);
  expect(await claim()).toEqual({ status: true, code: 20000, Params: { amount: 150 } });

  expect(await running?.close()).toBe(0);
  await expect(longarm("promotions", "list")).rejects.toThrow("No running database in");
  const again = await claims(await start());
  expect(await again()).toMatchObject({ code: 60020 });
});
