import { failureText } from "../../shared/i18n/problem-text.ts";
import type { App } from "../app.ts";
import { oncePer } from "../once-per.ts";
import type { AccountSaver, UserData } from "./account-saver.ts";
import { createAccountSaver } from "./account-saver.ts";
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
  // Whose sign-in is over is told by the platform's own answer.
  else if (answer.failure.is !== "unauthorised")
    app.messages.say("bad", speech.t("account.notSaved", { why: failureText(speech, answer.failure) }));
  return answer.ok;
}
