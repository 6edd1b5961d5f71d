import type { Watcher } from "@longarm/load/receiver/watcher";
import { openWatcher } from "@longarm/load/receiver/watcher";

/* One process full of watchers at a media server, so that what they cost is not the agent's. It gets its commands over its IPC channel. */

/** A command for a process of watchers. */
export type WatchersRequest =
  /** Answers these offers of the media server. */
  | { readonly is: "answer"; readonly offers: readonly string[] }
  /** What came since the last request. */
  | { readonly is: "count" };

export type WatchersReport =
  | { readonly is: "answers"; readonly answers: readonly string[] }
  /** Pictures and bytes of the video, of all together, and the processor time of the process, ms. */
  | {
      readonly is: "came";
      readonly watchers: number;
      readonly pictures: number;
      readonly bytes: number;
      readonly cpuMs: number;
    }
  | { readonly is: "failed"; readonly sentence: string };

const watchers: Watcher[] = [];
let before = { pictures: 0, bytes: 0, cpuMs: 0 };

const report = (message: WatchersReport): void => void process.send?.(message);
const failed = (why: string): void =>
  report({ is: "failed", sentence: `A watcher has lost the media server: ${why}.` });

async function answer(offers: readonly string[]): Promise<void> {
  const answers: string[] = [];
  for (const offer of offers) {
    const watcher = await openWatcher(offer, failed);
    watchers.push(watcher);
    answers.push(watcher.answer);
  }
  report({ is: "answers", answers });
}

function count(): void {
  const counts = watchers.map((watcher) => watcher.counts());
  const sum = (key: "pictures" | "bytes"): number => counts.reduce((total, one) => total + one[key], 0);
  const { user, system } = process.cpuUsage();
  const now = { pictures: sum("pictures"), bytes: sum("bytes"), cpuMs: (user + system) / 1_000 };
  report({
    ...{ is: "came", watchers: watchers.length },
    pictures: now.pictures - before.pictures,
    bytes: now.bytes - before.bytes,
    cpuMs: now.cpuMs - before.cpuMs,
  });
  before = now;
}

process.on("message", (ask: WatchersRequest) => {
  if (ask.is === "count") return count();
  answer(ask.offers).catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)));
});
// The process that started us is gone.
process.on("disconnect", () => process.exit(0));
