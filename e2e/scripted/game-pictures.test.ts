/** @module-tag long */
import { expect, test } from "vitest";
import { wordsOf } from "../shots/state.ts";
import { PICTURE_LOST, POOR_LINK, SOCKET_LOST } from "../shots/states/connection.ts";
import { MACHINE_STATES } from "../shots/states/machine.ts";
import { overflowOf } from "./browser.ts";
import { everyWindow, setUpGameStage } from "./game-stage.ts";

/* Every state of a play session, in each size and language: nothing overflows, and each is said where it can be seen. `npm run shots` takes their pictures. */
const stage = setUpGameStage();
const SOON = { timeout: 30_000 };
/** Twenty states one after the other, ms. */
const WHOLE_ROUND = 240_000;
const STATES = [...MACHINE_STATES, POOR_LINK, PICTURE_LOST, SOCKET_LOST];

test.each(everyWindow("phone"))(
  "every state of the game at $width × $height in $language is seen and overflows nowhere",
  async (window) => {
    const game = await stage.openGame({ window });
    const { page, playing, complaints } = game;
    await playing();
    for (const { name, begin, seen } of STATES) {
      await begin?.(game, wordsOf(window.language));
      const sign = page.locator(seen).first();
      await sign.waitFor(SOON);
      expect(await overflowOf(page), name).toBe(0);
      const box = await sign.boundingBox();
      expect(box, name).not.toBeNull();
      if (box === null) continue;
      const inside =
        box.x >= 0 && box.y >= 0 && box.x + box.width <= window.width && box.y + box.height <= window.height;
      expect(inside || name === "playing", name).toBe(true);
    }
    expect(complaints).toEqual([]);
  },
  WHOLE_ROUND,
);
