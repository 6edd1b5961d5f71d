import type { ShownIssuer } from "@longarm/contract/player-openid";
import { openIdCalls } from "@longarm/contract/player-openid";
import { problems } from "@longarm/contract/problems";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import type { OpenIdDoor } from "../../features/auth/issuer-keys.tsx";
import type { ApiAnswer } from "../../shared/api/client.ts";
import type { SignInAnswer } from "../../shared/auth/player.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { takeIssuerVisit, visitIssuer } from "../../shared/issuer-visit/issuer-visit.ts";
import { paths } from "../../shared/paths/paths.ts";
import type { App } from "../app.ts";
import { needCodes } from "../start/sign-in.ts";

/** Signing in with the operator's issuers, in their order. */
export async function createOpenIdDoors(app: App): Promise<OpenIdDoor[]> {
  const ways = await app.api.make(openIdCalls.signInWays);
  if (!ways.ok) return [];
  const { openId, issuers } = ways.data;
  if (issuers === undefined) return openId === null ? [] : [openIdDoor(app, openId)];
  return issuers.map((issuer) => openIdDoor(app, issuer));
}

/** Without a name: an older platform, which has one issuer. */
function openIdDoor(
  app: App,
  { name, label, icon = null }: Partial<ShownIssuer> & { readonly label: string },
): OpenIdDoor {
  return {
    label,
    icon: icon === null ? null : new URL(icon, app.addresses.api).href,
    async leave() {
      const begun = await app.api.make(openIdCalls.openIdBegin, {
        body: { ...(name !== undefined && { issuer: name }) },
      });
      if (!begun.ok) return begun.failure;
      // What was requested before the login.
      const { wanted = paths.start } = (history.state ?? {}) as { wanted?: string };
      visitIssuer({ ...begun.data, act: null, target: wanted });
      return undefined;
    },
  };
}

/** `issuer`: which one's address it came to; absent: the one of an issuer without a name there. */
type Brought = { readonly answer: string; readonly issuer?: string };
type Enter = (answer: ApiAnswer<SignInAnswer>) => { readonly is: "in" | "failed" };

/** What the issuer put behind the address: signs in, or ends what the signed-in player began. True: a player is in by it. */
export async function comeBack(app: App, brought: Brought, enter: Enter): Promise<boolean> {
  const { api, messages, settings, texts } = app;
  const visit = takeIssuerVisit();
  history.replaceState(null, "", visit?.target ?? paths.start);
  await Promise.all([texts.need("keys"), needCodes(app)]);
  const { t } = texts.speech.getState();
  // Another tab, or a page that was opened again: nothing here waits for it.
  if (visit === undefined) {
    messages.say("bad", t(`code.${problems["openId.refused"].code}`));
    return false;
  }
  const { secret, act } = visit;
  const back = { secret, ...brought };
  if (act === null) {
    const signedIn = await api.make(openIdCalls.openIdLogin, { body: { ...back, site_id: settings.siteId } });
    if (!signedIn.ok) messages.say("bad", failureText(texts.speech.getState(), signedIn.failure));
    return enter(signedIn).is === "in";
  }
  const done = await api.make(openIdCalls.openIdFinish, { body: back });
  if (done.ok) messages.say("good", t(act === "link" ? "keys.openIdLinked" : "keys.openIdConfirmed"), TOAST_MS);
  else messages.say("bad", failureText(texts.speech.getState(), done.failure));
  return false;
}
