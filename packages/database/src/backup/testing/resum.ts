import { createHash } from "node:crypto";

/** Makes every SHA-256 of an unpacked backup fit its content, as a forger would. */
export function resum(text: string): string {
  const lines = text.split("\n").slice(0, -1);
  let rows: string[] | undefined;
  const made = lines.slice(0, -1).map((line) => {
    if (line.startsWith('{"table":')) rows = [];
    else if (line.startsWith('{"rows":') && rows !== undefined) {
      const sha256 = createHash("sha256").update(rows.join("")).digest("hex");
      return JSON.stringify({ ...JSON.parse(line), sha256 });
    } else if (line !== "\\.") rows?.push(`${line}\n`);
    return line;
  });
  const before = made.map((line) => `${line}\n`).join("");
  const sha256 = createHash("sha256").update(before).digest("hex");
  return `${before}${JSON.stringify({ ...JSON.parse(lines.at(-1) ?? "{}"), sha256 })}\n`;
}
