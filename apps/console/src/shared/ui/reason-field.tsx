import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";

/** Why an act is done: one line that is kept for ever. */
export function ReasonField({
  value,
  onText,
  label,
}: {
  readonly value: string;
  readonly onText: (text: string) => void;
  /** Where it is not simply the reason: the player's own words. */
  readonly label?: string;
}) {
  const { t } = useText();
  return (
    <Field
      label={label ?? t("app.reason")}
      note={t("app.reasonNote")}
      value={value}
      maxLength={200}
      autoComplete="off"
      onChange={({ target }) => onText(target.value)}
    />
  );
}

/** As the platform takes it: without blanks at its ends. Empty: it is not there yet. */
export const reasonOf = (text: string): string => text.trim();
