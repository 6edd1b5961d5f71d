import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import css from "./pin-pad.module.css";

/** Rings that are shown before a digit is typed. */
const RINGS_MIN = 4;

/** The PIN as dots, over a real field: it has a name, takes the keyboard, and may be pasted into. */
export function PinDots(props: {
  readonly input: React.RefObject<HTMLInputElement | null>;
  readonly digits: string;
  /** Wrong ones so far: each new one turns the dots to danger once. */
  readonly wrong: number;
  readonly onType: (digits: string) => void;
  readonly disabled: boolean;
}) {
  const { t } = useText();
  const { digits, wrong } = props;
  const rings = Math.max(RINGS_MIN, digits.length);
  return (
    <div className={css["well"]}>
      <input
        ref={props.input}
        className={css["field"]}
        type="password"
        name="pin"
        // The pad is the keyboard of phones.
        inputMode="none"
        autoComplete="off"
        aria-label={t("lock.pin")}
        aria-describedby="lock-text lock-note"
        aria-invalid={(wrong > 0 && digits === "") || undefined}
        value={digits}
        readOnly={props.disabled}
        onChange={(event) => props.onType(event.target.value)}
      />
      <div key={wrong} className={css["dots"]} data-wrong={(wrong > 0 && digits === "") || undefined}>
        {Array.from({ length: rings }, (_, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a ring is its place.
          <i key={place} data-on={place < digits.length || undefined} />
        ))}
      </div>
      <span className="visually-hidden" role="status">
        {digits === "" ? "" : t("lock.digits", { count: digits.length })}
      </span>
    </div>
  );
}

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** The pad, left to right in every language. */
export function PinPad(props: {
  readonly onDigit: (digit: string) => void;
  readonly onErase: () => void;
  readonly canSubmit: boolean;
  readonly busy: boolean;
  readonly disabled: boolean;
}) {
  const { t } = useText();
  const digit = (name: string) => (
    <button key={name} type="button" disabled={props.disabled} onClick={() => props.onDigit(name)}>
      {name}
    </button>
  );
  return (
    <div className={css["pad"]} dir="ltr">
      {DIGITS.map(digit)}
      <button
        type="button"
        className={css["bare"]}
        aria-label={t("lock.erase")}
        title={t("lock.erase")}
        disabled={props.disabled}
        onClick={props.onErase}
      >
        <Icon name="erase" />
      </button>
      {digit("0")}
      <button
        type="submit"
        className={css["go"]}
        aria-label={t("lock.unlock")}
        title={t("lock.unlock")}
        aria-busy={props.busy || undefined}
        aria-disabled={!props.canSubmit || props.disabled || undefined}
      >
        <Icon name="check" />
      </button>
    </div>
  );
}
