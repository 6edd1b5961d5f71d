import type { AppearanceChoice } from "@longarm/contract/template/appearance";
import type { Timers } from "@longarm/link/socket";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import { templateApiOf } from "./template-api.ts";

/**
 * Keeps a player's choices with the account and says so, once a burst. Resolves with whether they are kept; never for a guest, for whom
 * nothing is called (row R-6-13).
 */
export function saveUserData(app: App, data: UserData): Promise<boolean> {
  if (app.auth.state.getState().is === "guest") return Promise.resolve(false);
  return saverOf(app).save(data);
}

const saverOf = oncePer<App, AccountSaver>((app) => {
  const { auth, timers } = app;
  const saver = createAccountSaver({ timers, send: (data) => send(app, data) });
  const playerId = () => {
    const state = auth.state.getState();
    return state.is === "player" ? state.player.id : undefined;
  };
  let player = playerId();
  // Nothing of one player is kept with the account of the next.
  auth.state.subscribe(() => {
    if (playerId() !== player) saver.drop();
    player = playerId();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) saver.flush();
  });
  return saver;
});

async function send(app: App, { settings, shortcuts }: UserData): Promise<boolean> {
  const state = app.auth.state.getState();
  if (state.is === "guest") return false;
  const { id, role, displayName, photoURL, email } = state.player;
  const data = {
    ...{ displayName, photoURL, email },
    ...(settings && { settings }),
    ...(shortcuts && { shortcuts: [...shortcuts] }),
  };
  const body = { user: { uuid: id, from: "longarm", role, data } };
  const answer = await templateApiOf(app).call("updateUser", { body });
  await app.texts.need("account").catch(() => undefined);
  const speech = app.texts.speech.getState();
  if (answer.ok) app.messages.say("good", speech.t("account.saved"));
  // The platform's own answer reports that the sign-in is over.
  else if (answer.failure.is !== "unauthorised")
    app.messages.say("bad", speech.t("account.notSaved", { why: failureText(speech, answer.failure) }));
  return answer.ok;
}

/** What a player may keep with the account; what is left out stays as it is. */
type UserData = { readonly settings?: AppearanceChoice; readonly shortcuts?: readonly string[] };

type SaverDeps = {
  /** Sends what was gathered. Resolves with whether it is kept; rejects never. */
  readonly send: (data: UserData) => Promise<boolean>;
  readonly timers: Timers;
};

type AccountSaver = {
  /** Gathers for a moment; resolves once what was given is kept, or could not be. The last of each wins. */
  save(data: UserData): Promise<boolean>;
  /** Sends now what is still gathered: the page may be gone in a moment. */
  flush(): void;
  /** Forgets what is still gathered: the player is gone. */
  drop(): void;
};

/** Changes come in bursts, as from a slider or a row of switches: so long without one ends a burst, ms. */
export const GATHER_MS = 500;

/** Keeps choices with the account: one call a burst and one at a time, so that none overtakes a later one. What failed goes with the next. */
function createAccountSaver({ send, timers }: SaverDeps): AccountSaver {
  let gathered: UserData = {};
  let waiting: ((kept: boolean) => void)[] = [];
  let stopTimer = () => {};
  let sending = Promise.resolve();
  let era = 0;

  async function sendGathered(): Promise<void> {
    const waited = waiting;
    if (waited.length === 0) return;
    const data = gathered;
    const sentIn = era;
    gathered = {};
    waiting = [];
    const kept = await send(data);
    // A later choice is newer than the one that failed.
    if (!kept && era === sentIn) gathered = { ...data, ...gathered };
    for (const resolve of waited) resolve(kept);
  }

  function flush(): void {
    stopTimer();
    sending = sending.then(sendGathered);
  }

  return {
    save(data) {
      gathered = { ...gathered, ...data };
      stopTimer();
      stopTimer = timers.after(GATHER_MS, flush);
      return new Promise((resolve) => waiting.push(resolve));
    },
    flush,
    drop() {
      stopTimer();
      era += 1;
      gathered = {};
      for (const resolve of waiting.splice(0)) resolve(false);
    },
  };
}
