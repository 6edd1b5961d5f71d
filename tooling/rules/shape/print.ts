// Prints how finely the sources are cut: `node tooling/rules/shape/print.ts`, with `--files` also which files are meant.
import { codeFiles } from "../source/repository.ts";
import { SMALL_LINES, shapeOf } from "./shape.ts";

const shape = shapeOf(codeFiles());
const percent = Math.round((100 * shape.oneImporter.length) / shape.files);
const rows: readonly [string, number | string, readonly string[]][] = [
  ["source files without tests", shape.files, []],
  ["lines in them", shape.lines, []],
  ["files that one other file imports", `${shape.oneImporter.length} (${percent} %)`, []],
  [`those below ${SMALL_LINES} lines`, shape.smallOneImporter.length, shape.smallOneImporter],
  ["files that only re-export", shape.passThrough.length, shape.passThrough],
];
for (const [label, count, files] of rows) {
  process.stdout.write(`${label.padEnd(36)}${count}\n`);
  if (process.argv.includes("--files")) for (const file of files) process.stdout.write(`  ${file}\n`);
}
