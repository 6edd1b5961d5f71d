import { useText } from "../../../../shared/i18n/use-text.ts";
import { labelText } from "../../../../shared/money/format.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { Key } from "../../../../shared/ui/key.tsx";
import type { Sheet } from "../../state/money/sheet-rules.ts";
import css from "./money-sheet.module.css";

/** The operator's quick amounts, by their labels as written (R-9-12), a plain number with the marks of the page, and everything. What cannot be paid is disabled, not hidden. */
export function QuickAmounts(props: {
  readonly sheet: Sheet;
  readonly chosen: number | undefined;
  readonly disabled: boolean;
  readonly onChoose: (minor: number) => void;
}) {
  const { t, language } = useText();
  const { sheet, chosen, disabled, onChoose } = props;
  return (
    <fieldset className={css["quick"]} aria-label={t("play.quickAmounts")} disabled={disabled}>
      {sheet.quick.map(({ label, minor, enabled }) => (
        <Key key={minor} aria-pressed={chosen === minor} disabled={!enabled} onClick={() => onChoose(minor)}>
          <bdi>{labelText(label, language)}</bdi>
        </Key>
      ))}
      <Key
        className={css["all"]}
        aria-pressed={sheet.all > 0 && chosen === sheet.all}
        disabled={sheet.all === 0}
        onClick={() => onChoose(sheet.all)}
      >
        {t("play.all")} <Money minor={sheet.all} />
      </Key>
    </fieldset>
  );
}
