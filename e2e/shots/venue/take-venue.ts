import type { Browser } from "playwright-core";
import type { TextLanguage } from "../../../rig/page/game-page.ts";
import { openTestVenue } from "../../../rig/venue/test-venue.ts";
import type { Taken } from "../take-walk.ts";
import { takeWalk } from "../take-walk.ts";
import { openRealGame } from "./real-game.ts";
import { REAL_WALKS } from "./real-walks.ts";

/** A game lasts long enough for its pictures, and nothing ends while they are taken. */
const CYCLE_MS = 4_000;
const PATIENT = { WAITING_MS: "600000", BONUS_WAITING_MS: "600000", NO_DEPOSIT_MS: "600000", IDLE_MS: "600000" };

export const realNames = (): string[] =>
  REAL_WALKS.flatMap(({ name, states }) => states.map((state) => `${name}-${state.name}`));

/** The same machine in one language after the other, on a venue that is started for it and leaves nothing behind. */
export async function takeVenue(asked: {
  readonly browser: Browser;
  /** The folder of the built web. */
  readonly builtWeb: string;
  readonly folder: string;
  readonly languages: readonly TextLanguage[];
  readonly tell: (taken: readonly Taken[], language: TextLanguage) => void;
}): Promise<void> {
  const { browser, builtWeb, folder, languages, tell } = asked;
  const platformEnv = { ...PATIENT, WEB_FOLDER: builtWeb };
  const venue = await openTestVenue({ machines: 2, timeCode: false, minCycleMs: CYCLE_MS, platformEnv });
  try {
    for (const language of languages) {
      for (const walk of REAL_WALKS) {
        const taken = await takeWalk(walk, {
          open: (scene, _, prepare) => openRealGame({ browser, venue, language }, scene, prepare),
          language,
          folder,
        });
        tell(taken, language);
      }
    }
  } finally {
    await venue.close();
  }
}
