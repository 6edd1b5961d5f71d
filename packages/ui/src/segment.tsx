import type { ReactNode } from "react";
import { useId, useState } from "react";
import css from "./segment.module.css";

export type SegmentOption<T extends string> = {
  readonly value: T;
  /** A word, with an icon before it where that helps. */
  readonly label: ReactNode;
  readonly lang?: string;
  readonly name?: string;
};

/**
 * Two to five keys in a well, one of them chosen. Arrow keys move, as in any group of radio buttons. While a choice that takes its time
 * is under way its key is the pressed one; when it fails the old one is again.
 */
export function Segment<T extends string>(props: {
  readonly label: string;
  readonly options: readonly SegmentOption<T>[];
  readonly value: T;
  readonly onChange: (value: T) => unknown;
  readonly className?: string;
}) {
  const group = useId();
  const [underWay, setUnderWay] = useState<T>();
  const pressed = underWay ?? props.value;
  function choose(value: T): void {
    const done = props.onChange(value);
    if (!(done instanceof Promise)) return;
    setUnderWay(value);
    const over = () => setUnderWay((now) => (now === value ? undefined : now));
    done.then(over, over);
  }
  return (
    <div className={`${css["segment"]} ${props.className ?? ""}`} role="radiogroup" aria-label={props.label}>
      {props.options.map((option) => (
        <label key={option.value} className={css["part"]} lang={option.lang}>
          <input
            type="radio"
            name={group}
            value={option.value}
            checked={option.value === pressed}
            aria-label={option.name}
            onChange={() => choose(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  );
}
