import type { SessionStatus } from "@longarm/contract/machine";
import { SESSION_STATUSES } from "@longarm/contract/machine";
import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import type { State, Walk } from "../state.ts";
import { USUAL } from "./moves.ts";

type GameState = State<PlayedGame>;

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
