import type { FocusEvent, PointerEvent } from "react";
import { useEffect, useRef, useState } from "react";
import { HOVER_MS } from "../../shared/navigation/hover.ts";

/** A folded menu opens over the page while the pointer rests on it or the keyboard is inside. */
export function useUnfolding(folded: boolean) {
  const [hovered, setHovered] = useState(false);
  const [keyed, setKeyed] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function soon(next: boolean) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHovered(next), HOVER_MS);
  }
  return {
    over: folded && (hovered || keyed),
    /** Whoever folds it wants it folded, though the pointer is still on its key. */
    fold() {
      clearTimeout(timer.current);
      setHovered(false);
      setKeyed(false);
    },
    handlers: {
      // A finger does not hover: it would open the bar under its own tap.
      onPointerEnter: ({ pointerType }: PointerEvent) => pointerType !== "touch" && soon(true),
      onPointerLeave: () => soon(false),
      onFocus: ({ target }: FocusEvent) => setKeyed(target.matches(":focus-visible")),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget)) setKeyed(false);
      },
    },
  };
}
