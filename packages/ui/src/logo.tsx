import { useId } from "react";
import css from "./logo.module.css";
import { siteName } from "./page-title.ts";

const LETTERS =
  "M122 80V36M122 58a17 17 0 0 1 34 0v22M209 36v47a16 16 0 0 1-16 16h-14M263 36v44M286 80V36M286 58a17 17 0 0 1 19-16.9M318 80V36M318 55a14 14 0 0 1 28 0v25M346 55a14 14 0 0 1 28 0v25";

/** The operator's own logo, where the page that the platform sent names one. */
const ownLogo = (): string | undefined => document.documentElement.dataset["logo"];

/** The word mark, or the operator's logo. Its L is the arm of a one-armed bandit: `pulled` turns it; it springs back by itself. */
export function Logo({ className = "", pulled = false }: { className?: string; pulled?: boolean }) {
  const ball = useId();
  const own = ownLogo();
  if (own) return <img className={`${css["logo"]} ${className}`} src={own} alt={siteName()} />;
  return (
    <svg
      className={`${css["logo"]} ${className}`}
      viewBox="0 0 382 106"
      role="img"
      aria-label={siteName()}
      data-pulled={pulled || undefined}
    >
      <Ball id={ball} />
      <g fill="none" stroke="var(--ink)" strokeWidth="10">
        <path d="M12 74h38" strokeWidth="12" strokeLinecap="round" />
        <path d={LETTERS} />
        <circle cx="84" cy="58" r="17" />
        <circle cx="192" cy="58" r="17" />
        <circle cx="246" cy="58" r="17" />
      </g>
      <g className={css["arm"]}>
        <path d="M16 74V18" stroke="var(--ink)" strokeWidth="10" />
        <circle cx="16" cy="15" r="13" fill={`url(#${ball})`} />
      </g>
    </svg>
  );
}

/** The L alone, for narrow places. */
export function LogoMark({ className = "" }: { className?: string }) {
  const ball = useId();
  if (ownLogo()) return <img className={className} src="/favicon.svg" alt={siteName()} />;
  return (
    <svg className={className} viewBox="0 0 32 32" role="img" aria-label={siteName()}>
      <Ball id={ball} />
      <path d="M11.5 24.5V11M10 24.5h13" fill="none" stroke="var(--ink)" strokeWidth="4" strokeLinecap="round" />
      <circle cx="11.5" cy="9" r="5" fill={`url(#${ball})`} />
    </svg>
  );
}

function Ball({ id }: { id: string }) {
  return (
    <defs>
      <radialGradient id={id} cx=".36" cy=".3" r=".8">
        <stop offset="0" stopColor="#FFF3CF" />
        <stop offset=".38" stopColor="#E9C070" />
        <stop offset=".78" stopColor="#A9772A" />
        <stop offset="1" stopColor="#5E3F0F" />
      </radialGradient>
    </defs>
  );
}
