import type { LobbyMachine } from "@longarm/contract/machine";
import type { RouterContext } from "../guard.ts";
import type { PlayerLink } from "../player/player-link.ts";

export type GameLoaded = { readonly link: PlayerLink; readonly machine: LobbyMachine | undefined };

/** What the game screen needs before it draws: the player's link, its texts, and the machine as the list knows it. */
export async function loadGame({ app, playerLink }: RouterContext, machineId: string): Promise<GameLoaded> {
  const [link, machine] = await Promise.all([
    playerLink(),
    findMachine(app, machineId),
    app.texts.need("play", "lobby"),
  ]);
  return { link, machine };
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
