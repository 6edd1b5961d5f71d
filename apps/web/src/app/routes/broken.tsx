import { useText } from "../../shared/i18n/use-text.ts";
import { Key } from "../../shared/ui/key.tsx";
import { Notice } from "../../shared/ui/notice.tsx";
import { usePageTitle } from "../page-title.ts";

/** A route that threw, or whose files could not be had (an old page after an update): reloading gets the new ones. */
export function Broken() {
  const { t } = useText();
  usePageTitle(t("app.brokenTitle"));
  return (
    <Notice whole title={t("app.brokenTitle")} body={t("app.brokenBody")}>
      <Key kind="brass" onClick={() => location.reload()}>
        {t("app.reload")}
      </Key>
    </Notice>
  );
}
