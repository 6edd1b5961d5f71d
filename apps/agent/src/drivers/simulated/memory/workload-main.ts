/**
 * Plays on a machine without end and says on standard output what it asks and what it was answered, for the power cut tests:
 * node workload-main.ts <folder> <prefix>. Not part of the product.
 */
import { writeSync } from "node:fs";
import { randomOf } from "@longarm/reels/game/random";
import type { Clock } from "../../../ports/clock.ts";
import { powerUp } from "../machine.ts";

const [folder = "", prefix = ""] = process.argv.slice(2);
const clock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  every(periodMs, run) {
    const timer = setInterval(run, periodMs);
    return () => clearInterval(timer);
  },
};
/** Written at once, so that what the parent has read happened before the cut. */
const say = (line: unknown): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

const { egm } = await powerUp({ id: "m1", name: "M", brand: "nar", folder, seed: "cut", clock, minCycleMs: 10 });
const random = randomOf(prefix, "workload");
say({ ready: await egm.meters() });
for (let n = 0; ; n += 1) {
  const transferId = `${prefix}-${n}`;
  const choice = random.whole(4);
  try {
    if (choice === 0) {
      const amount = 100 + random.whole(50_000);
      say({ ask: transferId });
      say({ id: transferId, answer: await egm.cashIn({ transferId, amount }) });
    } else if (choice === 1) {
      say({ ask: transferId });
      say({ id: transferId, answer: await egm.cashOut({ transferId, amount: 100 + random.whole(20_000) }) });
    } else say({ game: await egm.press({ button: "spin" }) });
    say({ totals: (await egm.meters()).totals });
  } catch (error) {
    say({ fault: (error as Error).message, id: transferId });
    process.exit(3);
  }
}
