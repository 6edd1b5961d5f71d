import { Link } from "@tanstack/react-router";
import { useText } from "../../../shared/i18n/use-text.ts";
import { paths } from "../../../shared/paths/paths.ts";
import css from "./trail.module.css";

/** Where in the showcase this page stands, and where the guide writes about it. */
export function Trail({ here, reference }: { readonly here: string; readonly reference: string }) {
  const { t } = useText();
  return (
    <div className={css["trail"]}>
      <ol aria-label={t("gallery.trail")}>
        <li>{t("gallery.interface")}</li>
        <li aria-current="page">{here}</li>
      </ol>
      <Link to={paths.documentation} hash={reference}>
        {t("gallery.reference")}
      </Link>
    </div>
  );
}
