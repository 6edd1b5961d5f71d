import { lazy, Suspense, useState } from "react";
import { useText } from "../../shared/i18n/use-text.ts";
import type { ThemePanel } from "./theme-keys.tsx";
import type { ThemeProps } from "./theme-props.ts";

const EndPanel = lazy(async () => ({ default: (await import("../../shared/ui/end-panel.tsx")).EndPanel }));
const SettingsForm = lazy(async () => ({ default: (await import("./settings-form.tsx")).SettingsForm }));
const SchemeCards = lazy(async () => ({ default: (await import("./scheme-cards.tsx")).SchemeCards }));

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
