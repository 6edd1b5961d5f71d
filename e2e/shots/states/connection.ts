import type { SessionStatus } from "@longarm/contract/lobby-lists";
import { SESSION_STATUSES } from "@longarm/contract/lobby-lists";
import type { Camera } from "../../scripted/camera-page.ts";
import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import type { State, Walk } from "../state.ts";
import { begun, closeSheets, USUAL } from "./moves.ts";

type GameState = State<PlayedGame>;
type GameWalk = Walk<PlayedGame, GameScene>;

const never = (): undefined => undefined;
const openPanel = ({ page }: PlayedGame) => page.locator("button[aria-haspopup=dialog][data-quality]").click();
const PANEL = "[role=dialog]";

/** From now on every picture is so old when it comes, ms. */
const delay = ({ page }: Camera, ms: number) =>
  page.evaluate((late) => {
    const { clock } = globalThis as unknown as { clock: { answer(ask: string): string } };
    const { answer } = clock;
    clock.answer = (ask) => {
      const given = JSON.parse(answer(ask)) as { capturedAt: number | null };
      return JSON.stringify({ ...given, capturedAt: given.capturedAt === null ? null : given.capturedAt - late });
    };
  }, ms);

/** Pictures come, but too late to see what a press does. */
export const POOR_LINK: GameState = {
  name: "poor",
  begin: ({ camera }) => delay(camera, 2_500),
  seen: "[data-missing=poorLink]",
};
/** The rungs of the ladder follow by themselves while no picture comes. */
export const PICTURE_LOST: GameState = {
  name: "picture-lost",
  begin: ({ camera }) => camera.hush(true),
  seen: "[data-missing=pictureLost], [data-missing=connectionLost]",
};
export const SOCKET_LOST: GameState = {
  name: "lost",
  begin({ script, close }) {
    script("init", never);
    close(1012, "restart");
  },
  seen: "[data-online=false] [data-missing=connectionLost]",
};
const rung = (name: "Restart" | "Renew" | "Tcp"): GameState => ({
  name: `mending-${name.toLowerCase()}`,
  // On a page that was opened anew too.
  begin: ({ camera }) => camera.hush(true),
  seen: "[data-missing=connectionLost]",
  said: `play.mend${name}`,
});

/** Opens the self-test, which begins by itself, unless it is open. */
async function askWhy({ page, camera }: PlayedGame): Promise<void> {
  if ((await page.locator(PANEL).count()) > 0) return;
  await camera.hush(true);
  await page.locator("[data-missing] button").first().click();
}

const LADDER: GameWalk = {
  name: "connection",
  scene: USUAL,
  start: begun,
  states: [
    PICTURE_LOST,
    rung("Restart"),
    rung("Renew"),
    rung("Tcp"),
    {
      name: "test-running",
      begin: askWhy,
      seen: `${PANEL} [aria-current=step]`,
    },
    { name: "test-failed", begin: askWhy, seen: PANEL, said: "connection.verdictFail" },
  ],
};

const PANELS: GameWalk = {
  name: "connection",
  scene: USUAL,
  start: begun,
  states: [
    { name: "panel", begin: openPanel, seen: `${PANEL} dl` },
    {
      name: "test",
      begin: ({ page }, t) => page.getByRole("radio", { name: t("connection.test"), exact: true }).check(),
      seen: PANEL,
      said: "connection.testAbout",
    },
    {
      name: "test-fine",
      begin: ({ page }, t) => page.getByRole("button", { name: t("connection.run"), exact: true }).click(),
      seen: PANEL,
      said: "connection.verdictFine",
    },
    { ...POOR_LINK, ready: ({ page }) => closeSheets(page) },
  ],
};

const AWAY: GameWalk = {
  name: "connection",
  scene: USUAL,
  start: begun,
  states: [
    {
      name: "lost-because",
      begin({ script, close }) {
        script("init", never);
        close(1013, "The floor is being cleaned.");
      },
      seen: "[data-online=false] [data-missing=connectionLost]",
    },
    {
      ...SOCKET_LOST,
      begin: ({ close }) => close(1012, ""),
      seen: "[data-online=false] [data-missing=connectionLost]",
    },
    { name: "offline", begin: ({ page }) => page.context().setOffline(true), seen: "main[data-online=false]" },
  ],
};

/** Before the first picture. */
const OPENING: GameWalk = {
  name: "opening",
  scene: { ...USUAL, prepare: ({ script }) => script("init", never) },
  states: [{ name: "seat", seen: "main[data-phase=opening], [data-missing=loading]" }],
};
const FIRST_PICTURE: GameWalk = {
  name: "opening",
  scene: { ...USUAL, picture: false },
  states: [
    { name: "picture", seen: "[data-phase=playing] [data-missing=loading]" },
    { name: "mending-renew", seen: "[data-missing=loading]", said: "play.mendRenew" },
  ],
};

export const CONNECTION_WALKS: readonly GameWalk[] = [LADDER, PANELS, AWAY, OPENING, FIRST_PICTURE];

const STARTED_MS = 2_538_000;
const KEPT_MS = 290_000;

function session(machineStatus: SessionStatus, now: number): object {
  return {
    ...{ status: true, id: "m_1", name: "Nar 07", machine_status: machineStatus },
    ...{ started_at: new Date(now - STARTED_MS).toISOString(), spin_count: 1_316 },
    ...(machineStatus === "waiting" && { until: new Date(now + KEPT_MS).toISOString() }),
  };
}

const variant = (status: SessionStatus): GameState => ({
  name: status,
  begin: ({ backEnd }) => backEnd.push("session", session(status, Date.now())),
  seen: `[role=dialog] [data-variant=${status}]`,
});

const NO_CREDIT: GameState = {
  name: "waiting-without-credit",
  begin({ backEnd }) {
    backEnd.push("balance", { balance: 1_245_075, onMachine: 0 });
    backEnd.push("session", session("waiting", Date.now()));
  },
  seen: "[role=dialog] [data-variant=waiting]",
  said: "reconnect.waitingEmptyBody",
};

/** The dialog over the lobby, in each of its variants. */
export const RECONNECT: Walk<PlayedGame, GameScene> = {
  name: "reconnect",
  scene: {
    ...USUAL,
    from: "/lobby",
    world(world) {
      world.balance = { balance: 1_245_075, onMachine: 482_050 };
    },
  },
  start: ({ page }) => page.locator("[data-machine]").first().waitFor(),
  states: [...SESSION_STATUSES.map(variant), NO_CREDIT],
};
