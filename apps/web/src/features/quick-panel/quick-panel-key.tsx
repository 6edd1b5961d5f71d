import { useText } from "../../shared/i18n/use-text.ts";
import { useLive } from "../../shared/live/live.ts";
import { keyClass } from "../../shared/ui/key.tsx";
import css from "./quick-panel.module.css";
import type { QuickPanel } from "./quick-panel-state.ts";

type QuickPanelKeyProps = { readonly panel: QuickPanel; readonly onPress?: (() => void) | undefined };

/** Opens the quick panel. */
export function QuickPanelKey({ panel, onPress }: QuickPanelKeyProps) {
  const { t } = useText();
  const isOpen = useLive(panel.now, (state) => state.isOpen);
  return (
    <button
      type="button"
      className={keyClass({ kind: "bare" }, css["key"])}
      aria-label={t("quickPanel.title")}
      title={t("quickPanel.title")}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      data-quick-key
      onClick={() => {
        onPress?.();
        panel.toggle();
      }}
    >
      <svg className={css["glyph"]} viewBox="0 0 24 24" aria-hidden="true">
        <path d="M4.5 6h15M4.5 12h9M4.5 18h12M18 10.5v3M16.5 12h3" />
      </svg>
    </button>
  );
}
