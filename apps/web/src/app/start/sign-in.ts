import type { Messages } from "@longarm/ui/messages.ts";
import type { ApiAnswer } from "../../shared/api/client.ts";
import type { AuthSession } from "../../shared/auth/auth-session.ts";
import { isExpired, isSendable, readToken, SignInAnswer } from "../../shared/auth/player.ts";
import { failureText, overText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import type { App } from "../app.ts";

/** The token is no good any more: says why, when there is something to say, and signs out (specification 4.2). */
export function autoLogout({ auth, messages }: { auth: AuthSession; messages: Messages }, message?: string): void {
  if (message !== undefined) messages.say("bad", message);
  auth.end();
}

/** An answer is not held up for longer by the texts of its code, ms. */
const CODES_MS_MAX = 2_000;

/** The texts of the platform's codes: a screen is drawn without them. Never rejects: without them a failure has the platform's own sentence. */
export async function needCodes({ texts, timers }: Pick<App, "texts" | "timers">): Promise<void> {
  await new Promise<void>((done) => {
    const stop = timers.after(CODES_MS_MAX, done);
    texts
      .need("code")
      .catch(() => undefined)
      .then(() => {
        stop();
        done();
      });
  });
}

/** A token check that was sent before its answer could be shown. */
type CheckUnderWay = { readonly token: string; readonly answer: Promise<ApiAnswer<SignInAnswer>> };

/** Signs in with the stored token, if there is one. Whatever goes wrong is said, and leaves a guest. */
export async function signInWithToken(app: App, underWay?: CheckUnderWay): Promise<void> {
  const { api, auth, clock, messages, texts } = app;
  const token = auth.token();
  if (token === null) return;
  if (isExpired(readToken(token), clock.now())) {
    autoLogout(app);
    return;
  }
  if (!isSendable(token)) {
    autoLogout(app, texts.speech.getState().t("app.invalidToken"));
    return;
  }
  const ahead = underWay?.token === token ? underWay.answer : undefined;
  const answer = await (ahead ?? api.read("validate", {}, SignInAnswer));
  if (answer.ok) {
    // Another tab may have signed out meanwhile: its end holds here too.
    if (auth.token() !== null) auth.accept(token, answer.data);
    return;
  }
  const { failure } = answer;
  await needCodes(app);
  if (failure.is === "unauthorised") {
    // Otherwise the client has shown the message and cleaned up.
    if (ahead !== undefined && auth.token() === token) autoLogout(app, overText(texts.speech.getState(), failure));
    return;
  }
  // Without an answer the token stays for the next try.
  const speech = texts.speech.getState();
  messages.say("bad", failure.is === "network" ? failureText(speech, failure) : speech.t("app.tokenFailed"));
}

/** Has the token of a player checked and renewed. A dead one signs out. */
export async function renewToken({ api, auth }: App): Promise<void> {
  const token = auth.token();
  if (token === null) return;
  const answer = await api.read("validate", {}, SignInAnswer);
  if (answer.ok && auth.token() === token) auth.accept(token, answer.data);
}

/** Another tab changed the stored token: signing out there signs out here, and the player who signed in there is signed in here. */
export async function followOtherTabs(app: App, reload: () => void): Promise<void> {
  const { auth } = app;
  const state = auth.state.getState();
  const token = auth.token();
  if (state.is === "guest") return signInWithToken(app);
  if (token === null) return auth.endedElsewhere();
  // A renewed token of the same player changes nothing; nothing of one player may stay on the screen of another.
  if (readToken(token)?.id !== state.player.claims?.id) reload();
}

/** A page address taken apart: the token, and the link's code or the issuer's answer that came in it, and the address without. */
type Arrival = { readonly token: string | null; readonly once: string | null; readonly clean: string };

/** Finds `?token=`, `#once=`, and what an issuer put behind its address, with its name before it; everything else of it stays as it was written. */
export function takeToken(href: string): Arrival {
  const { pathname, search, hash } = new URL(href);
  const [, page, issuer = ""] = pathname.split("/");
  if (`/${page}` === paths.callback && /\bstate=/.test(href))
    return { token: null, once: issuer + (hash || search), clean: paths.callback };
  const parts = search.slice(1).split("&");
  const [, once = null] = hash.split("#once=");
  const others = parts.filter((part) => !new URLSearchParams(part).has("token")).join("&");
  return {
    token: new URLSearchParams(search).get("token") || null,
    once,
    clean: `${pathname}${others === "" ? "" : `?${others}`}${once === null ? hash : ""}`,
  };
}
