import { useRouteContext } from "@tanstack/react-router";
import type { LoginFields } from "../../features/auth/login-model.ts";
import { loginErrors } from "../../features/auth/login-model.ts";
import { LoginScreen } from "../../features/auth/login-screen.tsx";
import { useText } from "../../shared/i18n/use-text.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import { chooseLanguage } from "../language.ts";
import { usePageTitle } from "../page-title.ts";

/** Logs in; the guard then sees a player on a guests' page and leads on to the wanted path. */
export function LoginRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const { storage, settings } = app;
  usePageTitle(t("auth.title"));

  async function logIn({ username, password }: LoginFields, remember: boolean) {
    const body = { username, password, site_id: settings.siteId };
    const answer = await app.api.call("login", { body });
    if (!answer.ok) return loginErrors(app.texts.speech.getState(), answer.failure);
    storage.write(STORAGE_KEYS.rememberMe, String(remember));
    if (remember) storage.write(STORAGE_KEYS.username, username);
    else storage.remove(STORAGE_KEYS.username);
    app.auth.accept(answer.data.token, answer.data);
    return undefined;
  }

  const start = {
    username: storage.read(STORAGE_KEYS.username) ?? "",
    remember: storage.read(STORAGE_KEYS.rememberMe) === "true",
  };
  return (
    <LoginScreen
      settings={settings}
      refused={app.loginRefused}
      start={start}
      onLogin={logIn}
      onLanguage={(language) => void chooseLanguage(app, language)}
    />
  );
}
