import type { Area } from "../../shared/i18n/texts.ts";
import type { Log } from "../../shared/log/log.ts";
import { paths } from "../../shared/paths/paths.ts";

/**
 * What the page at this address will be drawn with, loaded while settings and token check are still on their way: it would be asked
 * for only after them, one thing after the other. `browser-check.js` guesses alike and had its files fetched before this script was there.
 * A guess that was wrong costs some kB, one that fails is asked for again. Answers the texts that will be needed, too.
 */
export function fetchAhead(path: string, hasToken: boolean, log: Log): readonly Area[] {
  // Other addresses are opened by links and from the page itself.
  if (path !== paths.start && path !== paths.login && !path.startsWith(paths.lobby)) return [];
  // After the texts, which the first drawing needs: they are asked for by whoever called.
  Promise.resolve()
    .then(() => Promise.all(hasToken ? lobbyParts() : loginParts()))
    .catch((error: unknown) => log("A part could not be fetched ahead.", error));
  return hasToken ? ["shell", "wallet", "claims", "lobby"] : [];
}

const lobbyParts = (): Promise<unknown>[] => [
  import("../player/player-part.ts"),
  import("../routes/shell.tsx"),
  import("../routes/lobby.tsx"),
  import("../entrance/keep-watch.tsx"),
];

const loginParts = (): Promise<unknown>[] => [import("../routes/login.tsx")];
