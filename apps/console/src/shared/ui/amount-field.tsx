import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { readAmount } from "@longarm/ui/money/read-amount.ts";

/** "0" and "0,00": a drawer may begin and end empty. */
const NOTHING = /^\s*[0٠۰]+(?:[.,٫][0٠۰]{1,2})?\s*$/;

/** Minor units of what was typed; undefined: it is no amount. */
export function amountOf(text: string): number | undefined {
  if (NOTHING.test(text)) return 0;
  const read = readAmount(text);
  return read.is === "amount" ? read.minor : undefined;
}

/** An amount as a person writes it, in either language's marks. */
export function AmountField(props: {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** A count may be nothing; what is moved may not. */
  readonly zero?: boolean;
}) {
  const { t } = useText();
  const minor = amountOf(props.value);
  const isWrong = props.value !== "" && (minor === undefined || (minor === 0 && props.zero !== true));
  return (
    <Field
      label={props.label}
      error={isWrong ? t("app.amountWrong") : undefined}
      value={props.value}
      maxLength={20}
      inputMode="decimal"
      autoComplete="off"
      dir="ltr"
      onChange={({ target }) => props.onText(target.value)}
    />
  );
}
