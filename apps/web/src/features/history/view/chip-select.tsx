import { Icon } from "../../../shared/ui/icon.tsx";
import css from "./chip-select.module.css";

type ChipSelectProps<T extends string> = {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  /** It narrows what is shown. */
  readonly isOn?: boolean;
  readonly onChange: (value: T) => void;
};

/** The browser's own select in the look of a chip: by keyboard, finger and screen reader as everybody knows it. */
export function ChipSelect<T extends string>({ label, options, value, isOn = false, onChange }: ChipSelectProps<T>) {
  return (
    <span className={css["chip"]} data-on={isOn || undefined}>
      <select
        aria-label={label}
        value={value}
        onChange={({ target }) => {
          const chosen = options.find((option) => option.value === target.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}
