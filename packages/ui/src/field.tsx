import type { ComponentProps, ReactNode } from "react";
import { useId } from "react";
import css from "./field.module.css";

export type FieldProps = Omit<ComponentProps<"input">, "id"> & {
  readonly label: string;
  /** What is wrong; marks the field invalid. */
  readonly error?: string | undefined;
  readonly note?: string | undefined;
  /** Content of the well before and after the text. */
  readonly before?: ReactNode;
  readonly after?: ReactNode;
  /** Keeps the label for screen readers only. */
  readonly bareLabel?: boolean;
  readonly wellClass?: string;
};

/** A labelled text field: a well sunk in the metal, with its note or error below. */
export function Field({ label, error, note, before, after, bareLabel = false, wellClass = "", ...input }: FieldProps) {
  const id = useId();
  const below = error ?? note;
  return (
    <div className={css["field"]} data-invalid={error === undefined ? undefined : true}>
      <label htmlFor={id} className={bareLabel ? "visually-hidden" : css["label"]}>
        {label}
      </label>
      <div className={`${css["well"]} ${wellClass}`}>
        {before}
        <input
          id={id}
          {...input}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={below === undefined ? undefined : `${id}-note`}
        />
        {after}
      </div>
      {below !== undefined && (
        <p id={`${id}-note`} className={css["note"]} role={error === undefined ? undefined : "alert"}>
          {below}
        </p>
      )}
    </div>
  );
}

/** A box to tick, ivory on dark. */
export function Check({ label, ...input }: Omit<ComponentProps<"input">, "type"> & { label: string }) {
  return (
    <label className={css["check"]}>
      <input type="checkbox" {...input} />
      {label}
    </label>
  );
}
