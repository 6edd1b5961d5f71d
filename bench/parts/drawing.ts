import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { Part } from "../result.ts";
import type { BenchPlayer } from "../setup/page-player.ts";
import { openPlayer } from "../setup/page-player.ts";
import type { Setup } from "../setup/setup.ts";
import { MACHINES } from "../setup/setup.ts";

const TURNING_MS = 5_000;
/** Drawing a frame of the game page takes no more than this, in proportion to its video alone. */
const RATIO_MOST = 2;
/** Leaves nothing of the page but the video. */
const VIDEO_ALONE = `
  body *:not(:has(video)):not(video) { display: none !important; }
  * { background: none !important; mask: none !important; border-radius: 0 !important; opacity: 1 !important; }
`;

/** What the browser does to draw one frame of the game page, beside its video alone: without a graphics card all of it is the processor's. */
export const drawing: Part = async (setup, report) => {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(setup, player, null);
  try {
    await bench.sitDown(MACHINES[0]);
    await bench.cashIn();
    setup.say("Drawing: the page, then its video alone");
    const page = await drawn(setup, bench);
    await bench.page.evaluate(showOnly, VIDEO_ALONE);
    const alone = await drawn(setup, bench);
    await bench.page.evaluate(showOnly, null);
    report({
      ...{ what: "drawing one frame: processor time", condition: "game page, reels turning", unit: "ms" },
      value: page.ms,
      held: { peer: { name: "its video alone", value: alone.ms }, reach: { of: "ratio", atMost: RATIO_MOST } },
    });
    report({
      ...{ what: "drawing one frame: layers drawn apart", condition: "game page, reels turning", unit: "times" },
      value: page.passes,
      held: { peer: { name: "its video alone", value: alone.passes } },
    });
    await bench.leave();
  } finally {
    await bench.close();
  }
};

/** Runs in the page, which takes no style but such a sheet. */
function showOnly(rules: string | null): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules ?? "");
  document.adoptedStyleSheets = rules === null ? [] : [sheet];
}

/** What of Chromium's trace counts: `tdur` is processor time of the thread, µs. */
type Traced = { readonly ph: string; readonly name: string; readonly tdur?: number };

/** Of one drawn frame: processor time of the compositor, ms, and what it draws apart before it puts the frame together. */
async function drawn({ browser }: Setup, bench: BenchPlayer): Promise<{ ms: number | null; passes: number | null }> {
  await browser.startTracing(bench.page, { categories: ["cc", "viz"] });
  await bench.spinFor(TURNING_MS);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly Traced[] };
  const named = (wanted: string): readonly Traced[] =>
    traceEvents.filter(({ ph, name }) => ph === "X" && name === wanted);
  const frames = named("Display::DrawAndSwap");
  if (frames.length === 0) return { ms: null, passes: null };
  const cpuMs = frames.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1_000;
  return { ms: cpuMs / frames.length, passes: named("DirectRenderer::DrawRenderPass").length / frames.length };
}
