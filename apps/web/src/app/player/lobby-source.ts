import type { LobbySource } from "../../features/lobby/api/machines.ts";
import { createPushedStatuses } from "../../features/lobby/api/pushed-statuses.ts";
import type { App } from "../app.ts";
import { oncePer } from "../once-per.ts";

/** Where the lobby's lists come from, and who remembers what was seen. */
function makeSource({ api, settings, seen }: App): LobbySource {
  return {
    api,
    pushed: createPushedStatuses(),
    // The setting is in seconds; 0 means never (decision D-28).
    refreshMs: settings.updateLobby === 0 ? false : settings.updateLobby * 1_000,
    onSeen(machines) {
      for (const machine of machines) seen.set(machine.id, machine);
    },
  };
}

export const lobbySourceOf = oncePer<App, LobbySource>(makeSource);
