/** @module-tag long */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@longarm/database/clock";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { addressOf } from "@longarm/database/testing/server";
import { ask } from "@longarm/database/testing/temporary-venue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allOf, ELIF, signIn, sitAt } from "../rig/player.ts";
import { longarm, runLongarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/* A backup in the middle of two players' games, a floor that keeps playing, and a venue that starts on the restored data. */

const SOON = { timeout: 120_000, interval: 200 };
let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
let venue: TestVenue | undefined;

beforeAll(async () => {
  data = await temporaryDataFolder();
  server = await startEmbeddedPostgres({
    folder: join(data.folder, "server"),
    log: silentLog,
    clock: systemClock,
    fast: true,
  });
});
afterAll(async () => {
  await venue?.close();
  await server?.stop();
  await data?.remove();
});

const OPEN_AT_NAR_01 = `select json_agg(json_build_object('id', d.id, 'money', t.id is not null))
  from discrepancy d left join ledger.transfers t on t.id = d.transfer_id where d.machine_id = 'nar-01'`;

const open = async (databaseUrl: string): Promise<TestVenue> => {
  const dataFolder = join(data.folder, "floor");
  await mkdir(dataFolder, { recursive: true });
  venue = await openTestVenue({
    databaseUrl,
    dataFolder,
    machines: 2,
    nodes: 1,
    platformEnv: { NODE_LEASE_MS: "3000" },
  });
  return venue;
};

async function emptyDatabase(name: string): Promise<string> {
  await ask(server.url, `create database ${name}`);
  return addressOf(server.url, name);
}

test("a venue backed up in mid-game is restored although its machines played on: nothing is lost, doubled or given to another player", async () => {
  const first = await open(server.url);
  const [deniz, elif] = [await signIn(first.href), await signIn(first.href, ELIF)];
  const own = await sitAt(deniz, "nar-01");
  const theirs = (await deniz.machines()).find(({ id }) => id !== "nar-01")?.id ?? "";
  const other = await sitAt(elif, theirs);
  await own.cashIn("deniz-cash-in", 30_000);
  await other.cashIn("elif-cash-in", 40_000);
  await other.play();
  await own.spin();
  const file = join(data.folder, "mid-game.backup");
  expect(await longarm(first, "backup", file)).toContain("It was written whole.");
  const wallets = { deniz: (await deniz.balance()).balance, elif: (await elif.balance()).balance };
  // The floor keeps playing: Deniz stays and plays, Elif gets up and sits down again.
  await expect.poll(() => own.meters().inGame, SOON).toBe(false);
  await own.play();
  await other.leave();
  const again = await sitAt(elif, theirs);
  await again.cashIn("elif-cash-in-2", 5_000);
  const onMachine = own.meters().credit;
  const token = deniz.token;
  await first.close();
  venue = undefined;

  const url = await emptyDatabase("restored");
  const said = await longarm({ databaseUrl: url }, "restore", file);
  expect(said).toContain("The ledger keeps its rules, and its sums are those of the backup.");
  const known = Number(await ask(url, "select balance_minor from ledger.accounts where address = 'machine:nar-01'"));
  const second = await open(url);
  expect((await fetch(`${second.href}/v1/machine/all`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(
    401,
  );
  const differing = async () => await second.ask("select count(distinct machine_id)::int as answer from discrepancy");
  await expect.poll(differing, SOON).toBe(2);
  // No other player sat at Deniz's machine, so its credits are Deniz's as far as the books have them: a later win is for staff to pay.
  // Elif's seat was taken anew since: those credits are not given out.
  const back = await signIn(second.href);
  await expect
    .poll(async () => await back.balance(), SOON)
    .toEqual({ balance: wallets.deniz + Math.min(onMachine, known) });
  const elifBack = await signIn(second.href, ELIF);
  await expect.poll(() => elifBack.balance(), SOON).toEqual({ balance: wallets.elif });
  // The wallet is paid a moment before the play session is closed and its machine compared.
  const taken = async () => await second.ask("select count(*)::int as answer from seat where state <> 'free'");
  await expect.poll(taken, SOON).toBe(0);
  expect(await second.ledger.verify()).toEqual([]);
  // Staff explains the difference; then the machine is open again.
  expect((await (await back.open("nar-01")).init()).is).toBe("refused");
  const rows = (await ask(url, OPEN_AT_NAR_01)) as { id: number; money: boolean }[];
  for (const { id, money } of rows)
    await longarm(
      second,
      "suspense",
      "explain",
      String(id),
      "--reason",
      "restored",
      ...(money ? ["--to", "house"] : []),
    );
  const device = await sitAt(back, "nar-01");
  await device.cashIn("deniz-after", 10_000);
  await device.play();
  await device.leave();
  expect(allOf(await back.balance())).toBeGreaterThan(0);
  expect(await longarm(second, "audit", "verify")).toContain("The audit log is whole");
  expect((await runLongarm({ databaseUrl: url }, ["restore", file])).complained.join()).toContain(
    "The database is not empty",
  );
}, 600_000);
