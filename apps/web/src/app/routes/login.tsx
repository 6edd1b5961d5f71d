import { problems } from "@longarm/contract/problems";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { useRouteContext } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { lazy, Suspense, useEffect, useState } from "react";
import type { LoginFields } from "../../features/auth/login-form.tsx";
import { LoginScreen } from "../../features/auth/login-screen.tsx";
import type { PasskeyDoor } from "../../features/auth/passkey-door.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { SignInAnswer } from "../../shared/auth/player.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import { chooseLanguage } from "../appearance.ts";

const ForgottenPassword = lazy(() => import("../account/forgotten-password.tsx"));

/** A login that was answered without a token is no login. */
const noToken: ApiFailure = { is: "malformed", httpStatus: 200, params: {}, fields: [] };

/** Logs in; the guard then sees a player on a guests' page and leads on to the wanted path. */
export function LoginRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const { storage, settings } = app;
  usePageTitle(t("auth.title"));
  const [passkeys, setPasskeys] = useState<PasskeyDoor>();
  const [second, setSecond] = useState<ReactNode>();
  useEffect(() => {
    // The form works without it: what cannot be loaded is not offered.
    void import("../account/passkey-door.ts").then(
      ({ createPasskeyDoor }) => setPasskeys(createPasskeyDoor(app)),
      () => undefined,
    );
  }, [app]);

  async function logIn(fields: LoginFields & { code?: string }, remember: boolean): Promise<ApiFailure | undefined> {
    const { username } = fields;
    const body = { ...fields, site_id: settings.siteId };
    const answer = await app.api.read("login", { body }, SignInAnswer);
    if (!answer.ok) {
      if (answer.failure.code === problems["app.code_needed"].code) {
        const onCode = (code: string) => logIn({ ...fields, code }, remember);
        const [step] = await Promise.all([import("../account/second-step.tsx"), app.texts.need("keys")]).catch(
          () => [],
        );
        if (step) {
          setSecond(<step.SecondStep onCode={onCode} onBack={() => setSecond(undefined)} />);
          return undefined;
        }
      }
      return answer.failure;
    }
    const { token } = answer.data;
    if (!token) return noToken;
    storage.write(STORAGE_KEYS.rememberMe, String(remember));
    if (remember) storage.write(STORAGE_KEYS.username, username);
    else storage.remove(STORAGE_KEYS.username);
    app.auth.accept(token, answer.data);
    return undefined;
  }

  const start = {
    username: storage.read(STORAGE_KEYS.username) ?? "",
    remember: storage.read(STORAGE_KEYS.rememberMe) === "true",
  };
  return (
    <LoginScreen
      settings={settings}
      refused={settings.loginWithToken}
      start={start}
      onLogin={logIn}
      second={second}
      reset={
        <Suspense>
          <ForgottenPassword app={app} />
        </Suspense>
      }
      passkeys={settings.loginWithToken ? undefined : passkeys}
      passkeyFirst={storage.read(STORAGE_KEYS.passkey) !== null}
      onLanguage={(language) => chooseLanguage(app, language)}
    />
  );
}
