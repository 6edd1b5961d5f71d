import type { Token, Tokens } from "./tokens.ts";

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const TEXT = 4.5;
const EDGE = 3;
const SURFACES = ["room", "surface", "raised", "raised-2", "sunken"] as const;
const onAll = (over: Token, least: number) => SURFACES.map((under) => [over, under, least] as const);

/** Which colours must be distinguishable, and how well: the table of design.md 3.2 and the pairs that our components add to it. */
export const LIMITS: readonly (readonly [over: Token, under: Token, least: number])[] = [
  ...onAll("ink", TEXT),
  ...onAll("ink-2", TEXT),
  ...onAll("ink-3", TEXT),
  ...onAll("money", TEXT),
  ...onAll("danger", TEXT),
  ["on-brass", "brass", TEXT],
  ["on-danger", "danger-fill", TEXT],
  ...(["available", "playing", "waiting", "reserved", "off", "fault"] as const).flatMap((lamp) =>
    onAll(`led-${lamp}`, EDGE),
  ),
  ...onAll("line-strong", EDGE),
  ...onAll("focus", EDGE),
  // The lower edge of a brass key carries its outline where brass is near the page.
  ["brass-lo", "surface", EDGE],
];

/** The pairs that are too near each other. */
export function tooNear(tokens: Tokens): string[] {
  return LIMITS.filter(([over, under, least]) => contrast(tokens[over], tokens[under]) < least).map(
    ([over, under, least]) =>
      `${over} on ${under} is ${contrast(tokens[over], tokens[under]).toFixed(2)}, not ${least}`,
  );
}
