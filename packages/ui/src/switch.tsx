import type { ReactNode } from "react";
import css from "./switch.module.css";

/** Something that is on or off, with its name before it. */
export function Switch({
  label,
  on,
  disabled,
  onChange,
}: {
  label: ReactNode;
  on: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}) {
  return (
    <label className={css["switch"]}>
      {label}
      <input
        type="checkbox"
        role="switch"
        checked={on}
        disabled={disabled}
        aria-checked={on}
        onChange={({ target }) => onChange(target.checked)}
      />
    </label>
  );
}
