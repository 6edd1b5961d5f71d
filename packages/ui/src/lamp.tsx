import type { ReactNode } from "react";
import css from "./lamp.module.css";

/** What a lamp can say; each has a shape of its own beside its colour. */
export type LampStatus = "available" | "playing" | "waiting" | "reserved" | "off" | "fault";

/** A lamp, never without its word. */
export function Lamp({
  status,
  children,
  quiet = false,
  id,
  className = "",
}: {
  status: LampStatus;
  children: ReactNode;
  quiet?: boolean;
  id?: string;
  className?: string;
}) {
  return (
    <span id={id} className={`${css["lamp"]} ${quiet ? css["quiet"] : ""} ${className}`} data-status={status}>
      {children}
    </span>
  );
}
