import type { LobbyMachine } from "@longarm/contract/machine";
import type { PlayerPart } from "../player/player-part.ts";
import type { RouterContext } from "../router-context.ts";

export type GameLoaded = { readonly part: PlayerPart; readonly machine: LobbyMachine | undefined };

/** What the game screen needs before it draws: the player's part, its texts, and the machine as the list knows it. */
export async function loadGame({ app, playerPart }: RouterContext, machineId: string): Promise<GameLoaded> {
  const [part, machine] = await Promise.all([
    playerPart(),
    findMachine(app, machineId),
    app.texts.need("play", "lobby"),
  ]);
  return { part, machine };
}

/** A machine that no list has told yet (the page was opened at the game) is looked up once: it may have a socket of its own. */
export async function findMachine(app: RouterContext["app"], machineId: string): Promise<LobbyMachine | undefined> {
  const known = app.seen.get(machineId);
  if (known !== undefined) return known;
  const answer = await app.api.call("allMachines");
  if (!answer.ok) return undefined;
  const machines = "machines" in answer.data ? answer.data.machines : answer.data;
  for (const machine of machines) app.seen.set(machine.id, machine);
  return app.seen.get(machineId);
}
