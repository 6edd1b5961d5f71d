/** The colours of a palette (packages/ui/src/tokens.css) that are plain colours. */
export const TOKENS = [
  ...(["room", "surface", "raised", "raised-2", "sunken", "line", "line-strong", "ink", "ink-2", "ink-3"] as const),
  ...(["brass-hi", "brass", "brass-lo", "brass-deep", "on-brass", "money"] as const),
  ...(["led-available", "led-playing", "led-waiting", "led-reserved", "led-off", "led-fault"] as const),
  ...(["danger", "danger-fill", "on-danger", "focus"] as const),
] as const;
export type Token = (typeof TOKENS)[number];
export type Tokens = Readonly<Record<Token, string>>;
