import type { CSSProperties, PointerEvent } from "react";
import { useRef, useState } from "react";

/** Movement below this is a tap, px. */
const SLACK_PX = 6;

type Start = { readonly x: number; readonly y: number };

/**
 * Drags an element by its handle. `dropped` is told where its middle was let go, as shares of the place it may be in, from the left and
 * the top; without a movement `tapped` is told.
 */
export function useDrag({ dropped, tapped }: { dropped: (x: number, y: number) => void; tapped: () => void }) {
  const start = useRef<Start>(undefined);
  const [moved, setMoved] = useState<Start>();
  function end(event: PointerEvent<HTMLElement>): void {
    if (start.current === undefined) return;
    start.current = undefined;
    setMoved(undefined);
    if (moved === undefined) {
      tapped();
      return;
    }
    const own = event.currentTarget.getBoundingClientRect();
    const place = event.currentTarget.closest("main")?.getBoundingClientRect();
    if (place === undefined) return;
    dropped(
      (own.left + own.width / 2 - place.left) / place.width,
      (own.top + own.height / 2 - place.top) / place.height,
    );
  }
  return {
    style: moved && ({ "--moved-x": `${moved.x}px`, "--moved-y": `${moved.y}px` } as CSSProperties),
    dragging: moved !== undefined,
    handle: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, y: event.clientY };
      },
      onPointerMove({ clientX, clientY }: PointerEvent<HTMLElement>) {
        if (start.current === undefined) return;
        const way = { x: clientX - start.current.x, y: clientY - start.current.y };
        if (moved !== undefined || Math.hypot(way.x, way.y) > SLACK_PX) setMoved(way);
      },
      onPointerUp: end,
      onPointerCancel() {
        start.current = undefined;
        setMoved(undefined);
      },
    },
  };
}
