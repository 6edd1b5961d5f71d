import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";

/** A value that changes at most every `gapMs`, and only while its element can be seen; afterwards it is the newest one at once. */
export function usePaced<T>(value: T, gapMs: number): { shown: T; element: RefObject<HTMLElement | null> } {
  const element = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(value);
  const [isSeen, setSeen] = useState(true);
  const [rests, setRests] = useState(false);

  useEffect(() => {
    if (element.current === null) return;
    const watch = new IntersectionObserver((seen) => setSeen(seen.at(-1)?.isIntersecting ?? true));
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (!rests) return;
    const timer = setTimeout(() => setRests(false), gapMs);
    return () => clearTimeout(timer);
  }, [rests, gapMs]);

  if (!Object.is(value, shown) && isSeen && !rests) {
    setShown(value);
    setRests(true);
  }
  return { shown, element };
}
