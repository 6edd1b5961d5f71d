import { REGIONS } from "@longarm/contract/template/appearance";
import { useText } from "../../shared/i18n/use-text.ts";
import { useLive } from "../../shared/live/live.ts";
import { PALETTE_IDS, paletteOf } from "./palettes.ts";
import "./palettes.css";
import css from "./scheme-cards.module.css";
import type { ThemeProps } from "./theme-props.ts";

/** Every palette as a small picture of a page in it. A press gives it to all regions. */
export function SchemeCards({ appearance, onChange }: ThemeProps) {
  const { t } = useText();
  const theme = useLive(appearance.current, (drawn) => drawn.theme);
  const isAll = (id: string) => REGIONS.every((region) => paletteOf(theme[region], paletteOf(theme.main)) === id);
  return (
    <>
      <p className={css["note"]}>{t("theme.schemesNote")}</p>
      <ul className={css["cards"]}>
        {PALETTE_IDS.map((id) => (
          <li key={id}>
            <button
              type="button"
              className={css["card"]}
              aria-pressed={isAll(id)}
              onClick={() => onChange({ theme: { main: id, navbar: id, toolbar: id, footer: id } })}
            >
              <span className={css["picture"]} data-palette={id} aria-hidden="true">
                <span className={css["bar"]} />
                <span className={css["cabinet"]}>
                  <span className={css["lines"]} />
                  <span className={css["brass"]} />
                </span>
                <span className={css["lamps"]}>
                  <i data-lamp="available" />
                  <i data-lamp="playing" />
                  <i data-lamp="waiting" />
                </span>
              </span>
              <span className={css["name"]}>{t(`theme.${id}`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
