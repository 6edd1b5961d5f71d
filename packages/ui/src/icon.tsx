import css from "./icon.module.css";
import type { IconName } from "./icon-paths.ts";
import { FLIPPING, ICON_PATHS } from "./icon-paths.ts";

/** A line drawing beside a word; hidden from screen readers, so its control carries the name. */
export function Icon({
  name,
  filled = false,
  className = "",
}: {
  name: IconName;
  filled?: boolean;
  className?: string;
}) {
  const flips = FLIPPING.has(name) ? css["flips"] : "";
  return (
    <svg
      className={`${css["icon"]} ${flips} ${className}`}
      viewBox="0 0 24 24"
      aria-hidden="true"
      data-filled={filled || undefined}
    >
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
