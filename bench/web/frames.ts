import type { CDPSession } from "playwright-core";

/** Lets `taskSeconds` count the processor's time and not the clock's: what other work took is not in it. */
export async function countTasks(cdp: CDPSession): Promise<void> {
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
}

/** Processor time of the page's main thread so far, s. */
export async function taskSeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
}

/** Runs in the page: ms from frame to frame for a while, and how many tasks held it up for longer than 50 ms. */
export function watchFrames(ms: number): Promise<{ frames: number[]; longTasks: number }> {
  return new Promise((done) => {
    const frames: number[] = [];
    let longTasks = 0;
    const watch = new PerformanceObserver((list) => {
      longTasks += list.getEntries().length;
    });
    watch.observe({ type: "longtask" });
    const started = performance.now();
    let before = started;
    const next = (now: number) => {
      frames.push(now - before);
      before = now;
      if (now - started < ms) requestAnimationFrame(next);
      else {
        watch.disconnect();
        done({ frames: frames.slice(1), longTasks });
      }
    };
    requestAnimationFrame(next);
  });
}
