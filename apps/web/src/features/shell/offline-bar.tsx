import { useSyncExternalStore } from "react";
import { useText } from "../../shared/i18n/use-text.ts";
import type { Live } from "../../shared/live/live.ts";
import { useLive } from "../../shared/live/live.ts";
import { Icon } from "../../shared/ui/icon.tsx";
import css from "./offline-bar.module.css";

/** Says calmly that nothing live comes in, for as long as it is so. The status itself always stands, so that its words are read out. */
export function OfflineBar({ online }: { online: Live<boolean> }) {
  const { t } = useText();
  const linked = useLive(online);
  const networked = useNetwork();
  return (
    <div role="status">
      {!(linked && networked) && (
        <p className={css["bar"]}>
          <Icon name="offline" />
          {t("shell.offline")}
        </p>
      )}
    </div>
  );
}

/** What the browser knows of the network: it is told sooner than a socket notices. */
function useNetwork(): boolean {
  return useSyncExternalStore(
    (changed) => {
      addEventListener("online", changed);
      addEventListener("offline", changed);
      return () => {
        removeEventListener("online", changed);
        removeEventListener("offline", changed);
      };
    },
    () => navigator.onLine,
  );
}
