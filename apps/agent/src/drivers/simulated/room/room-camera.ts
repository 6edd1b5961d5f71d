import { FLOOR_BRANDS } from "@longarm/reels/brands";
import type { Letters } from "@longarm/reels/picture/glyphs";
import { letters, writeCentred } from "@longarm/reels/picture/glyphs";
import type { Planes } from "@longarm/reels/picture/planes";
import { planes } from "@longarm/reels/picture/planes";
import type { Clock } from "../../../ports/clock.ts";
import type { OpenSource, Source, VideoFrame } from "../../../ports/source.ts";
import { ROOM_CLOCK, ROOM_HEIGHT, ROOM_WIDTH, roomBackdrop } from "./backdrop.ts";

const FRAME_RATE = 12;
/** One pass of the light along the wall, ms. */
const LIGHT_MS = 9_000;
/** Half the width of the light, pixels, and its most, in luma. */
const LIGHT_REACH = 46;
const LIGHT_LUMA = 26;

type Look = { readonly backdrop: Planes; readonly figures: Letters };
const lookOf = new Map<string, Promise<Look>>();

/** The backdrop is drawn once per brand and process, when somebody first wants to see the room; a failure is tried again. */
function prepare(brand: string): Promise<Look> {
  const known = lookOf.get(brand);
  if (known !== undefined) return known;
  const others = FLOOR_BRANDS.map(({ id }) => id).filter((id) => id !== brand);
  const figures = letters("0123456789:", { size: 14, stretch: 110, weight: 700, colour: "#ffb454" });
  const fresh = roomBackdrop(brand, others).then((backdrop) => ({ backdrop, figures }));
  lookOf.set(brand, fresh);
  fresh.catch(() => lookOf.delete(brand));
  return fresh;
}

/** The room around a simulated machine: a slow light and a clock show that it lives. */
export function roomCameraSource(brand: string, clock: Clock): Source {
  let isOpen = false;

  return {
    format: { width: ROOM_WIDTH, height: ROOM_HEIGHT, frameRate: FRAME_RATE, audio: false },
    async open(sink): Promise<OpenSource> {
      if (isOpen) throw new Error("The room's picture is open already; close it first.");
      isOpen = true;
      const look = await prepare(brand).catch((error: unknown) => {
        isOpen = false;
        throw error;
      });
      const frame = planes(ROOM_WIDTH, ROOM_HEIGHT);
      const stop = clock.every(1_000 / FRAME_RATE, () => sink.video(paint(frame, look, clock.now())));
      return {
        async close() {
          stop();
          isOpen = false;
        },
      };
    },
    still: async () => paint(planes(ROOM_WIDTH, ROOM_HEIGHT), await prepare(brand), clock.now()),
  };
}

function paint(frame: Planes, { backdrop, figures }: Look, capturedAtMs: number): VideoFrame {
  frame.data.set(backdrop.data);
  const swing = Math.sin((capturedAtMs / LIGHT_MS) * 2 * Math.PI);
  const middle = Math.round(ROOM_WIDTH / 2 + swing * (ROOM_WIDTH / 2));
  for (let reach = -LIGHT_REACH; reach <= LIGHT_REACH; reach += 1) {
    const x = middle + reach;
    if (x < 0 || x >= ROOM_WIDTH) continue;
    const light = Math.round(LIGHT_LUMA * (1 - Math.abs(reach) / LIGHT_REACH));
    for (let y = 0; y < ROOM_HEIGHT; y += 1) {
      const at = y * ROOM_WIDTH + x;
      frame.y[at] = Math.min(235, (frame.y[at] ?? 16) + light);
    }
  }
  const time = new Date(capturedAtMs);
  const text = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0"));
  writeCentred(frame, figures, text.join(":"), ROOM_CLOCK.x + ROOM_CLOCK.width / 2, ROOM_CLOCK.y + 16);
  return { width: ROOM_WIDTH, height: ROOM_HEIGHT, data: frame.data, capturedAtMs };
}
