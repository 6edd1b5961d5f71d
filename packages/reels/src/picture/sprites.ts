import type { Planes } from "./planes.ts";
import { chromaOf, lumaOf } from "./planes.ts";

/** A picture part with soft edges: colours already multiplied by their share, `hide` is what stays of the ground (of 256). */
export type Sprite = {
  width: number;
  height: number;
  y: Uint8Array;
  hideY: Uint16Array;
  u: Uint8Array;
  v: Uint8Array;
  hideC: Uint16Array;
};

/** Prepares RGBA pixels (even size) once; pictures are then made of whole-number arithmetic. */
export function spriteOf(rgba: ArrayLike<number>, width: number, height: number): Sprite {
  const quarter = (width * height) / 4;
  const sprite: Sprite = {
    width,
    height,
    y: new Uint8Array(width * height),
    hideY: new Uint16Array(width * height),
    u: new Uint8Array(quarter),
    v: new Uint8Array(quarter),
    hideC: new Uint16Array(quarter),
  };
  for (let at = 0; at < width * height; at += 1) {
    const share = (rgba[at * 4 + 3] ?? 0) / 255;
    sprite.y[at] = Math.round(lumaOf(rgba[at * 4] ?? 0, rgba[at * 4 + 1] ?? 0, rgba[at * 4 + 2] ?? 0) * share);
    sprite.hideY[at] = Math.round(256 * (1 - share));
  }
  for (let at = 0; at < quarter; at += 1) {
    const column = (at % (width / 2)) * 2;
    const row = Math.floor(at / (width / 2)) * 2;
    let [r, g, b, shares] = [0, 0, 0, 0];
    for (const from of [
      row * width + column,
      row * width + column + 1,
      (row + 1) * width + column,
      (row + 1) * width + column + 1,
    ]) {
      const share = (rgba[from * 4 + 3] ?? 0) / 255;
      r += (rgba[from * 4] ?? 0) * share;
      g += (rgba[from * 4 + 1] ?? 0) * share;
      b += (rgba[from * 4 + 2] ?? 0) * share;
      shares += share;
    }
    const [u, v] = shares === 0 ? [0, 0] : chromaOf(r / shares, g / shares, b / shares);
    sprite.u[at] = Math.round((u * shares) / 4);
    sprite.v[at] = Math.round((v * shares) / 4);
    sprite.hideC[at] = Math.round(256 * (1 - shares / 4));
  }
  return sprite;
}

/** Rows that may be painted, top included, bottom not; even. */
export type Clip = { top: number; bottom: number };

/**
 * Lays a sprite over the picture at an even place. `light` says for each picture row how much of the sprite's light arrives
 * (of 256); without it all of it does.
 */
export function lay(to: Planes, sprite: Sprite, x: number, y: number, clip: Clip, light?: Uint16Array): void {
  const from = Math.max(clip.top - y, 0);
  const till = Math.min(clip.bottom - y, sprite.height);
  // Held outside of the objects: some hundred thousand pixels a picture.
  const { y: ground, u: groundU, v: groundV } = to;
  const { y: luma, u: colourU, v: colourV, hideY, hideC } = sprite;
  for (let row = from; row < till; row += 1) {
    const lit = light === undefined ? 256 : (light[y + row] ?? 256);
    let at = (y + row) * to.width + x;
    for (let s = row * sprite.width, end = s + sprite.width; s < end; s += 1, at += 1) {
      const hide = hideY[s] as number;
      if (hide !== 256) ground[at] = (((ground[at] as number) * hide) >> 8) + (((luma[s] as number) * lit) >> 8);
    }
  }
  const stride = to.width / 2;
  const half = sprite.width / 2;
  for (let row = from >> 1; row < till >> 1; row += 1) {
    let at = ((y >> 1) + row) * stride + (x >> 1);
    for (let s = row * half, end = s + half; s < end; s += 1, at += 1) {
      const hide = hideC[s] as number;
      if (hide === 256) continue;
      groundU[at] = (((groundU[at] as number) * hide) >> 8) + (colourU[s] as number);
      groundV[at] = (((groundV[at] as number) * hide) >> 8) + (colourV[s] as number);
    }
  }
}
