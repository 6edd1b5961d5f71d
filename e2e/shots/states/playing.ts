import { statedOf } from "../../../apps/agent/src/drivers/simulated/stated.ts";
import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import type { Walk, Words } from "../state.ts";
import { begun, calm, key, spin, turning, USUAL } from "./moves.ts";

type GameWalk = Walk<PlayedGame, GameScene>;

/** How long a queued game may take to begin, ms. */
const QUEUED_MS_MAX = 5_000;

/** The reels rest, with the credit of the beginning. */
async function rest(game: PlayedGame): Promise<void> {
  if (game.answer.meters.inGame) game.finish();
  calm(game);
  await game.page.locator("main[data-turning=false]").waitFor();
}

const PLAYING: GameWalk = {
  name: "playing",
  scene: USUAL,
  start: begun,
  states: [
    { name: "turning", begin: ({ page }) => spin(page), seen: "[data-spin][data-state=turning]" },
    { name: "queued", begin: ({ page }) => spin(page), seen: "[data-spin][data-state=queued]" },
    {
      name: "no-credit",
      async ready(game) {
        game.finish();
        // The queued one; a page that was opened anew has none.
        await game.page
          .locator("main[data-turning=true]")
          .waitFor({ timeout: QUEUED_MS_MAX })
          .catch(() => {});
        await rest(game);
      },
      begin: ({ meters }) => meters({ credit: 700 }),
      seen: "[data-spin][data-state=noCredit]",
    },
  ],
};

/** A press that went wrong, each with its own sentence. The last ones change how presses are answered for good. */
const pressAnswered = (outcome: string, reason?: string) => (game: PlayedGame) => {
  game.script("press", ({ seq }: { seq: number }) => ({ ok: { seq, outcome, at: 0, reason } }));
  return spin(game.page);
};
const NOTES: GameWalk = {
  name: "press",
  scene: USUAL,
  start: begun,
  states: [
    { name: "stake-changed", begin: pressAnswered("changed"), seen: "[data-kind]", said: "play.stakeChanged" },
    {
      name: "refused",
      ready: rest,
      begin: pressAnswered("refused", "broken"),
      seen: "[data-kind]",
      said: "play.pressRefused",
    },
    { name: "locked", ready: rest, begin: pressAnswered("refused", "tilt"), seen: "[data-kind]", said: "play.locked" },
    {
      name: "no-credit",
      ready: rest,
      begin: pressAnswered("refused", "noCredit"),
      seen: "[data-kind]",
      said: "play.noCredit",
    },
    {
      name: "unknown",
      ready: rest,
      begin({ page, script }) {
        script("press", () => undefined);
        return spin(page);
      },
      seen: "[data-kind]",
      said: "play.pressUnknown",
    },
  ],
};

const openSide = ({ page }: PlayedGame, t: Words) => key(page, t("play.sideBar")).click();
/** Beside the game, or over it. */
const SIDE = "aside, [role=dialog]";
const SCREEN: GameWalk = {
  name: "screen",
  scene: {
    ...USUAL,
    init(answer) {
      answer.webcam = true;
      Object.assign(answer.machine, { showRotateScreenMenu: true });
    },
  },
  start: begun,
  states: [
    { name: "room-camera", seen: "figure[data-corner] video" },
    { name: "turned", begin: ({ page }, t) => key(page, t("play.turn")).click(), seen: "[data-turned=true]" },
    {
      name: "muted",
      begin: ({ page }, t) => key(page, t("play.mute")).click(),
      seen: "main[data-phase]",
    },
    {
      name: "side-bar",
      async begin(game, t) {
        await turning(game);
        game.finish(4_200);
        await openSide(game, t);
      },
      seen: "[data-side=open]",
      everywhere: SIDE,
    },
    {
      name: "left-handed-side-bar",
      begin: ({ page }, t) => page.getByLabel(t("play.otherHand")).check(),
      seen: "[data-hand=other]",
      everywhere: SIDE,
    },
    {
      name: "left-handed",
      begin: ({ page }, t) =>
        page
          .locator("aside")
          .getByRole("button", { name: t("app.close"), exact: true })
          .click(),
      seen: "[data-hand=other]:not([data-side=open])",
    },
  ],
};

/** What a browser keeps back until the player does something: the sound, or on a phone that saves power the picture too. */
const heldBack = (name: string, elements: "audio" | "audio, video", seen: string, said: string): GameWalk => ({
  name: "held-back",
  scene: {
    ...USUAL,
    prepare: (_, page) =>
      page.addInitScript((held) => {
        const { play } = HTMLMediaElement.prototype;
        HTMLMediaElement.prototype.play = function playUnlessHeld() {
          const refusal = new DOMException("The user did nothing yet.", "NotAllowedError");
          return this.matches(held) ? Promise.reject(refusal) : play.call(this);
        };
      }, elements),
  },
  states: [{ name, seen, said }],
});
const SOUND = heldBack("sound", "audio", "audio[data-locked=true]", "play.soundLocked");
const PICTURE = heldBack("picture", "audio, video", "[data-middle=true]", "play.pictureLocked");

const NO_AUTOPLAY: GameWalk = {
  name: "playing",
  scene: { ...USUAL, init: ({ limits }) => void Object.assign(limits ?? {}, { autoplay: false }) },
  start: begun,
  states: [{ name: "market-without-autoplay", seen: "main[data-live=true]" }],
};

/** What a simulated machine states of itself. */
const ABOUT: GameWalk = {
  name: "screen",
  scene: USUAL,
  start: begun,
  states: [
    {
      name: "about",
      begin({ page, script }) {
        const { returnPercent: percent, ...stated } = statedOf("nar");
        script("about", () => ({
          ok: { ...stated, stakes: { min: 200, max: 100_000 }, return: { percent, by: "machine" } },
        }));
        return page.keyboard.press("i");
      },
      seen: "[role=dialog] table",
    },
  ],
};

export const PLAYING_WALKS: readonly GameWalk[] = [ABOUT, PLAYING, NOTES, SCREEN, SOUND, PICTURE, NO_AUTOPLAY];
