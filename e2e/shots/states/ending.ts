import { FINAL_REASONS } from "@longarm/contract/envelope";
import { confirmLeave } from "../../../rig/page/game-page.ts";
import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import type { State, Walk, Words } from "../state.ts";
import { begun, key, sitDownAgain, USUAL } from "./moves.ts";

type GameState = State<PlayedGame>;
type GameWalk = Walk<PlayedGame, GameScene>;

const never = (): undefined => undefined;
async function leave(page: PlayedGame["page"], t: Words): Promise<void> {
  await key(page, t("play.toLobby")).click();
  await confirmLeave(page);
}

const REPORTED = "[data-kind]";

const HOLDING: GameWalk = {
  name: "leaving",
  scene: {
    ...USUAL,
    init(answer) {
      answer.hold = { minutes: 5, left: 2, price: 0 };
    },
  },
  start: begun,
  states: [
    {
      name: "hold",
      begin: ({ page }, t) => key(page, t("play.toLobby")).click(),
      seen: "[data-hold]",
      everywhere: "[role=dialog]",
    },
  ],
};

const LEAVING: GameWalk = {
  name: "leaving",
  scene: USUAL,
  start: begun,
  states: [
    {
      name: "refused",
      begin({ page, script }, t) {
        script("leave", () => ({ code: 60015 }));
        return leave(page, t);
      },
      seen: REPORTED,
      said: "code.60015",
    },
    {
      name: "under-way",
      begin({ page, script }, t) {
        script("leave", never);
        return leave(page, t);
      },
      seen: "[data-missing=leaving]",
    },
    {
      name: "checking",
      ready: sitDownAgain,
      begin({ page, script }, t) {
        script("leave", () => ({ ok: { outcome: "unknown", amount: 482_050 } }));
        return leave(page, t);
      },
      seen: "[data-missing=checking]",
    },
    {
      name: "left",
      ready: sitDownAgain,
      begin({ page, script }, t) {
        script("leave", () => ({ ok: { outcome: "done", amount: 482_050 } }));
        return leave(page, t);
      },
      seen: "[data-machine]",
      said: "play.withdrawDone",
    },
  ],
};

const OF_STATUS = [
  [0, "not-available", "play.endedNotAvailable"],
  [1, "available", "play.endedAvailable"],
  [2, "waiting", "play.endedWaiting"],
  [4, "reserved", "play.endedReserved"],
] as const;
/** Everything the platform closes a game with, and what is said then, by now in the lobby or at the door. */
const OF_CLOSE: Readonly<Record<(typeof FINAL_REASONS)[number], string>> = {
  "taken over": "play.closedTakenOver",
  kicked: "play.closedKicked",
  ended: "play.ended",
  "logged out": "play.closedLoggedOut",
  banned: "code.10704",
  "bad token": "code.10",
};
/** Refusals of a seat: the machine is out of play, is played, is kept for somebody, another one is played, it cannot be reached; the player's own limits. */
const REFUSALS = [
  ...[60010, 60011, 60012, 60013, 60040].map((code) => ({ code, said: `code.${code}` })),
  { code: 60061, params: { left: 0, until: "2026-12-24T21:30:00.000Z" }, said: "play.lossLimitUntil" },
  { code: 60062, params: { until: "2026-12-24T21:30:00.000Z" }, said: "code.60062" },
] as const;

const ended = (name: string, begin: (game: PlayedGame) => unknown, said: string): GameState => ({
  name,
  ready: sitDownAgain,
  begin,
  seen: REPORTED,
  said,
});

const ENDED: GameWalk = {
  name: "ended",
  scene: USUAL,
  states: [
    ...OF_STATUS.map(([status, name, said]) =>
      ended(`status-${name}`, ({ backEnd }) => backEnd.push("machine", { id: "m_3", status }), said),
    ),
    ended("code-18801", ({ notify }) => notify("ended", { code: "CODE_18801" }), "code.18801"),
    ...FINAL_REASONS.map((reason) =>
      ended(`closed-${reason.replace(" ", "-")}`, ({ close }) => close(4000, reason), OF_CLOSE[reason]),
    ),
  ],
};

/** Loaded once for the words of the lobby; the seat is requested from there. */
const REFUSED: GameWalk = {
  name: "refused",
  scene: { ...USUAL, from: "/lobby" },
  states: REFUSALS.map(({ said, ...refusal }) => ({
    name: String(refusal.code),
    ready: ({ script }) => script("init", () => refusal),
    begin: ({ page }) => page.locator("[data-machine=m_3] a").click(),
    seen: REPORTED,
    said,
  })),
};

export const ENDING_WALKS: readonly GameWalk[] = [HOLDING, LEAVING, ENDED, REFUSED];
