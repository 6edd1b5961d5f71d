import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import { paths } from "../../shared/paths/paths.ts";
import type { RouterContext } from "../guard.ts";
import { needCodes } from "../start/sign-in.ts";
import type { GameLoaded } from "./game-loaded.ts";

type Arriving = {
  readonly context: RouterContext;
  readonly params: { readonly gameId: string };
  /** `preload`: its card is pointed at. `stay`: the page is at this machine already. */
  readonly cause: "preload" | "enter" | "stay";
  readonly location: { readonly pathname: string };
};

/** Below this address a seat is taken. */
const [SEATS] = paths.game("", "").to.split("$", 1) as [string];

/** What the game screen needs before it draws: the player's link, its texts, and the machine as the list knows it. */
export async function loadGame({ context, params, cause, location }: Arriving): Promise<GameLoaded> {
  const { app, playerLink } = context;
  const { gameId: machineId } = params;
  const [link, machine] = await Promise.all([
    playerLink(),
    findMachine(app, machineId),
    app.texts.need("play", "lobby"),
    needCodes(app),
  ]);
  const loaded = { link, machine };
  // A seat alone: a place to watch is opened by its screen. Without this chunk there is no screen either, which says so itself.
  if (cause !== "stay" && location.pathname.startsWith(SEATS))
    void import("./game.tsx").then(
      ({ getReady }) => getReady(app, machineId, loaded, cause === "enter"),
      () => {},
    );
  return loaded;
}

/** A machine that no list of this page has brought yet (the page was opened at the game) is looked up once: it may have a socket of its own. */
export async function findMachine(app: RouterContext["app"], machineId: string): Promise<LobbyMachine | undefined> {
  const known = app.seen.get(machineId);
  if (known !== undefined) return known;
  const answer = await app.api.call("allMachines");
  if (!answer.ok) return undefined;
  const machines = "machines" in answer.data ? answer.data.machines : answer.data;
  for (const machine of machines) app.seen.set(machine.id, machine);
  return app.seen.get(machineId);
}
