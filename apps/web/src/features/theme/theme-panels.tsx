import { useText } from "@longarm/ui/i18n/use-text.ts";
import { lazy, Suspense, useState } from "react";
import type { ThemeProps } from "./settings-form.tsx";
import css from "./theme-panels.module.css";

const EndPanel = lazy(async () => ({ default: (await import("../../shared/ui/end-panel.tsx")).EndPanel }));
const SettingsForm = lazy(async () => ({ default: (await import("./settings-form.tsx")).SettingsForm }));
const SchemeCards = lazy(async () => ({ default: (await import("./settings-form.tsx")).SchemeCards }));

type ThemePanelsProps = ThemeProps & { readonly open: ThemePanel | undefined; readonly onClose: () => void };

/** The settings of the theme, and the colour schemes: one of them open, or none. Fetched when one is first opened. */
export function ThemePanels({ open, onClose, ...theme }: ThemePanelsProps) {
  const { t } = useText();
  const [isWanted, setWanted] = useState(false);
  if (open !== undefined && !isWanted) setWanted(true);
  if (!isWanted) return null;
  const panel = (which: ThemePanel) => ({
    open: open === which,
    title: t(`theme.${which}`),
    onClose,
    // Another layout may have taken away the key that opened it, and brought it again.
    finalFocus: () => document.querySelector<HTMLElement>(`[data-theme-key=${which}]`) ?? true,
  });
  return (
    <Suspense>
      <EndPanel {...panel("settings")}>
        <SettingsForm {...theme} />
      </EndPanel>
      <EndPanel {...panel("schemes")}>
        <SchemeCards {...theme} />
      </EndPanel>
    </Suspense>
  );
}

export type ThemePanel = "settings" | "schemes";
const KEYS = ["settings", "schemes"] as const;

/** A gear and a palette, drawn as the icons are (shared/ui/icon-paths.ts); there they would be in every first load. */
const DRAWINGS: Readonly<Record<ThemePanel, string>> = {
  settings:
    "M10.6 3.5h2.8l.5 2.3 1.7.7 2-1.2 2 2-1.2 2 .7 1.7 2.3.5v2.8l-2.3.5-.7 1.7 1.2 2-2 2-2-1.2-1.7.7-.5 2.3h-2.8l-.5-2.3-1.7-.7-2 1.2-2-2 1.2-2-.7-1.7-2.3-.5v-2.8l2.3-.5.7-1.7-1.2-2 2-2 2 1.2 1.7-.7zM9 12.9a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z",
  schemes:
    "M12 3.5a8.5 8.5 0 0 0 0 17c1.4 0 2-.9 2-1.8 0-1.4-1-1.6-1-2.7 0-1 .8-1.7 1.9-1.7h2.1a3.5 3.5 0 0 0 3.5-3.5c0-4.2-3.9-7.3-8.5-7.3zM7.5 12.5v.1M9.5 8.2v.1M14 7.6v.1M17 10.8v.1",
};

/**
 * The keys of the two theme panels. They hang at the end edge 160 px from the top, in the margin of the page; on small screens
 * and under a finger, where they would cover the text, they are at the end of the page with their names.
 */
export function ThemeKeys({ onOpen }: { readonly onOpen: (panel: ThemePanel) => void }) {
  const { t } = useText();
  return (
    <section className={css["keys"]} aria-label={t("theme.theme")}>
      {KEYS.map((panel) => (
        <button
          key={panel}
          type="button"
          className={css["key"]}
          aria-haspopup="dialog"
          title={t(`theme.${panel}`)}
          data-theme-key={panel}
          onClick={() => onOpen(panel)}
        >
          <svg className={css[panel]} viewBox="0 0 24 24" aria-hidden="true">
            <path d={DRAWINGS[panel]} />
          </svg>
          <span>{t(`theme.${panel}`)}</span>
        </button>
      ))}
    </section>
  );
}
