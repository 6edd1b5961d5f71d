/** A colour by lightness (0 to 1), chroma (0 to some 0.3) and hue (degrees) of OKLCH. */
export type Oklch = { readonly l: number; readonly c: number; readonly h: number };
type Triple = readonly [number, number, number];

/** Linear light of red, green and blue, 0 to 1 within what a screen shows (Björn Ottosson's matrices). */
function toLinear({ l, c, h }: Oklch): Triple {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ];
}

const encode = (light: number): number => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
const isShown = (light: Triple): boolean => light.every((part) => part >= -0.0001 && part <= 1.0001);

/** As `#rrggbb`. A colour that no screen shows loses chroma until one does. */
export function toHex(colour: Oklch): string {
  const light = toLinear(colour);
  if (!isShown(light) && colour.c > 0.001) return toHex({ ...colour, c: colour.c - 0.001 });
  const bytes = light.map((part) => Math.round(Math.min(1, Math.max(0, encode(part))) * 255));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
