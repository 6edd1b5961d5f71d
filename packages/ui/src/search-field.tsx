import { Field } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { IconButton } from "./key.tsx";
import css from "./search-field.module.css";

type SearchFieldProps = {
  readonly label: string;
  readonly clearLabel: string;
  readonly value: string;
  readonly maxLength: number;
  readonly onText: (text: string) => void;
  readonly onClear: () => void;
  readonly wellClass?: string | undefined;
};

/** The search of a filter bar: low, with its label as placeholder, and a button that empties it. */
export function SearchField({
  label,
  clearLabel,
  value,
  maxLength,
  onText,
  onClear,
  wellClass = "",
}: SearchFieldProps) {
  return (
    <Field
      label={label}
      bareLabel
      wellClass={`${css["well"]} ${wellClass}`}
      type="search"
      enterKeyHint="search"
      autoComplete="off"
      placeholder={label}
      value={value}
      maxLength={maxLength}
      onChange={({ target }) => onText(target.value)}
      before={<Icon name="search" />}
      after={
        value !== "" && <IconButton icon="close" label={clearLabel} className={css["clear"] ?? ""} onClick={onClear} />
      }
    />
  );
}
