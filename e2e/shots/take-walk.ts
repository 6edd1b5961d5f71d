import type { TextLanguage } from "../../rig/page/game-page.ts";
import { addHold, held, holdWhen, letGo, openCamera } from "./camera.ts";
import type { Shown, State, Walk, Words } from "./state.ts";
import { fixedPart, wordsOf } from "./state.ts";

/** How long a state may take to come, ms. */
const STATE_MS_MAX = 45_000;

/** Closes the page and what belongs to it. */
export type Ending = { end(): Promise<void> };

/** Opens the page of a walk. `prepare` is to be called before its address is. */
export type Open<G, S> = (scene: S, language: TextLanguage, prepare: typeof addHold) => Promise<G & Ending>;

export type Taken = { readonly name: string; readonly problem?: string };

type Way<G, S> = { readonly open: Open<G, S>; readonly language: TextLanguage; readonly folder: string };

/**
 * Takes the pictures of a walk in one language. A state that does not come is tried once more on a fresh page, for a busy computer may have
 * been too slow for it; one that fails again is reported and does not cost the others.
 */
export async function takeWalk<G extends Shown, S>(walk: Walk<G, S>, way: Way<G, S>): Promise<Taken[]> {
  const taken: Taken[] = [];
  let at: Standing<G> | undefined;
  for (const state of walk.states) {
    const name = `${walk.name}-${state.name}`;
    let problem: string | undefined;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        at ??= await takePlace(walk, way);
        await takeState(at, state, name);
        problem = undefined;
        break;
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        if (attempt > 0) await at?.camera.take(`${name}.failed`).catch(() => {});
        await at?.game.end().catch(() => {});
        at = undefined;
      }
    }
    taken.push({ name, ...(problem !== undefined && { problem }) });
  }
  await at?.game.end();
  return taken;
}

async function takeState<G extends Shown>({ game, camera, t }: Standing<G>, state: State<G>, name: string) {
  await bring(game, state, t);
  await camera.take(name, state.everywhere);
  await letGo(game.page);
}

type Standing<G> = {
  readonly game: G & Ending;
  readonly camera: Awaited<ReturnType<typeof openCamera>>;
  readonly t: Words;
};

async function takePlace<G extends Shown, S>(
  walk: Walk<G, S>,
  { open, language, folder }: Way<G, S>,
): Promise<Standing<G>> {
  const t = wordsOf(language);
  const game = await open(walk.scene, language, addHold);
  try {
    await walk.start?.(game, t);
    return { game, t, camera: await openCamera(game.page, folder, language) };
  } catch (error) {
    await game.end();
    throw error;
  }
}

async function bring<G extends Shown>(game: G, state: State<G>, t: Words): Promise<void> {
  const wanted = { seen: state.seen, said: state.said === undefined ? "" : fixedPart(t(state.said)) };
  await state.ready?.(game, t);
  if (state.begin !== undefined) {
    await holdWhen(game.page, wanted);
    await state.begin(game, t);
  }
  await held(game.page, wanted, STATE_MS_MAX);
}
