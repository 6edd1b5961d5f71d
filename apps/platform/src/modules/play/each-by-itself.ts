import type { Log } from "../../log.ts";

/** Does the same for each, one after the other: one seat that fails is logged, and the next round tries it again. It must not keep the others waiting. */
export async function eachByItself<Item>(
  log: Log,
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
): Promise<void> {
  for (const item of items)
    await run(item).catch((error: unknown) =>
      log.error({ err: error, item }, "work on one seat failed, the next round tries it again"),
    );
}
