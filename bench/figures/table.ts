/** A Markdown table that also lines up in a terminal. The first row is the head; all columns but the first are figures. */
export function markdown(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0), 3));
  const line = (row: readonly string[]): string => {
    const cells = widths.map((width, at) =>
      at === 0 ? (row[at] ?? "").padEnd(width) : (row[at] ?? "").padStart(width),
    );
    return `| ${cells.join(" | ")} |`;
  };
  const rule = widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const [head = [], ...body] = rows;
  return [line(head), `| ${rule.join(" | ")} |`, ...body.map(line)].join("\n");
}
