import { download } from "../../apps/agent/src/media/testing/download.ts";
import { playOverLosses } from "../../apps/agent/src/media/testing/lossy-link.ts";
import type { NarrowLink } from "../../apps/agent/src/media/testing/narrow-link.ts";
import { joinLink, narrowLink } from "../../apps/agent/src/media/testing/narrow-link.ts";
import { spreadOf } from "../../rig/figures.ts";
import type { Part } from "../result.ts";

const LINK = { bitsPerSecond: 1_500_000, delayMs: 20, queueMs: 300 };
const WHERE = "1.5 Mbit/s, 20 ms each way, in virtual time";

/** How the agent's sender uses and shares a narrow link, with an encoder and a browser that are imitated: the same on every computer. */
export const link: Part = async (_, report) => {
  const alone = narrowLink(LINK);
  const viewer = joinLink(alone);
  alone.clock.advance(60_000);
  const used = (viewer.rate(5_000, 60_000) / LINK.bitsPerSecond) * 100;
  report({ what: "link used", condition: WHERE, unit: "of 100", value: used, held: atLeast(90) });
  const burst = viewer.largestBurst();
  report({ what: "largest burst, of the rate buffer", condition: WHERE, unit: "times", value: burst, held: atMost(1) });
  const gapMs = viewer.longestGapMs(0, 60_000);
  report({ what: "longest gap between frames", condition: WHERE, unit: "ms", value: gapMs, held: atMost(100) });
  alone.settings.bitsPerSecond *= 2;
  alone.clock.advance(10_000);
  const wholeMs = [...Array(90).keys()].map((at) => 60_000 + at * 100);
  const from = wholeMs.find((ms) => viewer.rate(ms, ms + 1_000) > 0.9 * alone.settings.bitsPerSecond);
  const recoveredMs = from === undefined ? null : from + 1_000 - 60_000;
  const wider = `${WHERE}, then 3 Mbit/s`;
  report({ what: "until nine tenths are used", condition: wider, unit: "ms", value: recoveredMs, held: atMost(5_000) });
  const beside = [
    { name: "a download over TCP", join: download },
    { name: "a second viewer", join: (shared: NarrowLink) => joinLink(shared) },
  ];
  for (const { name, join } of beside) {
    const shared = narrowLink(LINK);
    const one = joinLink(shared);
    shared.clock.advance(15_000);
    const other = join(shared);
    shared.clock.advance(75_000);
    const [a, b] = [one.rate(30_000, 90_000), other.rate(30_000, 90_000)];
    const fairness = (a + b) ** 2 / (2 * (a ** 2 + b ** 2));
    report({
      what: `Jain's index beside ${name}`,
      condition: WHERE,
      unit: "times",
      value: fairness,
      held: atLeast(0.9),
    });
  }
  for (const loss of [0.01, 0.03, 0.05]) {
    const runs = LOSS_SEEDS.map((seed) => playOverLosses({ loss, delayMs: 40 }, 120_000, seed));
    const condition = `${loss * 100} % loss, 40 ms each way, 120 s, in virtual time`;
    const longestMs = spreadOf(runs.map(({ longestGapMs }) => longestGapMs))?.p50 ?? null;
    report({ what: "longest gap between frames", condition, unit: "ms", value: longestMs, held: atMost(150) });
    const largest = Math.max(...runs.map(({ largestBurst }) => largestBurst));
    report({ what: "largest burst, of the rate buffer", condition, unit: "times", value: largest, held: atMost(1) });
    report({ what: "age of frames", condition, unit: "ms", value: spreadOf(runs.flatMap(({ ages }) => ages)) });
  }
};

const LOSS_SEEDS = [17, 7_936, 15_855, 23_774, 31_693];

const atLeast = (least: number) => ({ reach: { of: "figure", atLeast: least } }) as const;
const atMost = (most: number) => ({ reach: { of: "figure", atMost: most } }) as const;
