/** A picture of three planes, I420, BT.601 limited range. */
export type Planes = { width: number; height: number; data: Uint8Array; y: Uint8Array; u: Uint8Array; v: Uint8Array };

export type Rect = { x: number; y: number; width: number; height: number };

export function planes(width: number, height: number, data = new Uint8Array((width * height * 3) / 2)): Planes {
  const luma = width * height;
  return {
    width,
    height,
    data,
    y: data.subarray(0, luma),
    u: data.subarray(luma, luma * 1.25),
    v: data.subarray(luma * 1.25),
  };
}

const clampByte = (value: number): number => Math.min(Math.max(Math.round(value), 0), 255);

export const lumaOf = (r: number, g: number, b: number): number => clampByte(16 + 0.257 * r + 0.504 * g + 0.098 * b);
export const chromaOf = (r: number, g: number, b: number): [number, number] => [
  clampByte(128 - 0.148 * r - 0.291 * g + 0.439 * b),
  clampByte(128 + 0.439 * r - 0.368 * g - 0.071 * b),
];

/** Converts RGBA pixels; only while the art is prepared, never per picture. */
export function fromRgba(rgba: ArrayLike<number>, width: number, height: number): Planes {
  const out = planes(width, height);
  for (let at = 0; at < width * height; at += 1) {
    out.y[at] = lumaOf(rgba[at * 4] ?? 0, rgba[at * 4 + 1] ?? 0, rgba[at * 4 + 2] ?? 0);
  }
  const half = width / 2;
  const stride = width * 4;
  for (let row = 0; row < height / 2; row += 1) {
    for (let column = 0; column < half; column += 1) {
      const at = row * 2 * stride + column * 8;
      /** The mean of the four pixels that share their colour. */
      const mean = (from: number): number =>
        ((rgba[from] ?? 0) + (rgba[from + 4] ?? 0) + (rgba[from + stride] ?? 0) + (rgba[from + stride + 4] ?? 0)) / 4;
      const [u, v] = chromaOf(mean(at), mean(at + 1), mean(at + 2));
      out.u[row * half + column] = u;
      out.v[row * half + column] = v;
    }
  }
  return out;
}

/** Rows up to this are copied byte by byte: a view of each of them, thousands a picture while the reels turn, costs more and is garbage. */
const NARROW = 160;

function copyPlane(to: Uint8Array, from: Uint8Array, stride: number, rect: Rect): void {
  for (let row = rect.y; row < rect.y + rect.height; row += 1) {
    const at = row * stride + rect.x;
    if (rect.width > NARROW) to.set(from.subarray(at, at + rect.width), at);
    else for (let n = at, end = at + rect.width; n < end; n += 1) to[n] = from[n] as number;
  }
}

const halved = ({ x, y, width, height }: Rect): Rect => ({ x: x / 2, y: y / 2, width: width / 2, height: height / 2 });

/** Restores a part (even edges) from another picture of the same size. */
export function copyRect(to: Planes, from: Planes, rect: Rect): void {
  const half = halved(rect);
  copyPlane(to.y, from.y, to.width, rect);
  copyPlane(to.u, from.u, to.width / 2, half);
  copyPlane(to.v, from.v, to.width / 2, half);
}

/** Darkens a part (even edges): `share` of 256 of the light stays. */
export function dimRect(to: Planes, rect: Rect, share: number): void {
  const half = halved(rect);
  for (let row = rect.y; row < rect.y + rect.height; row += 1) {
    for (let at = row * to.width + rect.x, end = at + rect.width; at < end; at += 1) {
      to.y[at] = 16 + ((((to.y[at] ?? 16) - 16) * share) >> 8);
    }
  }
  const stride = to.width / 2;
  for (let row = half.y; row < half.y + half.height; row += 1) {
    for (let at = row * stride + half.x, end = at + half.width; at < end; at += 1) {
      to.u[at] = 128 + ((((to.u[at] ?? 128) - 128) * share) >> 8);
      to.v[at] = 128 + ((((to.v[at] ?? 128) - 128) * share) >> 8);
    }
  }
}

/** Fills a part (even edges) with one grey. */
export function fillGrey(to: Planes, rect: Rect, luma: number): void {
  for (let row = rect.y; row < rect.y + rect.height; row += 1) {
    to.y.fill(luma, row * to.width + rect.x, row * to.width + rect.x + rect.width);
  }
  const half = halved(rect);
  for (let row = half.y; row < half.y + half.height; row += 1) {
    const at = (row * to.width) / 2 + half.x;
    to.u.fill(128, at, at + half.width);
    to.v.fill(128, at, at + half.width);
  }
}
