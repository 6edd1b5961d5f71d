import type { TextLanguage } from "../page/texts.ts";
import { openCamera } from "./camera.ts";
import { addHold, held, holdWhen, letGo } from "./hold.ts";
import type { Shown, State, Walk, Words } from "./state.ts";
import { fixedPart, wordsOf } from "./state.ts";

/** How long a state may take to come, ms. */
const STATE_MS_MAX = 45_000;

/** Closes the page and what belongs to it. */
export type Ending = { end(): Promise<void> };

/** Opens the page of a walk. `prepare` is to be called before its address is. */
export type Open<G, S> = (scene: S, language: TextLanguage, prepare: typeof addHold) => Promise<G & Ending>;

export type Taken = { readonly name: string; readonly problem?: string };

/** Takes the pictures of a walk in one language; a state that fails is told and does not cost the others. */
export async function takeWalk<G extends Shown, S>(
  walk: Walk<G, S>,
  { open, language, folder }: { open: Open<G, S>; language: TextLanguage; folder: string },
): Promise<Taken[]> {
  const t = wordsOf(language);
  const taken: Taken[] = [];
  let at: Standing<G> | undefined;
  for (const state of walk.states) {
    const name = `${walk.name}-${state.name}`;
    try {
      at ??= await stand(walk, { open, language, folder }, t);
      await bring(at.game, state, t);
      await at.camera.take(name);
      await letGo(at.game.page);
      taken.push({ name });
    } catch (error) {
      taken.push({ name, problem: error instanceof Error ? error.message : String(error) });
      await at?.camera.take(`${name}.failed`).catch(() => {});
      await at?.game.end().catch(() => {});
      at = undefined;
    }
  }
  await at?.game.end();
  return taken;
}

type Standing<G> = {
  readonly game: G & Ending;
  readonly camera: Awaited<ReturnType<typeof openCamera>>;
};

async function stand<G extends Shown, S>(
  walk: Walk<G, S>,
  { open, language, folder }: { open: Open<G, S>; language: TextLanguage; folder: string },
  t: Words,
): Promise<Standing<G>> {
  const game = await open(walk.scene, language, addHold);
  try {
    await walk.start?.(game, t);
    return { game, camera: await openCamera(game.page, folder, language) };
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
