import { useId } from "react";
import css from "./long-text.module.css";

/** A labelled field of several lines, in the direction of what is written. */
export function LongText(props: {
  readonly label: string;
  readonly note?: string;
  readonly rows: number;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** The most characters. */
  readonly most?: number;
  /** The note says what is wrong with the text. */
  readonly wrong?: boolean;
  /** Holds names, which no browser corrects. */
  readonly ofNames?: boolean;
}) {
  const id = useId();
  return (
    <div className={css["long"]}>
      <label htmlFor={id}>{props.label}</label>
      <textarea
        id={id}
        dir="auto"
        rows={props.rows}
        value={props.value}
        maxLength={props.most ?? 100_000}
        {...(props.ofNames && { spellCheck: false, autoCapitalize: "none" })}
        aria-invalid={props.wrong ? true : undefined}
        aria-describedby={props.note === undefined ? undefined : `${id}-note`}
        onChange={({ target }) => props.onText(target.value)}
      />
      {props.note !== undefined && (
        <p id={`${id}-note`} className="fine" role={props.wrong ? "alert" : undefined}>
          {props.note}
        </p>
      )}
    </div>
  );
}
