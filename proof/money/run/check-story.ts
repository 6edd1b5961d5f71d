import fc from "fast-check";
import type { Deed } from "../story/deeds.ts";
import { storyOf } from "../story/deeds.ts";
import type { StoryRoom } from "../story/run-story.ts";
import { runStory } from "../story/run-story.ts";
import { Breach } from "../story/standing.ts";
import type { Databases } from "../world/database.ts";
import type { Figures } from "./figures.ts";
import { figuresOf, TRANSFERS } from "./figures.ts";

export type StoryAsked = {
  readonly seed: number;
  /** Where in the shrunk tree of this seed the story is; absent: at its root. */
  readonly path?: string | undefined;
  readonly deedsMax: number;
  /** So many times as many crashes and troubles as usual; 1 or more. */
  readonly faults: number;
  /** Looks for the smallest story that fails for as long as this, ms; 0: not at all. */
  readonly shrinkMs: number;
};

export type StoryFailed = {
  readonly is: "failed";
  readonly seed: number;
  readonly path: string;
  readonly sentence: string;
  readonly deeds: readonly Deed[];
};
export type StoryHeld = { readonly is: "held"; readonly figures: Figures };

/** Every story has a database's worth of names of its own. */
let stories = 0;

/** Lives through the story of a seed, and looks for the smallest one that fails if it does. */
export async function checkStory(
  databases: Databases,
  room: Omit<StoryRoom, "tag" | "chance" | "client">,
  { seed, path, deedsMax, faults, shrinkMs }: StoryAsked,
): Promise<StoryHeld | StoryFailed> {
  let figures: Figures = {};
  const property = fc.asyncProperty(storyOf(deedsMax, faults), fc.noBias(fc.integer()), async (deeds, chance) => {
    stories += 1;
    const client = await databases.client();
    try {
      figures = figuresOf(await runStory({ ...room, client, chance, tag: String(stories) }, deeds), deeds.length);
      databases.used(figures[TRANSFERS] ?? 0);
    } catch (error) {
      databases.spoiled();
      throw error;
    }
  });
  const result = await fc.check(property, {
    seed,
    numRuns: 1,
    endOnFailure: shrinkMs === 0,
    ...(path !== undefined && { path }),
    ...(shrinkMs > 0 && { interruptAfterTimeLimit: shrinkMs }),
  });
  if (!result.failed) return { is: "held", figures };
  const sentence = sentenceOf(result.errorInstance);
  const [deeds = []] = result.counterexample ?? [];
  return { is: "failed", seed, path: result.counterexamplePath ?? "0", sentence, deeds };
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof Breach ? error.message : (error.stack ?? error.message);
}
