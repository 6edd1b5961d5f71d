import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Logo } from "@longarm/ui/logo.tsx";
import css from "./splash.module.css";

/** The lights are coming on: while the token is checked, and at /callback. */
export function Splash() {
  const { t } = useText();
  return (
    <main className={css["splash"]} aria-busy="true">
      <Logo className={css["logo"] ?? ""} />
      <span className={css["ring"]} aria-hidden="true" />
      <p className="visually-hidden" role="status">
        {t("app.loading")}
      </p>
    </main>
  );
}
