import { problems } from "@longarm/contract/problems";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { getRouteApi, Link, useRouteContext } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { AddressBlock } from "../../features/keys/address-block.tsx";
import { AppBlock } from "../../features/keys/app-block.tsx";
import { KeysBlock } from "../../features/keys/keys-block.tsx";
import { OpenIdBlock } from "../../features/keys/openid-block.tsx";
import { SignInsBlock } from "../../features/keys/sign-ins-block.tsx";
import type { PasswordErrors, PasswordFields } from "../../features/profile/profile-screen.tsx";
import { ProfileScreen } from "../../features/profile/profile-screen.tsx";
import { Page } from "../../features/shell/page.tsx";
import { PaletteSwatches } from "../../features/theme/palette-swatches.tsx";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { keptPin } from "../../shared/auth/auth-session.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { choosePin } from "../account/choose-pin.ts";
import { changeAppearance, chooseLanguage } from "../appearance.ts";
import { renewToken } from "../start/sign-in.ts";

const player = getRouteApi("/shell/player");
const OnDevice = lazy(() => import("../device/on-device.tsx").catch(() => ({ default: () => null })));

/** Always the player's own profile: no call takes the id in the address (decision D-13). */
export function ProfileRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const signedIn = useLive(app.auth.state);
  const link = player.useLoaderData();
  usePageTitle(t("profile.title"));

  async function changePassword({ oldPassword, newPassword }: PasswordFields) {
    const body = { old_password: oldPassword, new_password: newPassword };
    const answer = await app.api.call("password", { body, at: app.addresses.password });
    const speech = app.texts.speech.getState();
    if (!answer.ok) return passwordErrors(speech, answer.failure);
    app.messages.say("good", speech.t("profile.changed"), TOAST_MS);
    // The new token says when the password was changed, and that it is not expired.
    void renewToken(app);
    return undefined;
  }

  const pin = keptPin(app.storage);
  // Signed out while the page was open: the guard leads away at once.
  if (signedIn.is === "guest") return null;
  return (
    <Page title={t("profile.title")} subtitle={t("profile.subtitle")}>
      <ProfileScreen
        player={signedIn.player}
        hasPin={pin.at === "platform" ? pin.isSet : pin.hash !== ""}
        onPin={pin.at === "platform" ? (fields) => choosePin(app, fields) : undefined}
        settings={app.settings}
        appearance={
          <PaletteSwatches appearance={app.appearance} onChange={(choice) => changeAppearance(app, choice)} />
        }
        device={
          <Suspense>
            <OnDevice {...{ app, link }} at="profile" />
          </Suspense>
        }
        keys={
          <>
            <AddressBlock {...{ api: app.api, messages: app.messages }} onConfirmed={() => void renewToken(app)} />
            <KeysBlock {...{ api: app.api, messages: app.messages }} />
            <AppBlock {...{ api: app.api, messages: app.messages }} />
            <OpenIdBlock {...{ api: app.api, messages: app.messages }} />
            <SignInsBlock {...{ api: app.api, messages: app.messages }} />
          </>
        }
        more={
          <>
            <Link to={paths.identity} className={keyClass({ kind: "line" })}>
              {t("profile.identity")}
            </Link>
            <Link to={paths.terms} className={keyClass({ kind: "line" })}>
              {t("profile.terms")}
            </Link>
          </>
        }
        clock={app.clock}
        onPassword={changePassword}
        onLanguage={(language) => chooseLanguage(app, language)}
      />
    </Page>
  );
}

/** Refusals that are about the new password. */
const OF_THE_NEW_ONE = [problems["password.too_short"].code, problems["password.too_common"].code];

/** Assigns a failure to its field. */
function passwordErrors(speech: Speech, failure: ApiFailure): PasswordErrors {
  const text = failureText(speech, failure);
  if (failure.code === problems["password.old_wrong"].code) return { oldPassword: text };
  if (OF_THE_NEW_ONE.some((code) => failure.code === code)) return { newPassword: text };
  const named = failure.fields.find(({ type }) => type === "password");
  return named === undefined ? { form: text } : { newPassword: named.message };
}
