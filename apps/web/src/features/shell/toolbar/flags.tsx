import type { ReactNode } from "react";
import css from "./toolbar.module.css";

export type FlagName = "us" | "tr" | "sa";

/** Small flags, drawn by us: enough of each to be known at 24 by 16. */
const FLAGS: Readonly<Record<FlagName, ReactNode>> = {
  us: (
    <>
      <path fill="#f4f4f4" d="M0 0h24v16H0z" />
      <path stroke="#b22334" strokeWidth="1.6" d="M0 .8h24M0 4h24M0 7.2h24M0 10.4h24M0 13.6h24" />
      <path fill="#33396b" d="M0 0h10.5v8H0z" />
      <path
        stroke="#f4f4f4"
        strokeWidth="1.1"
        strokeLinecap="round"
        d="M2 2h.01M5.2 2h.01M8.4 2h.01M3.6 4h.01M6.8 4h.01M2 6h.01M5.2 6h.01M8.4 6h.01"
      />
    </>
  ),
  tr: (
    <>
      <path fill="#d21f2b" d="M0 0h24v16H0z" />
      <circle cx="9" cy="8" r="4" fill="#fff" />
      <circle cx="10" cy="8" r="3.2" fill="#d21f2b" />
      <path fill="#fff" d="m12.2 8 3.4-1.1-2.1 2.9V6.2l2.1 2.9z" />
    </>
  ),
  sa: (
    <>
      <path fill="#0b6b3a" d="M0 0h24v16H0z" />
      <path
        fill="none"
        stroke="#fff"
        strokeWidth="1"
        strokeLinecap="round"
        d="M6 4.5v3.2M8.5 5v2.7h2V5M12.5 7.7h2.6V4.5M17.5 4.5v3.2M6.5 11.3h10.6M16 10.2v2.2"
      />
    </>
  ),
};

/** A flag beside the name of its language; hidden from screen readers. */
export function Flag({ name }: { name: FlagName }) {
  return (
    <svg className={css["flag"]} viewBox="0 0 24 16" aria-hidden="true">
      {FLAGS[name]}
    </svg>
  );
}
