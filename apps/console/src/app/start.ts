import type { Texts } from "@longarm/ui/i18n/texts.ts";
import type { Messages } from "@longarm/ui/messages.ts";
import { QueryClient } from "@tanstack/react-query";
import { createStore } from "zustand/vanilla";
import { createActs } from "../shared/acts.ts";
import { CallProblem, createApi } from "../shared/api.ts";
import type { Console, Palette } from "../shared/console.ts";
import { watchIdle } from "../shared/idle.ts";
import { createKeyboard } from "../shared/keyboard.ts";
import type { keepLive } from "../shared/live.ts";
import type { SessionNews, Sessions } from "../shared/session.ts";
import { createSessions } from "../shared/session.ts";
import type { Kept } from "./kept.ts";

/** What the real world gives the console: made in `main.tsx`, replaced in tests. */
export type Surroundings = Pick<Console, "clock" | "timers" | "random" | "passkeys" | "leave" | "push" | "tones"> & {
  readonly page: Window;
  readonly fetch: typeof fetch;
  /** To the other pages of this browser, which share the sign-in. */
  readonly channel: Pick<BroadcastChannel, "postMessage" | "addEventListener">;
  readonly newId: () => string;
  /** Opens the staff socket of a sign-in; answers how to end it. */
  readonly openLive: (deps: LiveDeps) => () => void;
  readonly texts: Texts;
  readonly messages: Messages;
  readonly kept: Kept;
};

export type LiveDeps = Pick<Parameters<typeof keepLive>[0], "queries" | "onLive" | "onSignIn">;
export type Started = { readonly console: Console; readonly queries: QueryClient };

/** A page that does not reach the platform tries again this often, ms. */
const REACH_MS = 3_000;
const FRESH_MS = 2_000;

export function startConsole(given: Surroundings): Started {
  const { page, channel, clock, timers, random, passkeys, leave, push, tones, texts, messages, kept } = given;
  const offlineSince = createStore<number | null>(() => null);
  const live = createStore<boolean>(() => false);
  const palette = createStore<Palette>(() => (kept.read("palette") === "daylight" ? "daylight" : "night"));
  const queries = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: FRESH_MS, refetchOnWindowFocus: true } },
  });
  const api = createApi({
    fetch: given.fetch,
    csrf() {
      const now = sessions.state.getState();
      return "me" in now ? now.me.csrf : undefined;
    },
    observe(problem) {
      const isAway = problem?.problem === "network";
      if (isAway !== (offlineSince.getState() !== null)) offlineSince.setState(isAway ? clock.now() : null, true);
      sessions.observe(problem);
    },
  });
  const news = (what: SessionNews): void => channel.postMessage(what);
  const sessions = createSessions(() => api, clock, news);
  const acts = createActs({ api, passkeys, newId: given.newId });

  const started: Started = {
    queries,
    console: {
      api,
      acts,
      passkeys,
      leave,
      push,
      tones,
      sessions,
      texts,
      messages,
      clock,
      timers,
      random,
      offlineSince,
      live,
      keyboard: createKeyboard({
        timers,
        kept: { read: () => kept.read("letters") !== "off", write: (on) => kept.write("letters", on ? "on" : "off") },
      }),
      palette,
      changePalette(to) {
        palette.setState(to, true);
        kept.write("palette", to);
      },
    },
  };
  drawLook(started.console, page.document.documentElement, kept);
  forgetWithSession(sessions, queries, () => acts.stepUp.getState()?.cancel());
  reachAgain(started.console, page);
  const setLive = (isLive: boolean): void => live.setState(isLive, true);
  let endLive = (): void => {};
  sessions.state.subscribe((now, before) => {
    if (now.is === before.is) return;
    endLive();
    endLive =
      now.is === "in"
        ? given.openLive({ queries, onLive: setLive, onSignIn: () => void sessions.refresh() })
        : () => {};
    if (now.is !== "in") setLive(false);
  });
  keepIdleLock(started.console, { page, channel, news });
  return started;
}

/** Keeps `<html lang dir>` and the palette as they were chosen. */
function drawLook({ texts, palette }: Console, root: HTMLElement, kept: Kept): void {
  function draw(): void {
    const { language } = texts.speech.getState();
    root.lang = language;
    root.dir = language === "ar" ? "rtl" : "ltr";
    root.dataset["palette"] = palette.getState();
  }
  draw();
  texts.speech.subscribe(({ language }) => {
    kept.write("language", language);
    draw();
  });
  palette.subscribe(draw);
}

/** What a person has read is gone when the sign-in is locked or over, and an act that waits for a passkey too. */
function forgetWithSession(sessions: Sessions, queries: QueryClient, cancelStepUp: () => void): void {
  sessions.state.subscribe((now, before) => {
    if (now.is === "in" || before.is !== "in") return;
    cancelStepUp();
    queries.clear();
  });
}

/** While the platform is out of reach it is tried again, and the pages are read anew when it is there. */
function reachAgain({ offlineSince, sessions, timers }: Console, page: Window): void {
  let stop = (): void => {};
  const tryAgain = (): void => {
    stop();
    if (offlineSince.getState() === null) return;
    stop = timers.after(REACH_MS, () => void sessions.refresh().then(tryAgain));
  };
  offlineSince.subscribe(tryAgain);
  page.addEventListener("online", () => void sessions.refresh());
  page.addEventListener("pageshow", ({ persisted }) => persisted && void sessions.refresh());
}

type IdleDeps = {
  readonly page: Window;
  readonly channel: Surroundings["channel"];
  readonly news: (what: SessionNews) => void;
};

/** Locks the page after its idle time, and a phone at once when it goes into a pocket. Input in one page counts for all. */
function keepIdleLock({ api, sessions, passkeys, clock, timers }: Console, { page, channel, news }: IdleDeps): void {
  let watch: ReturnType<typeof watchIdle> | undefined;
  function follow(): void {
    const now = sessions.state.getState();
    watch?.end();
    watch = undefined;
    if (now.is !== "in") return;
    watch = watchIdle({
      page,
      clock,
      timers,
      idleMs: now.me.signIn.idleMs,
      lock: () => void sessions.lock(),
      report() {
        news("active");
        api.call("active", { body: {} }).catch((error: unknown) => {
          // What the call means for the sign-in is known by now.
          if (!(error instanceof CallProblem)) throw error;
        });
      },
    });
  }
  sessions.state.subscribe((now, before) => {
    if (now.is !== before.is) follow();
  });
  channel.addEventListener("message", (event: Event) => {
    const { data } = event as MessageEvent<SessionNews>;
    if (data === "active") watch?.active();
    else void sessions.refresh();
  });
  page.document.addEventListener("visibilitychange", () => {
    const isPhone = page.matchMedia("(pointer: coarse) and (max-width: 40rem)").matches;
    if (page.document.visibilityState === "hidden" && isPhone && watch !== undefined && !passkeys.busy())
      void sessions.lock();
  });
}
