import { Link } from "@tanstack/react-router";
import { useText } from "../../shared/i18n/use-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { keyClass } from "../../shared/ui/key.tsx";
import { Notice } from "../../shared/ui/notice.tsx";
import { usePageTitle } from "../page-title.ts";

export function NotFoundRoute() {
  const { t } = useText();
  usePageTitle(t("app.notFoundTitle"));
  return (
    <Notice whole title={t("app.notFoundTitle")} body={t("app.notFoundBody")}>
      <Link to={paths.lobby} className={keyClass({ kind: "brass" })}>
        {t("app.toLobby")}
      </Link>
    </Notice>
  );
}
