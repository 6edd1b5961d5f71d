/**
 * Draws the ten digits of the machine's meters and prints their templates for
 * src/picture/reading/digits.ts. Run again when the lettering changes:
 * node packages/reels/tools/digit-templates.ts > packages/reels/src/picture/reading/digits.ts
 */

import { METER_LETTERING } from "../src/picture/art.ts";
import { letters } from "../src/picture/glyphs.ts";
import { writeAmount } from "../src/picture/numbers.ts";
import { fillGrey, planes } from "../src/picture/planes.ts";
import { METER_LINES } from "../src/picture/reading/layout.ts";

const { digit, height } = METER_LINES.credit;
const font = letters("0123456789.,", { ...METER_LETTERING, colour: "#ffffff" });
const rows: string[] = [];
for (let value = 0; value < 10; value += 1) {
  const sheet = planes(64, 64);
  fillGrey(sheet, { x: 0, y: 0, width: 64, height: 64 }, 16);
  writeAmount(sheet, font, { ...METER_LINES.credit, right: 50, top: 20 }, value);
  let hex = "";
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < digit; x += 1) {
      const level = ((sheet.y[(20 + y) * 64 + 50 - digit + x] ?? 16) - 16) / 219;
      hex += Math.min(15, Math.max(0, Math.round(level * 15))).toString(16);
    }
  }
  rows.push(`  "${hex}",`);
}
process.stdout.write(`// Made by apps/agent/tools/digit-templates.ts: do not edit.

export const TEMPLATE_WIDTH = ${digit};
export const TEMPLATE_HEIGHT = ${height};

/** The digits 0 to 9 as the meters show them: one hexadecimal digit of brightness a pixel, row by row. */
export const DIGIT_TEMPLATES: readonly string[] = [
${rows.join("\n")}
];
`);
