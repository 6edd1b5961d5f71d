import "../../../features/theme/palettes.css";
import { PALETTE_IDS } from "../../../features/theme/palettes.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Money } from "../../../shared/money/money.tsx";
import { keyClass } from "../../../shared/ui/key.tsx";
import { Lamp } from "../../../shared/ui/lamp.tsx";
import css from "./palette-states.module.css";

/** The same card in every palette. Its keys are pictures: there is nothing to press. */
export function PaletteStates() {
  const { t } = useText();
  return (
    <ul className={css["cards"]}>
      {PALETTE_IDS.map((id) => (
        <li key={id} data-palette={id}>
          <b>{t(`theme.${id}`)}</b>
          <Money minor={1_245_075} />
          <Lamp status="available">{t("lobby.available")}</Lamp>
          <Lamp status="waiting">{t("lobby.waitingShort")}</Lamp>
          <span className={keyClass({ kind: "brass" })}>{t("lobby.continue")}</span>
          <span className={keyClass({})}>{t("lobby.play")}</span>
        </li>
      ))}
    </ul>
  );
}
