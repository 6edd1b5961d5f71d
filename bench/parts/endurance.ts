import type { CDPSession } from "playwright-core";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { PageHeld, ProgramHeld } from "../figures/held.ts";
import { pageHeld, programHeld } from "../figures/held.ts";
import { openPlayer } from "../rig/player.ts";
import type { Rig } from "../rig/rig.ts";
import { MACHINES } from "../rig/rig.ts";
import type { Part } from "./part.ts";

/** Compilers, buffers and pools come to their size first, ms. */
const WARM_UP_MS = 60_000;
const PLAY_MS = 600_000;
/** Played out of before more is brought, minor units: many games' stakes. */
const CREDIT_MIN = 40_000;

/** What page and agent hold after a minute of play, and ten minutes later. Asked for by name: it takes eleven minutes. */
export const endurance: Part = async (rig, tell) => {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(rig, player, null);
  try {
    const cdp = await bench.page.context().newCDPSession(bench.page);
    await bench.sitDown(MACHINES[0]);
    await bench.cashIn();
    rig.say(`Endurance: a minute of play, then ${PLAY_MS / 60_000} more`);
    await bench.spinFor(WARM_UP_MS);
    const before = await held(rig, cdp);
    const endsAt = performance.now() + PLAY_MS;
    let games = 0;
    while (performance.now() < endsAt) {
      games += (await bench.spinFor(Math.min(30_000, endsAt - performance.now()))).presses;
      if ((await bench.credit()) < CREDIT_MIN) await bench.cashIn();
      // The bench's own list of pictures would grow in the page.
      await bench.take();
    }
    const after = await held(rig, cdp);
    for (const [condition, now] of [
      ["after 1 min", before],
      [`after ${1 + PLAY_MS / 60_000} min, ${games} games`, after],
    ] as const) {
      tell({ what: "page: memory of scripts", condition, unit: "MB", value: now.page.heapMb });
      tell({ what: "page: nodes", condition, unit: "times", value: now.page.nodes });
      tell({ what: "page: listeners", condition, unit: "times", value: now.page.listeners });
      tell({ what: "agent: memory (resident)", condition, unit: "MB", value: now.agent.residentMb });
      tell({ what: "agent: open files and sockets", condition, unit: "times", value: now.agent.files });
    }
    await bench.leave();
  } finally {
    await bench.close();
  }
};

async function held(rig: Rig, cdp: CDPSession): Promise<{ page: PageHeld; agent: ProgramHeld }> {
  return { page: await pageHeld(cdp), agent: programHeld(rig.venue.agent.pid()) };
}
