import type { Letters } from "./glyphs.ts";
import { writeCharacter } from "./glyphs.ts";
import type { Planes } from "./planes.ts";
import type { NumberLine } from "./reading/layout.ts";

/** Minor units as the machine shows them: `4.820,50`. */
export function moneyText(minor: number): string {
  const whole = String(Math.floor(minor / 100)).replace(/\B(?=(\d{3})+$)/g, ".");
  return `${whole},${String(minor % 100).padStart(2, "0")}`;
}

/** Writes an amount from the right with the same room for every digit, so that a reader finds each one. */
export function writeAmount(to: Planes, font: Letters, line: NumberLine, minor: number): void {
  let x = line.right;
  for (const character of [...moneyText(minor)].reverse()) {
    const room = character === "," || character === "." ? line.mark : line.digit;
    x -= room;
    const advance = font.sprites.get(character)?.advance ?? 0;
    writeCharacter(to, font, character, x + (room - advance) / 2, line.top + line.height);
  }
}
