import { readdir, readFile } from "node:fs/promises";
import { ASSETS } from "@longarm/reels/picture/art";
import type { Planes } from "@longarm/reels/picture/planes";
import { fromRgba } from "@longarm/reels/picture/planes";
import type { Image, SKRSContext2D } from "@napi-rs/canvas";
import { createCanvas, loadImage } from "@napi-rs/canvas";

/** Size of the room camera's picture, pixels. */
export const ROOM_WIDTH = 320;
export const ROOM_HEIGHT = 180;
/** Where the clock hangs: in the middle, because pages lay their keys over the corners. */
export const ROOM_CLOCK = { x: 117, y: 8, width: 86, height: 22 } as const;

/** The cabinet on a plate, in plate pixels, and its reel windows. */
const CABINET = { x: 236, y: 0, width: 1128, height: 900 };
const WINDOWS = { x: 346, y: 232, pitch: 184, width: 172, height: 134, columns: 5, rows: 3 };
/** Floor line of the room. */
const FLOOR = 112;

const image = async (path: string): Promise<Image> => loadImage(await readFile(`${ASSETS}${path}`));

/** The room as a camera on the ceiling sees it, with the machine of this brand among its neighbours; drawn once. */
export async function roomBackdrop(brand: string, neighbours: readonly string[]): Promise<Planes> {
  const canvas = createCanvas(ROOM_WIDTH, ROOM_HEIGHT);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  paintRoom(context);
  const [left = brand, right = brand] = neighbours;
  await cabinet(context, left, { x: 8, y: 52, width: 78, dim: 0.5 });
  await cabinet(context, right, { x: 234, y: 52, width: 78, dim: 0.5 });
  await cabinet(context, brand, { x: 99, y: 34, width: 122, dim: 0 });
  const { x, y, width, height } = ROOM_CLOCK;
  context.fillStyle = "#0b0a0c";
  context.fillRect(x, y, width, height);
  context.strokeStyle = "#3a3438";
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  return fromRgba(context.getImageData(0, 0, ROOM_WIDTH, ROOM_HEIGHT).data, ROOM_WIDTH, ROOM_HEIGHT);
}

function paintRoom(context: SKRSContext2D): void {
  const wall = context.createLinearGradient(0, 0, 0, FLOOR);
  wall.addColorStop(0, "#1b1519");
  wall.addColorStop(1, "#3a2a30");
  context.fillStyle = wall;
  context.fillRect(0, 0, ROOM_WIDTH, FLOOR);
  const floor = context.createLinearGradient(0, FLOOR, 0, ROOM_HEIGHT);
  floor.addColorStop(0, "#241016");
  floor.addColorStop(1, "#4a1c26");
  context.fillStyle = floor;
  context.fillRect(0, FLOOR, ROOM_WIDTH, ROOM_HEIGHT - FLOOR);
  // The carpet's lines run to one point behind the wall.
  context.strokeStyle = "rgba(226,178,110,.14)";
  for (let column = -8; column <= 8; column += 1) {
    context.beginPath();
    context.moveTo(ROOM_WIDTH / 2 + column * 14, FLOOR);
    context.lineTo(ROOM_WIDTH / 2 + column * 44, ROOM_HEIGHT);
    context.stroke();
  }
  for (let lamp = 0; lamp < 4; lamp += 1) {
    const x = 40 + lamp * 80;
    const glow = context.createRadialGradient(x, 4, 1, x, 4, 46);
    glow.addColorStop(0, "rgba(255,226,170,.75)");
    glow.addColorStop(1, "rgba(255,226,170,0)");
    context.fillStyle = glow;
    context.fillRect(x - 46, 0, 92, 60);
  }
}

type Place = { readonly x: number; readonly y: number; readonly width: number; readonly dim: number };

async function cabinet(context: SKRSContext2D, brand: string, { x, y, width, dim }: Place): Promise<void> {
  const scale = width / CABINET.width;
  const height = CABINET.height * scale;
  context.fillStyle = "#120e10";
  context.fillRect(x + 3, y + height - 2, width - 6, height * 0.45);
  const shade = context.createRadialGradient(
    x + width / 2,
    y + height * 1.46,
    4,
    x + width / 2,
    y + height * 1.46,
    width * 0.7,
  );
  shade.addColorStop(0, "rgba(0,0,0,.6)");
  shade.addColorStop(1, "rgba(0,0,0,0)");
  context.fillStyle = shade;
  context.fillRect(x - width / 4, y + height * 1.34, width * 1.5, height * 0.24);
  const plate = await image(`plates/${brand}.webp`);
  context.drawImage(plate, CABINET.x, CABINET.y, CABINET.width, CABINET.height, x, y, width, height);
  await reels(context, brand, { x, y, width, dim });
  context.fillStyle = `rgba(16,10,14,${dim})`;
  context.fillRect(x, y, width, height * 1.43);
}

async function reels(context: SKRSContext2D, brand: string, { x, y, width }: Place): Promise<void> {
  const scale = width / CABINET.width;
  const names = (await readdir(`${ASSETS}symbols/${brand}`)).filter((name) => name.endsWith(".webp")).sort();
  const symbols = await Promise.all(names.map((name) => image(`symbols/${brand}/${name}`)));
  for (let cell = 0; cell < WINDOWS.columns * WINDOWS.rows; cell += 1) {
    const symbol = symbols[(cell * 5) % symbols.length];
    if (symbol === undefined) continue;
    const column = cell % WINDOWS.columns;
    const row = Math.floor(cell / WINDOWS.columns);
    const left = x + (WINDOWS.x - CABINET.x + column * WINDOWS.pitch + (WINDOWS.width - WINDOWS.height) / 2) * scale;
    const top = y + (WINDOWS.y + row * WINDOWS.height) * scale;
    context.drawImage(symbol, left, top, WINDOWS.height * scale, WINDOWS.height * scale);
  }
}
