import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import type { SettingsNow } from "./draft.ts";
import css from "./settings.module.css";

/** What is set on the server: read only, and never a secret. */
export function ServerPanel({ now }: { readonly now: SettingsNow }) {
  const { t } = useText();
  return (
    <>
      <Rows title={t("settings.file")} rows={now.file} />
      <Rows title={t("settings.environment")} rows={now.environment} />
    </>
  );
}

function Rows({ title, rows }: { readonly title: string; readonly rows: SettingsNow["file"] }) {
  const { t } = useText();
  const shown = ({ value, isSet }: SettingsNow["file"][number]): string => {
    if (value !== null) return value === "" ? "–" : value;
    return t(isSet ? "settings.secret" : "settings.notSet");
  };
  return (
    <Panel title={title} about={t("settings.serverAbout")}>
      <Scroller>
        <table className={panelCss["table"]}>
          <thead>
            <tr>
              <th scope="col">{t("settings.name")}</th>
              <th scope="col">{t("settings.value")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <td>
                  <code className="ltr">{row.name}</code>
                </td>
                <td className={css["value"]}>
                  <span className={row.value === null ? "soft" : "ltr"}>{shown(row)}</span>{" "}
                  {!row.isSet && row.value !== null && <small className="soft">{t("settings.default")}</small>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </Panel>
  );
}
