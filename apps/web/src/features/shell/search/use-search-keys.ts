import { useEffect, useEffectEvent } from "react";

const TYPED_INTO = "input, textarea, select, [contenteditable]";

/** Ctrl K (or Cmd K) everywhere, and "/" where nothing is typed into, open the search; not while a dialog lies over the page. */
export function useSearchKeys(open: () => void): void {
  const hear = useEffectEvent((event: KeyboardEvent) => {
    const combined = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
    const typing = event.target instanceof Element && event.target.matches(TYPED_INTO);
    if (!(combined || (slash && !typing)) || document.querySelector("[role=dialog]") !== null) return;
    event.preventDefault();
    open();
  });
  useEffect(() => {
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, []);
}
