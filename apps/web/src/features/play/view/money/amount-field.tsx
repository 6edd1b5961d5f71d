import { useId } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useCurrency } from "../../../../shared/money/currency.ts";
import { moneyParts } from "../../../../shared/money/format.ts";
import { AMOUNT_LENGTH_MAX } from "../../../../shared/money/read-amount.ts";
import css from "./money-sheet.module.css";
import type { SheetNote } from "./use-sheet-note.ts";

/** The amount in large figures, typed or chosen; its note stands below it. */
export function AmountField(props: {
  readonly value: string;
  readonly note: SheetNote | undefined;
  readonly disabled: boolean;
  readonly onChange: (text: string) => void;
}) {
  const { t, language } = useText();
  const currency = useCurrency();
  const id = useId();
  const { value, note, disabled } = props;
  return (
    <div className={css["amountPlace"]}>
      <label className={css["amount"]} data-invalid={note?.bad || undefined}>
        <span className="visually-hidden">{t("play.amount")}</span>
        <span className={css["typed"]} dir="ltr">
          <i aria-hidden="true">{moneyParts(0, currency, language).symbol}</i>
          <input
            data-amount
            inputMode="decimal"
            autoComplete="off"
            enterKeyHint="done"
            placeholder="0"
            maxLength={AMOUNT_LENGTH_MAX}
            size={Math.max(1, value.length)}
            value={value}
            // Not disabled: that would drop the focus, and the page would not know where to give it back.
            readOnly={disabled}
            aria-invalid={note?.bad || undefined}
            aria-describedby={id}
            // As it was typed: leaving out what is not a figure would make 15 of "1e5".
            onChange={({ target }) => props.onChange(target.value)}
          />
        </span>
      </label>
      <p id={id} className={css["note"]} data-bad={note?.bad || undefined} role="status">
        {note?.text}
      </p>
    </div>
  );
}
