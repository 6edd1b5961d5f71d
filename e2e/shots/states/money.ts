import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import type { State, Walk, Words } from "../state.ts";
import { begun, closeSheets, key, submit, typeAmount, USUAL } from "./moves.ts";

const FORM = "[role=dialog] form";
const AT_LEAST_TEN = {
  ...USUAL,
  init: ({ limits }) => void Object.assign(limits ?? {}, { minTransfer: 1_000 }),
} as const satisfies GameScene;
const never = (): undefined => undefined;

/** What the platform says no with: the machine's limits, and the player's own. */
const refused = (
  name: string,
  refusal: { code: number; params?: Record<string, string | number> },
  said = `code.${refusal.code}`,
) => ({
  name,
  async begin({ page, script }: PlayedGame, t: Words) {
    script("cashIn", () => refusal);
    await typeAmount(page, t, "750");
    await submit(page);
  },
  seen: FORM,
  said,
});

/** The sheet both ways, an amount that cannot be, and the state of a transfer. A new one is possible only once the last one is known. */
const STATES: readonly State<PlayedGame>[] = [
  { name: "to-machine", begin: ({ page }, t) => key(page, t("play.transfer")).click(), seen: FORM },
  {
    name: "to-machine-amount",
    begin: ({ page }, t) => typeAmount(page, t, "750"),
    seen: `${FORM} [data-shown=true]`,
  },
  { name: "too-much", begin: ({ page }, t) => typeAmount(page, t, "99999"), seen: FORM, said: "play.walletHas" },
  { name: "too-little", begin: ({ page }, t) => typeAmount(page, t, "5"), seen: FORM, said: "play.belowLeast" },
  { name: "not-an-amount", begin: ({ page }, t) => typeAmount(page, t, "7,5.0"), seen: FORM, said: "play.notAmount" },
  refused("refused", { code: 60002 }),
  refused("refused-limit", { code: 60060, params: { left: 25_000 } }),
  refused(
    "refused-limit-none-left",
    { code: 60060, params: { left: 0, until: "2026-12-24T21:30:00.000Z" } },
    "play.depositLimitUntil",
  ),
  refused("refused-limit-of-loss", { code: 60061, params: { left: 40_050 } }),
  refused("refused-excluded", { code: 60062, params: { until: "2026-12-24T21:30:00.000Z" } }),
  refused("refused-machine-closed", { code: 60042 }),
  {
    name: "done",
    async begin({ page, script, meters, answer }, t) {
      script("cashIn", ({ amount }: { amount: number }) => {
        meters({ credit: answer.meters.credit + amount });
        return { ok: { outcome: "done", amount } };
      });
      await typeAmount(page, t, "750");
      await submit(page);
    },
    seen: "[data-kind=good]",
    said: "play.depositDone",
  },
  {
    name: "to-wallet",
    ready: ({ page }, t) => key(page, t("play.transfer")).click(),
    async begin({ page }, t) {
      await page.getByRole("radio", { name: t("play.toWallet"), exact: true }).check();
      await typeAmount(page, t, "500");
    },
    seen: `${FORM} [data-shown=true]`,
  },
  {
    name: "busy",
    begin({ page, script }) {
      script("cashOut", never);
      return submit(page);
    },
    seen: `${FORM} button[type=submit][aria-busy=true]`,
  },
  {
    name: "offline",
    begin({ script, close }) {
      script("init", never);
      close(1012, "restart");
    },
    seen: "main[data-online=false]",
  },
];

const UNKNOWN: Walk<PlayedGame, GameScene> = {
  name: "money",
  scene: USUAL,
  start: begun,
  states: [
    {
      name: "unknown",
      async begin({ page, script }, t) {
        script("cashIn", ({ amount }: { amount: number }) => ({ ok: { outcome: "unknown", amount } }));
        await typeAmount(page, t, "750");
        await submit(page);
      },
      seen: FORM,
      said: "play.transferChecking",
    },
    { name: "unknown-and-closed", begin: ({ page }) => closeSheets(page), seen: "main:not(:has(form))" },
  ],
};

export const MONEY_WALKS: readonly Walk<PlayedGame, GameScene>[] = [
  { name: "money", scene: AT_LEAST_TEN, start: begun, states: STATES },
  UNKNOWN,
];
