import { AMOUNT_LENGTH_MAX } from "@longarm/ui/money/read-amount.ts";
import { useId } from "react";
import css from "./amount-entry.module.css";

/** A value in large figures, as it was typed: no amount is chosen in advance. `data-amount` finds its field. */
export function AmountEntry(props: {
  readonly label: string;
  /** The currency's sign, before the figures. */
  readonly symbol?: string;
  /** What is counted, after them. */
  readonly unit?: string;
  readonly value: string;
  /** What is wrong with it, in a sentence. */
  readonly wrong: string | undefined;
  readonly onText: (text: string) => void;
}) {
  const id = useId();
  const { label, symbol, unit, value, wrong, onText } = props;
  return (
    <div className={css["place"]}>
      <label className={css["amount"]} data-invalid={wrong !== undefined || undefined}>
        <span className="visually-hidden">{label}</span>
        <span className={css["typed"]} dir="ltr">
          {symbol !== undefined && <i aria-hidden="true">{symbol}</i>}
          <input
            data-amount
            inputMode={symbol === undefined ? "numeric" : "decimal"}
            autoComplete="off"
            enterKeyHint="done"
            placeholder="0"
            maxLength={AMOUNT_LENGTH_MAX}
            size={Math.max(1, value.length)}
            value={value}
            aria-invalid={wrong !== undefined || undefined}
            aria-describedby={id}
            onChange={({ target }) => onText(target.value)}
          />
          {unit !== undefined && <i aria-hidden="true">{unit}</i>}
        </span>
      </label>
      <p id={id} className={css["wrong"]} role="status">
        {wrong}
      </p>
    </div>
  );
}
