import { useId } from "react";
import css from "./select-field.module.css";

/** A labelled choice of a few values. */
export function SelectField<Value extends string>(props: {
  readonly label: string;
  readonly note?: string | undefined;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, word: string])[];
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean;
  /** Keeps the label for screen readers only. */
  readonly bareLabel?: boolean;
}) {
  const id = useId();
  return (
    <div className={css["field"]}>
      <label htmlFor={id} className={props.bareLabel === true ? "visually-hidden" : css["label"]}>
        {props.label}
      </label>
      <select
        id={id}
        value={props.value}
        disabled={props.disabled}
        aria-describedby={props.note === undefined ? undefined : `${id}-note`}
        onChange={({ target }) => props.onChange(target.value as Value)}
      >
        {props.choices.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
      {props.note !== undefined && (
        <p id={`${id}-note`} className="fine">
          {props.note}
        </p>
      )}
    </div>
  );
}
