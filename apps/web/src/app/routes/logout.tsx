import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Logo } from "@longarm/ui/logo.tsx";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { useNavigate, useRouteContext } from "@tanstack/react-router";
import { useEffect } from "react";
import { paths } from "../../shared/paths/paths.ts";
import type { App } from "../app.ts";
import css from "./logout.module.css";

/** Ends the token, then forgets it. A guest has nothing to end: no call. */
async function logOut(app: App): Promise<void> {
  if (app.auth.state.getState().roles.length > 0) await app.api.call("logout");
  app.auth.end();
}

export function LogoutRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const navigate = useNavigate();
  usePageTitle(t("auth.loggingOut"));
  useEffect(() => {
    let here = true;
    void logOut(app).then(() => {
      if (here) void navigate({ to: paths.login, replace: true });
    });
    return () => {
      here = false;
    };
  }, [app, navigate]);
  return (
    <main className={css["leaving"]}>
      <Logo className={css["logo"] ?? ""} />
      <p role="status">{t("auth.loggingOut")}</p>
    </main>
  );
}
