import { databases } from "./database.ts";
import type { WalletKind } from "./operator-side.ts";
import type { MachineKind } from "./sas-machine.ts";
import type { StoryFailed, StoryHeld } from "./story.ts";
import { checkStory } from "./story.ts";

/** What a worker is started with, in its first message; then each message is a seed for one of its lanes; anything else: no more. */
export type WorkerStart = {
  readonly server: string;
  readonly template: string;
  readonly name: string;
  /** Stories that run side by side in this process. */
  readonly lanes: number;
  readonly deedsMax: number;
  readonly faults: number;
  readonly machines: MachineKind;
  readonly wallet: WalletKind;
  readonly checkEvery: number;
  readonly path?: string | undefined;
};
export type WorkerWord = (StoryHeld & { seed: number }) | StoryFailed | { readonly is: "ready" };

/** How long a smaller story that fails is looked for. */
const SHRINK_MS = 300_000;

const send = (word: WorkerWord): void => void process.send?.(word);

/** One story after the other; several lanes keep the processor busy while one of them waits for its database. */
async function lane(start: WorkerStart, number: number, nextSeed: () => Promise<number | undefined>): Promise<void> {
  const { deedsMax, faults, machines, wallet, checkEvery } = start;
  const stock = databases(start.server, start.template, `${start.name}_${number}`);
  const path = start.path === undefined ? {} : { path: start.path };
  send({ is: "ready" });
  for (let seed = await nextSeed(); seed !== undefined; seed = await nextSeed()) {
    const end = await checkStory(
      stock,
      { checkEvery, machines, wallet },
      { seed, deedsMax, faults, shrinkMs: 0, ...path },
    );
    if (end.is === "held") send({ ...end, seed });
    else {
      send(end);
      // The same story again, smaller and smaller.
      const small = await checkStory(
        stock,
        { checkEvery: 1, machines, wallet },
        { seed, deedsMax, faults, shrinkMs: SHRINK_MS, ...path },
      );
      if (small.is === "failed") send(small);
      break;
    }
  }
  await stock.end();
}

async function* messagesOf(): AsyncIterable<unknown> {
  const kept: unknown[] = [];
  let wake = (): void => {};
  process.on("message", (message) => {
    kept.push(message);
    wake();
  });
  // A parent that is gone asks for nothing more.
  process.once("disconnect", () => process.exit(1));
  for (;;) {
    if (kept.length > 0) yield kept.shift();
    else
      await new Promise<void>((come) => {
        wake = come;
      });
  }
}

const messages = messagesOf()[Symbol.asyncIterator]();
const start = (await messages.next()).value as WorkerStart;
let enough = false;

/** Undefined: no more. */
async function nextSeed(): Promise<number | undefined> {
  if (enough) return undefined;
  const { value } = await messages.next();
  if (typeof value === "number") return value;
  enough = true;
  return undefined;
}

try {
  await Promise.all(Array.from({ length: start.lanes }, (_, number) => lane(start, number, nextSeed)));
  process.exit(0);
} catch (error) {
  const sentence = error instanceof Error ? (error.stack ?? error.message) : String(error);
  send({ is: "failed", seed: -1, path: "", sentence, deeds: [] });
  process.disconnect();
}
