/** The colours of a palette (packages/ui/src/tokens.css) that are plain colours. */
export const TOKENS = [
  ...(["room", "surface", "raised", "raised-2", "sunken", "line", "line-strong", "ink", "ink-2", "ink-3"] as const),
  ...(["brass-hi", "brass", "brass-lo", "brass-deep", "on-brass", "money"] as const),
  ...(["led-available", "led-playing", "led-waiting", "led-reserved", "led-off", "led-fault"] as const),
  ...(["danger", "danger-fill", "on-danger", "focus"] as const),
] as const;
export type Token = (typeof TOKENS)[number];
export type Tokens = Readonly<Record<Token, string>>;

/** The palette of every page until another is chosen. */
export const NIGHT: Tokens = {
  ...{ room: "#100d0b", surface: "#181411", raised: "#231e1a", "raised-2": "#302923", sunken: "#0a0807" },
  ...{ line: "#372f28", "line-strong": "#85796b", ink: "#f5efe6", "ink-2": "#cfc5b7", "ink-3": "#a89d8f" },
  ...{ "brass-hi": "#fbe7b8", brass: "#e3b962", "brass-lo": "#a3742a", "brass-deep": "#573a10" },
  ...{ "on-brass": "#1d1404", money: "#ecc87d" },
  ...{ "led-available": "#58e08c", "led-playing": "#78c3ff", "led-waiting": "#ffab52" },
  ...{ "led-reserved": "#cda5ff", "led-off": "#958a7e", "led-fault": "#ff7d70" },
  ...{ danger: "#ff8f83", "danger-fill": "#b3261b", "on-danger": "#ffffff", focus: "#fff3d6" },
};

/** Its light counterpart. */
export const DAYLIGHT: Tokens = {
  ...{ room: "#f1ebe1", surface: "#fbf7f0", raised: "#ffffff", "raised-2": "#efe6d8", sunken: "#e9e1d4" },
  ...{ line: "#ddd2c1", "line-strong": "#857763", ink: "#1e1813", "ink-2": "#4b4138", "ink-3": "#665b4f" },
  ...{ "brass-hi": "#f7dda0", brass: "#d9a84a", "brass-lo": "#93671f", "brass-deep": "#5e4010" },
  ...{ "on-brass": "#1d1404", money: "#7a5208" },
  ...{ "led-available": "#0f7a3c", "led-playing": "#0b62a8", "led-waiting": "#9a5200" },
  ...{ "led-reserved": "#6e3fb0", "led-off": "#6b6156", "led-fault": "#b3261b" },
  ...{ danger: "#a51f15", "danger-fill": "#b3261b", "on-danger": "#ffffff", focus: "#1e1813" },
};

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
