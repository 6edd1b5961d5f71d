import { PICTURE_HEIGHT, PICTURE_WIDTH } from "./layout.ts";

/** A picture as a canvas gives it (RGBA) or as the agent paints it (I420: luma first). Any size with the shape of 16:9. */
export type Pixels = { data: ArrayLike<number>; width: number; height: number; layout: "rgba" | "i420" };

/** Brightness (0 to 255) at a place given in the pixels of the 1280 x 720 picture. */
export function brightness(pixels: Pixels, x: number, y: number): number {
  const column = Math.min(Math.max(Math.round((x * pixels.width) / PICTURE_WIDTH), 0), pixels.width - 1);
  const row = Math.min(Math.max(Math.round((y * pixels.height) / PICTURE_HEIGHT), 0), pixels.height - 1);
  const at = row * pixels.width + column;
  if (pixels.layout === "i420") return pixels.data[at] ?? 0;
  const [r, g, b] = [pixels.data[at * 4] ?? 0, pixels.data[at * 4 + 1] ?? 0, pixels.data[at * 4 + 2] ?? 0];
  return 0.299 * r + 0.587 * g + 0.114 * b;
}

/** Mean brightness of a box, sampled on a grid. */
export function meanBrightness(pixels: Pixels, x: number, y: number, width: number, height: number): number {
  let sum = 0;
  let samples = 0;
  for (let dy = 1; dy < height; dy += 3) {
    for (let dx = 1; dx < width; dx += 3) {
      sum += brightness(pixels, x + dx, y + dy);
      samples += 1;
    }
  }
  return samples === 0 ? 0 : sum / samples;
}
