import type { Damage } from "../../rig/faults/udp-relay.ts";
import type { Condition } from "../options.ts";
import { measurePeer } from "../peer/peer.ts";
import type { Part } from "../result.ts";
import { measureOurs } from "./latency.ts";

const PLAY_MS = 12_000;
/** One way, ms. */
const DELAYS_MS = [10, 40, 80] as const;
const LOSS_SHARES = [0, 0.01, 0.03, 0.05] as const;
/** Datagrams that are lost together, on average, where losses come in bursts. */
const BURST = 3;
/** So much may loss add to the 95th percentile of the delay, and so long may the longest gap be, ms. */
const ADDED_MS_MAX = 60;
const GAP_MS_MAX = 150;

/** What loss costs, over three round trips, at random and in bursts, beside Janus, which only repeats. */
export const loss: Part = async (setup, report) => {
  for (const delayMs of DELAYS_MS) {
    let withoutLossMs: number | null = null;
    for (const damage of damagesOf(delayMs)) {
      const way: Condition = { id: "lossy", name: nameOf(damage), damage };
      setup.say(`Loss: ${way.name}`);
      const ours = await measureOurs(setup, way, PLAY_MS);
      const { name, measured } = await measurePeer(setup, way, PLAY_MS, true);
      const beside = <T>(value: T, theirs: T | undefined) => ({
        value,
        held: { peer: { name, value: theirs ?? null } },
      });
      const ms = { condition: way.name, unit: "ms" } as const;
      report({ ...ms, what: "glass to glass", ...beside(ours.ages, measured?.ages) });
      const p95 = ours.ages?.p95 ?? null;
      if (damage.lossShare === 0) withoutLossMs = p95;
      else {
        const added = p95 === null || withoutLossMs === null ? null : Math.max(0, p95 - withoutLossMs);
        const reach = { of: "figure", atMost: ADDED_MS_MAX } as const;
        report({ ...ms, what: "glass to glass, p95 above the path without loss", value: added, held: { reach } });
      }
      const gap = beside(ours.longestGapMs, measured?.longestGapMs);
      const reach = { of: "figure", atMost: GAP_MS_MAX } as const;
      report({ ...ms, what: "longest gap between pictures", ...gap, held: { ...gap.held, reach } });
      report({
        ...{ condition: way.name, unit: "a second", what: "pictures" },
        ...beside(ours.picturesPerSecond, measured?.picturesPerSecond),
      });
      report({ condition: way.name, unit: "Mbit/s", what: "sent to the page", value: ours.sentMbps });
    }
  }
};

function damagesOf(delayMs: number): Damage[] {
  const random = LOSS_SHARES.map((lossShare) => ({ lossShare, delayMs }));
  return delayMs === 40 ? [...random, { lossShare: 0.03, delayMs, burst: BURST }] : random;
}

function nameOf({ lossShare, delayMs, burst }: Damage): string {
  return `${lossShare * 100} % loss${burst === undefined ? "" : ` in bursts of ${burst}`}, ${delayMs} ms each way`;
}
