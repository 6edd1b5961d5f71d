import type { ComponentProps } from "react";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon-paths.ts";
import css from "./key.module.css";

/** `brass` marks the one primary action of a view. */
export type KeyKind = "plain" | "brass" | "line" | "bare" | "danger";
type KeyLook = { kind?: KeyKind; big?: boolean; icon?: IconName };
export type KeyProps = ComponentProps<"button"> & KeyLook & { busy?: boolean };

/** The class of a key, for links that look like one. */
export function keyClass({ kind = "plain", big = false }: KeyLook, more = ""): string {
  return [css["key"], kind === "plain" ? "" : css[kind], big ? css["big"] : "", more].filter(Boolean).join(" ");
}

/** A key cap with a label. Busy: it keeps its label and width, and does nothing. */
export function Key({ kind, big, icon, busy = false, className, children, onClick, type, ...rest }: KeyProps) {
  return (
    <button
      type={type ?? "button"}
      className={keyClass({ ...(kind && { kind }), ...(big && { big }) }, className)}
      aria-busy={busy || undefined}
      onClick={busy ? undefined : onClick}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  icon: IconName;
  /** Its name for screen readers, and its tooltip. */
  label: string;
  kind?: KeyKind;
  /** A two-state key says which it is; a plain one leaves it out. */
  pressed?: boolean;
  filled?: boolean;
};

/** A square button of 44 px with an icon only. */
export function IconButton({
  icon,
  label,
  kind = "bare",
  pressed,
  filled = false,
  className = "",
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      className={keyClass({ kind }, `${css["icon"]} ${className}`)}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      {...rest}
    >
      <Icon name={icon} filled={filled} />
    </button>
  );
}
