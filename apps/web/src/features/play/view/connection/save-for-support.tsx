import { useText } from "../../../../shared/i18n/use-text.ts";
import { Key } from "../../../../shared/ui/key.tsx";
import { saveFile } from "../../browser/connection/save-file.ts";
import { pageNow } from "../../browser/page-clock.ts";
import type { Finding } from "../../state/connection/finding.ts";
import { supportFile } from "../../state/connection/link-report.ts";
import { usePlay } from "../play-context.ts";
import css from "./connection.module.css";

/** The last minute and what was found as a file, for whoever helps. */
export function SaveForSupport({ findings }: { findings: readonly Finding[] }) {
  const { t } = useText();
  const { session, throttle } = usePlay();
  const save = (): void => {
    if (!throttle("export")) return;
    const machineId = session.state.getState().machine?.id ?? "";
    const about = { machineId: String(machineId), now: pageNow(), userAgent: navigator.userAgent, findings };
    saveFile("longarm-connection.json", supportFile(session.linkReport(), about));
  };
  return (
    <div className={css["save"]}>
      <Key icon="download" onClick={save}>
        {t("connection.export")}
      </Key>
      <p>{t("connection.exportAbout")}</p>
    </div>
  );
}
