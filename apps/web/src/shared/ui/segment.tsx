import type { ReactNode } from "react";
import { useId } from "react";
import css from "./segment.module.css";

export type SegmentOption<T extends string> = {
  readonly value: T;
  /** A word, with an icon before it where that helps. */
  readonly label: ReactNode;
  readonly lang?: string;
  readonly name?: string;
};

/** Two to five keys in a well, one of them chosen. Arrow keys move, as in any group of radio buttons. */
export function Segment<T extends string>(props: {
  readonly label: string;
  readonly options: readonly SegmentOption<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly className?: string;
}) {
  const group = useId();
  return (
    <div className={`${css["segment"]} ${props.className ?? ""}`} role="radiogroup" aria-label={props.label}>
      {props.options.map((option) => (
        <label key={option.value} className={css["part"]} lang={option.lang}>
          <input
            type="radio"
            name={group}
            value={option.value}
            checked={option.value === props.value}
            aria-label={option.name}
            onChange={() => props.onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  );
}
