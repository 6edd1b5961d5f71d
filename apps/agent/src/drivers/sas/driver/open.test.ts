import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { realClock } from "../../../media/testing/real-clock.ts";
import { openSas } from "./open.ts";
import type { ProfileName } from "./profiles.ts";
import { startCabinet } from "./testing/cabinet.ts";

/* The whole driver against the cabinet, which is another program. */

/** A cabinet, and the whole driver at it. */
async function opened(profile: ProfileName) {
  const folder = await mkdtemp(join(tmpdir(), "sas-open-"));
  const cabinet = await startCabinet(join(folder, "cabinet"), ["--denomination", "1"]);
  onTestFinished(async () => {
    await cabinet.end();
    await rm(folder, { recursive: true });
  });
  const driver = await openSas({
    ...{ id: "m-1", name: "Cabinet 1", brand: "Own", address: 1, assetNumber: undefined, profile },
    ...{ line: { kind: "tcp", host: "127.0.0.1", port: cabinet.sasPort }, panel: [], presses: undefined },
    limits: { minCycleMs: 2_500, minTransfer: 1, maxTransfer: 1_000_000, autoplay: false },
    ...{ settleMs: 3_000, confirmMs: 1_500, trace: false, folder: join(folder, "driver"), clock: realClock },
    ...{ lastEvent: undefined, problem: () => undefined, timing: { pollMs: 40, loopBreakMs: 100 } },
  });
  onTestFinished(() => driver.close());
  return { cabinet, driver, folder };
}

test("two bills of the same worth are two exceptions without real-time events", async () => {
  const { cabinet, driver, folder } = await opened("plainEvents");
  await cabinet.order({ do: "bill", value: 100 });
  await cabinet.order({ do: "bill", value: 100 });
  const bills = async (): Promise<number> =>
    (await readFile(join(folder, "driver", "driver.log"), "utf8")).split('"event":{"code":76}').length - 1;
  await vi.waitFor(async () => expect(await bills()).toBe(2), { timeout: 30_000 });
  expect(await driver.egm.meters()).toMatchObject({ credit: 20_000, totals: { otherInTotal: 20_000 } });
});

test("transfers are counted by the meters that are read next, though the machine's lag behind them", async () => {
  const { cabinet, driver } = await opened("standard");
  await cabinet.order({ do: "meterDelay", ms: 1_800 });
  expect(await driver.egm.cashIn({ transferId: "in", amount: 50_000 })).toMatchObject({ outcome: "done" });
  expect(await driver.egm.meters()).toMatchObject({ credit: 50_000, totals: { cashInTotal: 50_000 } });
  expect(await driver.egm.cashOut({ transferId: "out", amount: 20_000 })).toMatchObject({ outcome: "done" });
  expect(await driver.egm.meters()).toMatchObject({ credit: 30_000, totals: { cashOutTotal: 20_000 } });
});
