type LookOptions = { readonly answerMs: number; readonly brokenTitle: string };
type Pressed = { readonly at: number; readonly state: string; readonly before: string; reported: boolean };

/** The observer's object in the page. */
export type ScreenWatch = {
  /** Pictures shown since the page was loaded. */
  frames: number;
  /** Presses on SPIN that nothing has answered yet. */
  presses: Pressed[];
  /** `brokenTitle`: heading of the page that gave up. */
  look(options: LookOptions): Look;
};
type Holder = { longarmScreen: ScreenWatch };

/*
 * Each runs in the page from its beginning, in this order; self-contained, because it is sent as text. They read nothing but the
 * document: what a player sees, and the data attributes that say the same in short.
 */
export const PAGE_SCRIPTS: readonly (() => void)[] = [countFrames, watchPresses, lookAround];

function countFrames(): void {
  const watch: Pick<ScreenWatch, "frames"> = { frames: 0 };
  Object.assign(globalThis, { longarmScreen: watch });
  const followed = new WeakSet<HTMLVideoElement>();
  setInterval(() => {
    for (const video of document.querySelectorAll<HTMLVideoElement>("main[data-phase] video")) {
      if (followed.has(video)) continue;
      followed.add(video);
      const next = (): void => {
        watch.frames += 1;
        if (video.isConnected) video.requestVideoFrameCallback(next);
      };
      video.requestVideoFrameCallback(next);
    }
  }, 100);
}

function watchPresses(): void {
  const watch = (globalThis as unknown as Holder).longarmScreen;
  watch.presses = [];
  const key = (): HTMLElement | null => document.querySelector<HTMLElement>("[data-spin]");

  /** Everything in which a press can be answered. */
  function answers(): string {
    const { turning, credit, win, gamesPlayed } =
      document.querySelector<HTMLElement>("main[data-phase]")?.dataset ?? {};
    const announced = document.querySelectorAll("[role=dialog], [aria-live] [data-kind]");
    const words = [...announced].map(({ textContent }) => textContent);
    return JSON.stringify([location.pathname, turning, credit, win, gamesPlayed, key()?.dataset["state"], words]);
  }

  function pressed(): void {
    const state = key()?.dataset["state"];
    const last = watch.presses.at(-1);
    const at = performance.now();
    // A key that says already what it does with a press needs no more; a second press at once is part of the first.
    if (state === undefined || !["ready", "noCredit", "auto"].includes(state)) return;
    if (last === undefined || at - last.at > 600) watch.presses.push({ at, state, before: answers(), reported: false });
  }

  const onPointer = ({ target }: Event): void => {
    if (target instanceof Element && target.closest("[data-spin]") !== null) pressed();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.code !== "Space" || event.repeat || event.target instanceof HTMLInputElement) return;
    if (document.querySelector("[role=dialog]") === null) pressed();
  };
  addEventListener("pointerdown", onPointer, true);
  addEventListener("keydown", onKey, true);
  setInterval(() => {
    if (watch.presses.length === 0) return;
    const now = answers();
    watch.presses = watch.presses.filter(({ before }) => before === now);
  }, 50);
}

function lookAround(): void {
  const watch = (globalThis as unknown as Holder).longarmScreen;
  const words = (node: Element): string => (node.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 160);
  const shown = (node: Element): boolean => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const all = (what: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(what)].filter(shown);
  const number = (text: string | undefined): number | null => (text === undefined ? null : Number(text));

  function game(main: HTMLElement): GameLook {
    const { phase = "", live, online, turning, credit, gamesPlayed } = main.dataset;
    const line = main.querySelector<HTMLElement>("[data-missing]");
    const spin = main.querySelector<HTMLButtonElement>("[data-spin]");
    return {
      phase,
      live: live === "true",
      online: online === "true",
      turning: turning === "true",
      credit: number(credit),
      gamesPlayed: number(gamesPlayed),
      missing: line !== null && shown(line) ? (line.dataset["missing"] ?? "") : null,
      missingWords: line === null ? "" : words(line),
      doing: main.querySelector<HTMLElement>("[data-doing]")?.dataset["doing"] ?? null,
      countdown: main.querySelector<HTMLElement>("[data-code]")?.dataset["code"] ?? null,
      spin: spin?.dataset["state"] ?? null,
      spinDisabled: spin?.disabled ?? true,
      quality: main.querySelector<HTMLElement>("[data-quality]")?.dataset["quality"] ?? null,
      held: all("main[data-phase] [role=status][data-middle=true]").length > 0,
    };
  }

  watch.look = ({ answerMs, brokenTitle }) => {
    const main = document.querySelector<HTMLElement>("main[data-phase]");
    const late = watch.presses.filter(({ at, reported }) => !reported && performance.now() - at > answerMs);
    for (const press of late) press.reported = true;
    return {
      path: location.pathname,
      speaks: document.body?.checkVisibility() === true && document.body.innerText.trim() !== "",
      broken: document.querySelector("main h1")?.textContent === brokenTitle,
      game: main === null ? null : game(main),
      frames: watch.frames,
      variant: document.querySelector<HTMLElement>("[data-variant]")?.dataset["variant"] ?? null,
      cards: document.querySelectorAll("[data-machine]").length,
      dialogs: all("[role=dialog], [role=alertdialog]").map(words),
      messages: all("[aria-live=polite] [data-kind]").map(words),
      unanswered: late.map(({ state }) => state),
    };
  };
}

/** What a player's screen says at one moment, read from its document. */
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
  /** Variant of the reconnect dialog that is open. */
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
  /** The state line that is shown, and its words. */
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
