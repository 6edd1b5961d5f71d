import { keyCalls } from "@longarm/contract/player-keys";
import { problems } from "@longarm/contract/problems";
import type { PasskeyEnded } from "@longarm/ui/passkeys.ts";
import { browserPasskeys, forgetPasskey, hasPasskeys, offerInField, offersInField } from "@longarm/ui/passkeys.ts";
import { IssuerKeys } from "../../features/auth/issuer-keys.tsx";
import type { PasskeyDoor, PasskeyEnd } from "../../features/auth/passkey-door.ts";
import type { ApiAnswer } from "../../shared/api/client.ts";
import type { SignInAnswer } from "../../shared/auth/player.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { App } from "../app.ts";
import { comeBack, createOpenIdDoors } from "./openid-door.ts";

/** The platform waits five minutes for an answer: an offer beside the field is renewed before, ms. */
const RENEW_MS = 240_000;

/**
 * What came with the address signs in, in place of the player who was signed in; where it does not, the stored token does. It is the code of a link, or what
 * the issuer put behind its address, with its name, if it has one there, and `#` or `?`.
 */
export async function signInWithLink(app: App, code: string): Promise<boolean> {
  const [, issuer = "", answer] = /^([\w-]*)[#?](.*)$/.exec(code) ?? [];
  if (answer !== undefined) return await comeBack(app, { answer, ...(issuer !== "" && { issuer }) }, enterWith(app));
  const end = enterWith(app)(await app.api.make(keyCalls.linkLogin, { body: { code, site_id: app.settings.siteId } }));
  if (end.is === "failed") app.messages.say("bad", failureText(app.texts.speech.getState(), end.failure));
  return end.is === "in";
}

type Entered = { readonly is: "in" } | Extract<PasskeyEnd, { is: "failed" }>;

const enterWith =
  (app: App) =>
  (answer: ApiAnswer<SignInAnswer>): Entered => {
    if (!answer.ok) return { is: "failed", failure: answer.failure };
    const { token } = answer.data;
    if (!token) return { is: "failed", failure: { is: "malformed", httpStatus: 200, params: {}, fields: [] } };
    app.auth.accept(token, answer.data);
    return { is: "in" };
  };

/** Signing in without the password. Loaded once the form is there. */
export function createPasskeyDoor(app: App): PasskeyDoor {
  const browser = browserPasskeys();
  const ask = () => app.api.make(keyCalls.passkeyAsk);
  const enter = enterWith(app);

  type Begun = { readonly ceremony: string; readonly options: Record<string, unknown> };
  async function send({ ceremony, options }: Begun, response: Awaited<ReturnType<typeof browser.use>>) {
    const body = { ceremony, response, site_id: app.settings.siteId };
    const end = enter(await app.api.make(keyCalls.passkeyLogin, { body }));
    if (end.is === "in") app.storage.write(STORAGE_KEYS.passkey, "yes");
    if (end.is === "failed" && end.failure.code === problems["passkey.unknown"].code) {
      app.storage.remove(STORAGE_KEYS.passkey);
      void forgetPasskey(String(options["rpId"] ?? ""), response.id);
    }
    return end;
  }

  return {
    isHere: hasPasskeys(),
    async use() {
      const begun = await ask();
      if (!begun.ok)
        return begun.failure.httpStatus === 404 ? { is: "none" } : { is: "failed", failure: begun.failure };
      try {
        return await send(begun.data, await browser.use(begun.data.options));
      } catch (error) {
        return { is: (error as PasskeyEnded).why === "none" ? "none" : "cancelled" };
      }
    },
    async offer(signal, ended) {
      if (!hasPasskeys() || !(await offersInField())) return;
      while (!signal.aborted) {
        const begun = await ask();
        if (!begun.ok) return;
        const renewal = AbortSignal.timeout(RENEW_MS);
        const response = await offerInField(begun.data.options, AbortSignal.any([signal, renewal]));
        if (response !== undefined) return ended(await send(begun.data, response));
        // A press of the button took its place, or the browser ended it.
        if (!renewal.aborted) return;
      }
    },
    issuers: () => createOpenIdDoors(app),
    IssuerKeys,
    byCode: async (username, code) => {
      const body = { username, code, site_id: app.settings.siteId };
      return enter(await app.api.make(keyCalls.codeLogin, { body }));
    },
  };
}
