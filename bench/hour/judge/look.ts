/** What a player's screen says at one moment, as its own document tells it. */
export type Look = {
  readonly path: string;
  /** There is something to read or to look at. */
  readonly speaks: boolean;
  /** The page gave up and offers to be loaded again. */
  readonly broken: boolean;
  /** The game screen, while there is one. */
  readonly game: GameLook | null;
  /** Pictures of the machine that were shown since the page was loaded. */
  readonly frames: number;
  /** Variant of the reconnect dialog that stands open. */
  readonly variant: string | null;
  /** Machines that the lobby shows. */
  readonly cards: number;
  readonly dialogs: readonly string[];
  readonly messages: readonly string[];
  /** Presses on SPIN that nothing on the screen answered in time, by the key's state when it was pressed. */
  readonly unanswered: readonly string[];
};

export type GameLook = {
  readonly phase: string;
  readonly live: boolean;
  readonly online: boolean;
  readonly turning: boolean;
  readonly credit: number | null;
  readonly gamesPlayed: number | null;
  /** Which state line stands there, and its words. */
  readonly missing: string | null;
  readonly missingWords: string;
  readonly doing: string | null;
  readonly countdown: string | null;
  readonly spin: string | null;
  readonly spinDisabled: boolean;
  readonly quality: string | null;
  /** The browser holds the picture back and the page says so. */
  readonly held: boolean;
};
