import { REGIONS } from "@longarm/contract/template/appearance";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { useId } from "react";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import "./palettes.css";
import css from "./palette-swatches.module.css";
import type { PaletteId } from "./palettes.ts";
import { paletteOf } from "./palettes.ts";
import type { ThemeProps } from "./settings-form.tsx";

/** The palettes of the design; the theme's panels have all of them. */
const OFFERED: readonly PaletteId[] = ["night", "velvet", "pine", "harbour", "daylight"];
const REGION_TEXTS: Readonly<Record<(typeof REGIONS)[number], TextKey>> = {
  main: "profile.lookMain",
  navbar: "profile.lookNavbar",
  toolbar: "profile.lookToolbar",
  footer: "profile.lookFooter",
};

/** One row of swatches for each region of the page; a press is drawn at once. */
export function PaletteSwatches({ appearance, onChange }: ThemeProps) {
  const { t } = useText();
  const group = useId();
  const theme = useLive(appearance.current, (drawn) => drawn.theme);
  const main = paletteOf(theme.main);
  return (
    <div className={css["regions"]}>
      {REGIONS.map((region) => (
        <div key={region} className={css["region"]} role="radiogroup" aria-label={t(REGION_TEXTS[region])}>
          <span aria-hidden="true">{t(REGION_TEXTS[region])}</span>
          <span className={css["swatches"]}>
            {OFFERED.map((id) => (
              <label key={id} className={css["swatch"]} title={t(`theme.${id}`)}>
                <input
                  type="radio"
                  name={`${group}${region}`}
                  aria-label={t(`theme.${id}`)}
                  checked={paletteOf(theme[region], main) === id}
                  onChange={() => onChange({ theme: { [region]: id } })}
                />
                <i data-palette={id} />
              </label>
            ))}
          </span>
        </div>
      ))}
    </div>
  );
}
