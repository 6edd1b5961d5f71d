import { confirmLeave } from "../../../rig/page/game-page.ts";
import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import type { State, Walk, Words } from "../state.ts";
import { autoKey, begun, calm, key, startAutoplay, USUAL, until } from "./moves.ts";

type GameState = State<PlayedGame>;
type Choose = Parameters<typeof startAutoplay>[2];

/** Nothing plays, no sheet is open. */
async function rest(game: PlayedGame): Promise<void> {
  const { page, answer, finish } = game;
  await page.keyboard.press("Escape");
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
  if ((await autoKey(page).getAttribute("aria-pressed")) === "true") await autoKey(page).click();
  if (answer.meters.inGame) finish();
  calm(game);
  await page.locator("main[data-turning=false] [data-spin][data-state=ready]").waitFor();
}

/** Autoplay that ends for this reason. */
const ended = (
  why: string,
  begin: (game: PlayedGame, t: Words) => unknown,
  choose?: (t: Words) => Choose,
): GameState => ({
  name: `ended-${why}`,
  async ready(game, t) {
    await rest(game);
    await startAutoplay(game, t, choose?.(t));
  },
  begin,
  seen: "[data-kind]",
  said: `play.autoEnd_${why}`,
});

const check =
  (name: string): ((t: Words) => Choose) =>
  (t) =>
  (form) =>
    form.getByRole("radio", { name: t(name), exact: true }).check();

/** Types an amount into one of the limits in money. */
const limit =
  (name: string, amount: string): (() => Choose) =>
  () =>
  (form) =>
    form.locator(`input[data-limit=${name}]`).fill(amount);

/** Plays the games of autoplay to their end, so many of them; the first one was begun. */
async function playAll({ presses, finish }: PlayedGame, count: number): Promise<void> {
  const before = presses.length - 1;
  for (let game = 1; game <= count; game += 1) {
    await until(() => presses.length >= before + game);
    finish();
  }
}

/** The page is put out of sight and comes back. */
const hide = ({ page }: PlayedGame) =>
  page.evaluate(() => {
    for (const state of ["hidden", "visible"]) {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }
  });

const STATES: readonly GameState[] = [
  { name: "sheet", begin: ({ page }) => autoKey(page).click(), seen: "[role=dialog] form" },
  {
    name: "running",
    ready: rest,
    begin: (game, t) => startAutoplay(game, t),
    seen: "main[data-turning=true] [data-spin][data-state=auto]",
  },
  {
    name: "running-until-stopped",
    ready: rest,
    begin: (game, t) => startAutoplay(game, t, check("play.autoForever")(t)),
    seen: "main[data-turning=true] [data-spin][data-endless]",
  },
  {
    name: "sheet-until-stopped",
    async ready(game) {
      await rest(game);
      await autoKey(game.page).click();
    },
    begin: ({ page }, t) => page.getByRole("radio", { name: t("play.autoForever"), exact: true }).check(),
    seen: "[role=dialog] form",
    said: "play.autoEach",
  },
  ended(
    "done",
    (game) => playAll(game, 10),
    () => (form) => form.getByRole("radio", { name: "10", exact: true }).check(),
  ),
  ended(
    "win",
    ({ finish }) => finish(38_400),
    (t) => (form) => form.getByLabel(t("play.autoAnyWin")).check(),
  ),
  ended(
    "loss",
    ({ meters, finish }) => {
      meters({ credit: 200_000 });
      finish();
    },
    limit("lossReaches", "1000"),
  ),
  ended(
    "creditAbove",
    ({ meters, finish }) => {
      meters({ credit: 900_000 });
      finish();
    },
    limit("creditAbove", "8000"),
  ),
  ended("noCredit", ({ finish, meters }) => {
    meters({ credit: 700 });
    finish();
  }),
  ended("bonus", ({ meters }) => meters({ bonus: true })),
  ended("stake", ({ meters }) => meters({ bet: 2_400 })),
  ended("handPay", ({ meters }) =>
    meters({ handPay: { id: "hp-1", amount: 1_250_050, kind: "win" }, lockup: "handPay" }),
  ),
  ended("locked", ({ meters }) => meters({ lockup: "door" })),
  ended("hidden", hide),
  ended("check", ({ notify }) => {
    notify("check", { state: "due" });
    notify("check", { state: "none" });
  }),
  ended("transfer", ({ page }, t) => key(page, t("play.transfer")).click()),
  ended(
    "freeSpins",
    ({ meters }) => meters({ freeSpins: 8 }),
    (t) => (form) => form.getByLabel(t("play.autoFreeSpins")).check(),
  ),
  ended(
    "credit",
    ({ meters, finish }) => {
      meters({ credit: 390_000 });
      finish();
    },
    limit("creditBelow", "4000"),
  ),
  ended("player", ({ page }) => page.keyboard.press("Space")),
  ended("link", ({ close }) => close(1012, "restart")),
  // From here on no press is taken.
  ended("refused", ({ script, finish }) => {
    script("press", ({ seq }: { seq: number }) => ({ ok: { seq, outcome: "refused", at: 0, reason: "broken" } }));
    finish();
  }),
];

/** Each on a page of its own: there is no way back from it. */
const LAST: readonly GameState[] = [
  ended("leaving", async ({ page, script }, t) => {
    script("leave", () => undefined);
    await key(page, t("play.toLobby")).click();
    await confirmLeave(page);
  }),
  {
    name: "ended-forbidden",
    async ready({ page }) {
      await autoKey(page).click();
      await page.locator("[role=dialog] form").waitFor();
    },
    async begin({ page, answer, close }) {
      Object.assign(answer.limits ?? {}, { autoplay: false });
      close(1012, "restart");
      await page.locator("main[data-online=false]").waitFor();
      await page.locator("main[data-online=true]").waitFor();
      await page.locator("[role=dialog] button[type=submit]").click();
    },
    seen: "[data-kind]",
    said: "play.autoEnd_forbidden",
  },
];

export const AUTOPLAY_WALKS: readonly Walk<PlayedGame, GameScene>[] = [STATES, ...LAST.map((state) => [state])].map(
  (states) => ({ name: "autoplay", scene: USUAL, start: begun, states }),
);
