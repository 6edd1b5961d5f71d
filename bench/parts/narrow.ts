import { setTimeout as pause } from "node:timers/promises";
import { createBroadcast } from "../../apps/agent/src/media/broadcast.ts";
import { answerPort, answerThrough, damagePath } from "../../apps/agent/src/media/testing/damaged-path.ts";
import { paintedSource } from "../../apps/agent/src/media/testing/painted-source.ts";
import { realClock } from "../../apps/agent/src/media/testing/real-clock.ts";
import { openWatchingPage } from "../../apps/agent/src/media/testing/watching-page.ts";
import { createWeriftTransport } from "../../apps/agent/src/media/transport/werift/transport.ts";
import type { Part } from "../result.ts";

const LINK = { loss: 0, delayMs: 20, bitsPerSecond: 1_500_000, queueMs: 300 };
const WHERE = "1.5 Mbit/s, 20 ms each way, noise, 30 s";
const NAME = "narrow";
/** The way to the link's rate; then it is measured, ms. */
const SETTLE_MS = 12_000;
const WATCH_MS = 30_000;
const TICK_MS = 5;

/** How much of a narrow link the agent's own sender uses in Chromium, with a picture for which no rate is enough. */
export const narrow: Part = async (setup, report) => {
  setup.say("Narrow: a picture of noise over 1.5 Mbit/s");
  const watching = await openWatchingPage();
  const call = <T>(name: string, ...given: unknown[]): Promise<T> =>
    watching.page.evaluate(`window.${name}(...${JSON.stringify(given)})`) as Promise<T>;
  const source = paintedSource(realClock, { width: 1280, height: 720 });
  source.noise = 1;
  const transport = createWeriftTransport(realClock, { extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true });
  const broadcast = createBroadcast({ source, transport, clock: realClock, problem: setup.say });
  let path: Awaited<ReturnType<typeof damagePath>> | undefined;
  try {
    const { sdp } = await broadcast.addViewer({
      ...{
        viewerId: NAME,
        role: "player",
        sdp: await call<string>("startViewer", NAME),
        iceServers: [],
        presses: null,
      },
      candidate: (candidate) => void call("trickleViewer", NAME, candidate),
    });
    path = await damagePath(answerPort(sdp), LINK);
    await call("answerViewer", NAME, answerThrough(sdp, path.port));
    await pause(SETTLE_MS);
    const { toBrowserBytes: from, overflowed } = path.figures;
    const fromMs = performance.now();
    const lateMs = await latestTick(WATCH_MS);
    const bits = (path.figures.toBrowserBytes - from) * 8;
    const used = (bits * 100_000) / (performance.now() - fromMs) / LINK.bitsPerSecond;
    const held = { reach: { of: "figure", atLeast: 90 } } as const;
    report({ what: "link used", condition: WHERE, unit: "of 100", value: used, held });
    report({ what: "packets dropped", condition: WHERE, unit: "times", value: path.figures.overflowed - overflowed });
    report({ what: "sender's process: latest timer", condition: WHERE, unit: "ms", value: lateMs });
  } finally {
    await broadcast.close();
    path?.close();
    await watching.close();
  }
};

/** By how much a timer of this process came too late at most in so long, ms. The sender and the link run in it: both rest meanwhile. */
async function latestTick(forMs: number): Promise<number> {
  const endsAt = performance.now() + forMs;
  let latestMs = 0;
  for (let at = performance.now(); at < endsAt; ) {
    await pause(TICK_MS);
    const now = performance.now();
    latestMs = Math.max(latestMs, now - at - TICK_MS);
    at = now;
  }
  return latestMs;
}
