import type { ReactNode } from "react";
import css from "./notice.module.css";

/** Nothing to show, and why: line art, a sentence, one way on. `whole`: it is the page. */
export function Notice({
  title,
  body,
  whole = false,
  children,
}: {
  title: ReactNode;
  body?: string;
  whole?: boolean;
  children?: ReactNode;
}) {
  const Frame = whole ? "main" : "section";
  const Title = whole ? "h1" : "h2";
  // Where "skip to content" leads.
  const target = whole ? { id: "page", tabIndex: -1 } : {};
  return (
    <Frame {...target} className={css["notice"]} data-whole={whole || undefined}>
      <svg viewBox="0 0 240 150" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
        <ellipse cx="120" cy="140" rx="96" ry="7" fill="#000" opacity=".5" stroke="none" />
        <path d="M84 138V32q0-14 14-14h44q14 0 14 14v106z" />
        <rect x="94" y="46" width="52" height="34" rx="4" />
        <path d="M111 46v34M129 46v34M84 92h72M94 104h30M156 70h14V44" />
        <circle cx="142" cy="104" r="5" />
        <circle cx="170" cy="37" r="7" />
        <path d="M30 138V60q0-10 10-10h24q8 0 8 8M210 138V60q0-10-10-10h-18" opacity=".35" />
      </svg>
      <Title>{title}</Title>
      {body !== undefined && <p>{body}</p>}
      {children}
    </Frame>
  );
}
