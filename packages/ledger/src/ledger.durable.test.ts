import { pollUntil, systemClock } from "@longarm/database/clock";
import { openDatabase } from "@longarm/database/connection";
import type { EmbeddedPostgres } from "@longarm/database/embedded-server";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ledger } from "./ledger.ts";
import { openLedger } from "./ledger.ts";
import { ledgerMigrations } from "./migrations.ts";

const WRITERS = 8;

let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
let server: EmbeddedPostgres;
beforeAll(async () => {
  data = await temporaryDataFolder();
  server = await startEmbeddedPostgres({ folder: data.folder, log: silentLog, clock: systemClock });
});
afterAll(async () => {
  await server.stop();
  await data.remove();
});

/** Writes until the server is gone; notes what was acknowledged, and the command that was under way. */
async function writeUntilGone(ledger: Ledger, writer: number, acknowledged: string[], open: string[]): Promise<void> {
  for (let step = 0; ; step += 1) {
    const id = `w${writer}-${step}`;
    const command = { id, kind: "deposit", from: "cage", to: `player:w${writer}`, amountMinor: 1 } as const;
    const answer = await ledger.transfer(command).catch(() => undefined);
    if (!answer) {
      open.push(id);
      return;
    }
    acknowledged.push(id);
  }
}

test("the server is killed under load: all that was acknowledged is there, and repeating the rest does nothing twice", async () => {
  const { pool, close } = openDatabase({ url: server.url, maxConnections: WRITERS, log: silentLog });
  await migrate({ pool, sets: [ledgerMigrations], log: silentLog });
  const ledger = openLedger(pool);
  const acknowledged: string[] = [];
  const open: string[] = [];
  const writers = Array.from({ length: WRITERS }, (_, writer) => writeUntilGone(ledger, writer, acknowledged, open));
  await pollUntil(systemClock, 20_000, () => (acknowledged.length >= 200 ? true : undefined));
  process.kill(server.pid(), "SIGKILL");
  await Promise.all(writers);

  // The runner starts it again by itself, on the same address.
  const back = await pollUntil(systemClock, 30_000, () => ledger.verify().catch(() => undefined));
  expect(back).toEqual([]);
  for (const id of acknowledged) expect(await ledger.findTransfer(id)).toBeDefined();
  for (const id of open) {
    const writer = id.slice(1, id.indexOf("-"));
    const answer = await ledger.transfer({
      id,
      kind: "deposit",
      from: "cage",
      to: `player:w${writer}`,
      amountMinor: 1,
    });
    expect(answer.is).toBe("done");
  }
  const players = await ledger.accounts(Array.from({ length: WRITERS }, (_, writer) => `player:w${writer}`));
  const total = players.reduce((sum, { balanceMinor }) => sum + balanceMinor, 0);
  expect(total).toBe(acknowledged.length + open.length);
  expect(await ledger.verify()).toEqual([]);
  await close();
});
