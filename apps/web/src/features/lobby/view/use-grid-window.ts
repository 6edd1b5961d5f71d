import type { RefObject } from "react";
import { useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Up to this many cards are all there: the browser's own search finds them, and nothing has to be measured. */
const WHOLE_MAX = 60;
/** Rows above and below the window that are there too, for the keyboard and for quick fingers. */
const SPARE_ROWS = 3;
/** Cards of the first drawing, before anything is measured. */
const FIRST_CARDS = 24;

/** What the style sheet made of the floor: its columns, and px from row to row. */
type Measure = { readonly columns: number; readonly cardPx: number; readonly gapPx: number };
type Rows = { readonly first: number; readonly last: number };

/** The last measure: a floor that is shown again has its height at once, so that the page can be put where it was. */
let lastMeasure: Measure | undefined;

export type GridWindow = {
  readonly list: RefObject<HTMLUListElement | null>;
  /** An empty grid of the same style: its columns are measured, since cards placed by hand would change them. */
  readonly probe: RefObject<HTMLDivElement | null>;
  /** The cards to draw, in order; undefined: all. */
  readonly places: readonly CardPlace[] | undefined;
  /** Height of the rows, for `grid-template-rows`. */
  readonly rowsStyle: string | undefined;
};
export type CardPlace = {
  readonly index: number;
  readonly row: number | undefined;
  readonly column: number | undefined;
};

/** Which cards of a long floor are drawn: those near the window, and those around the one that has the focus. The grid stays one list with its whole height. */
export function useGridWindow(count: number, focused: number): GridWindow {
  const list = useRef<HTMLUListElement>(null);
  const probe = useRef<HTMLDivElement>(null);
  const [measure, setMeasure] = useState(lastMeasure);
  const [rows, setRows] = useState<Rows>();
  const windowed = count > WHOLE_MAX;

  useLayoutEffect(() => {
    if (!windowed || list.current === null || probe.current === null) return;
    const grid = list.current;
    const empty = probe.current;
    let now = lastMeasure;
    const lookAtRows = () => {
      const next = now && rowsInWindow(grid, now);
      setRows((was) => (was?.first === next?.first && was?.last === next?.last ? was : next));
    };
    const lookAtAll = () => {
      const next = measureOf(grid, empty);
      const same =
        now && next && now.columns === next.columns && now.cardPx === next.cardPx && now.gapPx === next.gapPx;
      if (next !== undefined && !same) now = next;
      lastMeasure = now;
      setMeasure(now);
      lookAtRows();
    };
    lookAtAll();
    // Drawn in the same frame as it is scrolled to.
    const scrolled = () => flushSync(lookAtRows);
    const resized = new ResizeObserver(lookAtAll);
    resized.observe(empty);
    const card = grid.querySelector("article");
    if (card !== null) resized.observe(card);
    // In some layouts an element scrolls, not the window: its event does not bubble, so the window captures it.
    addEventListener("scroll", scrolled, { passive: true, capture: true });
    addEventListener("resize", lookAtAll);
    return () => {
      resized.disconnect();
      removeEventListener("scroll", scrolled, { capture: true });
      removeEventListener("resize", lookAtAll);
    };
  }, [windowed]);

  if (!windowed) return { list, probe, places: undefined, rowsStyle: undefined };
  if (measure === undefined || rows === undefined) {
    const places = Array.from({ length: FIRST_CARDS }, (_, index) => ({ index, row: undefined, column: undefined }));
    return { list, probe, places, rowsStyle: measure && rowsStyleOf(count, measure) };
  }
  return { list, probe, places: placesOf(count, focused, measure, rows), rowsStyle: rowsStyleOf(count, measure) };
}

const rowsStyleOf = (count: number, { columns, cardPx }: Measure): string =>
  `repeat(${Math.ceil(count / columns)}, ${cardPx}px)`;

function measureOf(grid: HTMLElement, empty: HTMLElement): Measure | undefined {
  const { gridTemplateColumns, rowGap } = getComputedStyle(empty);
  const cardPx = grid.querySelector("article")?.offsetHeight ?? 0;
  // Not laid out.
  if (cardPx === 0) return undefined;
  return { columns: gridTemplateColumns.split(" ").length, cardPx, gapPx: Number.parseFloat(rowGap) || 0 };
}

function rowsInWindow(grid: HTMLElement, { cardPx, gapPx }: Measure): Rows {
  const { top } = grid.getBoundingClientRect();
  const pitch = cardPx + gapPx;
  return {
    first: Math.max(0, Math.floor(-top / pitch) - SPARE_ROWS),
    last: Math.max(0, Math.ceil((innerHeight - top) / pitch) + SPARE_ROWS),
  };
}

function placesOf(count: number, focused: number, { columns }: Measure, { first, last }: Rows): CardPlace[] {
  const rowsOfFocus = focused < 0 ? [] : [-1, 0, 1].map((off) => Math.floor(focused / columns) + off);
  const inWindow = Array.from({ length: last - first }, (_, n) => first + n);
  const rows = [...new Set([...inWindow, ...rowsOfFocus])].sort((a, b) => a - b);
  return rows
    .flatMap((row) =>
      Array.from({ length: columns }, (_, column) => ({
        index: row * columns + column,
        row: row + 1,
        column: column + 1,
      })),
    )
    .filter(({ index }) => index >= 0 && index < count);
}
