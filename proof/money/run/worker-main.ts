import type { ProofDatabase } from "../world/database.ts";
import { copyDatabase } from "../world/database.ts";
import type { StoryFailed, StoryHeld } from "./check-story.ts";
import { checkStory } from "./check-story.ts";
import { TRANSFERS } from "./figures.ts";

/** What a worker is started with, in its first message; then each message is a seed; anything else: no more. */
export type WorkerStart = {
  readonly server: string;
  readonly template: string;
  readonly name: string;
  readonly deedsMax: number;
  readonly checkEvery: number;
  readonly path?: string | undefined;
};
export type WorkerWord = (StoryHeld & { seed: number }) | StoryFailed | { readonly is: "ready" };

/** Checks of a whole database become slow when it is large, ms for some ten thousand transfers; then another copy is taken. */
const TRANSFERS_OF_DATABASE = 6_000;
const SHRINK_MS = 120_000;

const tell = (word: WorkerWord): void => void process.send?.(word);

async function work(start: WorkerStart, seeds: AsyncIterable<number>): Promise<void> {
  const { server, template, name, deedsMax, checkEvery } = start;
  let database: ProofDatabase | undefined;
  let copies = 0;
  let transfers = 0;
  tell({ is: "ready" });
  for await (const seed of seeds) {
    if (database === undefined || transfers >= TRANSFERS_OF_DATABASE) {
      await database?.drop();
      copies += 1;
      transfers = 0;
      database = await copyDatabase(server, template, `${name}_${copies}`);
    }
    const room = { client: database.client, checkEvery };
    const path = start.path === undefined ? {} : { path: start.path };
    const end = await checkStory(room, { seed, deedsMax, shrinkMs: 0, ...path });
    if (end.is === "failed") {
      tell(end);
      // The same story again, smaller and smaller, each step checked.
      tell(
        await checkStory({ ...room, checkEvery: 1 }, { seed, deedsMax, shrinkMs: SHRINK_MS, ...path }).then(
          failedOnly(end),
        ),
      );
      break;
    }
    transfers += end.figures[TRANSFERS] ?? 0;
    tell({ ...end, seed });
  }
  await database?.drop();
}

/** A story that does not fail again was not repeatable, which is told as it was. */
const failedOnly =
  (first: StoryFailed) =>
  (again: StoryHeld | StoryFailed): StoryFailed =>
    again.is === "failed" ? again : first;

/** Seeds as they come from the parent. */
async function* seedsOf(messages: AsyncIterable<unknown>): AsyncIterable<number> {
  for await (const message of messages) {
    if (typeof message !== "number") return;
    yield message;
  }
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

const messages = messagesOf();
const first = await messages[Symbol.asyncIterator]().next();
try {
  await work(first.value as WorkerStart, seedsOf(messages));
  process.exit(0);
} catch (error) {
  const sentence = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell({ is: "failed", seed: -1, path: "", sentence, deeds: [] });
  process.disconnect();
}
