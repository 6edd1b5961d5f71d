import { Link } from "@tanstack/react-router";
import { useText } from "../../../shared/i18n/use-text.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { keyClass } from "../../../shared/ui/key.tsx";
import { Notice } from "../../../shared/ui/notice.tsx";
import css from "./error-500.module.css";

/** What a server's failure looks like. */
export function Error500() {
  const { t } = useText();
  return (
    <div className={css["error"]}>
      <h1>500</h1>
      <Notice title={t("templateAuth.failedHeading")} body={t("templateAuth.failedAbout")}>
        <Link to={paths.start} className={keyClass({ kind: "brass" })}>
          {t("templateAuth.report")}
        </Link>
      </Notice>
    </div>
  );
}
