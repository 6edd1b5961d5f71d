import css from "./about.module.css";

const CELL = 6;
const HALF = CELL / 2;
const BOX = CELL - 1;

/** A line of the paytable, drawn over its reels. `line`: on each reel the row from the top, 0 first. */
export function LineShape({ line, rows }: { line: readonly number[]; rows: number }) {
  const points = line.map((row, reel) => `${reel * CELL + HALF},${row * CELL + HALF}`).join(" ");
  const cells = line.flatMap((_, reel) =>
    Array.from({ length: rows }, (__, row) => `M${reel * CELL + 0.5} ${row * CELL + 0.5}h${BOX}v${BOX}h-${BOX}z`),
  );
  return (
    <svg className={css["shape"]} viewBox={`0 0 ${line.length * CELL} ${rows * CELL}`} aria-hidden="true">
      <path d={cells.join("")} />
      <polyline points={points} />
    </svg>
  );
}
