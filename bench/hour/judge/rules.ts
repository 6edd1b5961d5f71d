import type { Look } from "./look.ts";

/** What must not last. `limitMs` is for a computer that keeps up. */
export type Rule = {
  readonly name: string;
  readonly limitMs: number;
  /** Counts also while something is broken on purpose: the screen must be right about it. */
  readonly always: boolean;
  /** Whether it holds now; `before`: the look before this one on the same page. */
  readonly holds: (look: Look, before: Look | undefined) => boolean;
};

const LOCKUPS = new Set(["handPay", "door", "tilt", "disabled", "outOfService"]);
const SECOND = 1_000;

const lasts = (name: string, seconds: number, holds: Rule["holds"]): Rule => {
  return { name, limitMs: seconds * SECOND, always: false, holds };
};
const never = (name: string, seconds: number, holds: Rule["holds"]): Rule => {
  return { name, limitMs: seconds * SECOND, always: true, holds };
};
const missing = (is: string, seconds: number): Rule =>
  lasts(`the line "${is}" stays`, seconds, ({ game }) => game?.missing === is);

/** The game is on and the screen names nothing that is in its way. */
function plays({ game, variant }: Look): boolean {
  return game?.phase === "playing" && game.live && game.online && game.missing === null && variant === null;
}

export const RULES: readonly Rule[] = [
  never("the page shows nothing at all", 4, ({ speaks }) => !speaks),
  never("the picture stands still and nothing says why", 3, (look, before) => {
    return plays(look) && look.game?.held !== true && look.frames === before?.frames;
  }),
  never("the game's page is broken", 2, ({ broken }) => {
    return broken;
  }),
  lasts("a game's address without its screen", 15, ({ path, game, dialogs }) => {
    return path.startsWith("/game/") && game === null && dialogs.length === 0;
  }),
  lasts("the lobby shows no machine", 15, ({ path, cards, variant }) => {
    return path === "/lobby" && cards === 0 && variant === null;
  }),
  missing("loading", 20),
  missing("leaving", 30),
  missing("checking", 40),
  missing("connectionLost", 20),
  missing("machineAway", 20),
  missing("pictureLost", 20),
  missing("poorLink", 30),
  lasts("a lock stays that nobody keeps", 15, ({ game }) => LOCKUPS.has(game?.missing ?? "")),
  lasts(
    "the reels turn for ever",
    25,
    (look) => plays(look) && look.game?.turning === true && look.game.doing === null,
  ),
  lasts("a feature never ends", 180, (look) => plays(look) && look.game?.doing !== null && look.game?.turning === true),
  lasts("a countdown stands for ever", 100, ({ game }) => game !== null && game.countdown !== null),
  never("SPIN is dead and nothing says why", 5, (look) => plays(look) && look.game?.spinDisabled === true),
  never("SPIN says locked, the screen names no lock", 3, (look) => plays(look) && look.game?.spin === "locked"),
  never("the screen names a lock, SPIN does not", 3, ({ game }) => {
    return (
      LOCKUPS.has(game?.missing ?? "") && game?.online === true && !["locked", "offline"].includes(game.spin ?? "")
    );
  }),
  never("the picture is said to be away and moves", 4, (look, before) => {
    return look.game?.missing === "pictureLost" && before !== undefined && look.frames > before.frames + 1;
  }),
  never("the link is called good and too poor to play", 4, ({ game }) => {
    return game?.quality === "good" && (game.missing === "poorLink" || game.spin === "unfair");
  }),
  never("the link is called lost while the game plays", 10, (look, before) => {
    return plays(look) && look.game?.quality === "lost" && before !== undefined && look.frames > before.frames;
  }),
  never("the picture is away and its link is called good", 5, ({ game }) => {
    return game !== null && !game.live && ["good", "fair"].includes(game.quality ?? "");
  }),
  lasts("the live connection of the lobby is away", 25, ({ path, messages }) => {
    return path.startsWith("/lobby") && messages.some((text) => text.includes("Network Error"));
  }),
];
