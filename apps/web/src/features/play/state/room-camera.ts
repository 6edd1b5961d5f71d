import { createStore } from "zustand/vanilla";
import type { Live } from "../../../shared/live/live.ts";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";

/** Where the small video is, in reading direction: "start" is left in a left-to-right language. */
export const CORNERS = ["topStart", "topEnd", "bottomEnd", "bottomStart"] as const;
export type Corner = (typeof CORNERS)[number];
export type RoomCameraNow = { readonly open: boolean; readonly corner: Corner };
/** Whether the player wants to see the room, and where; kept between visits. */
export type RoomCamera = { readonly now: Live<RoomCameraNow>; change(part: Partial<RoomCameraNow>): void };

const FIRST: RoomCameraNow = { open: true, corner: "bottomStart" };

export function createRoomCamera(storage: Storage): RoomCamera {
  const now = createStore<RoomCameraNow>(() => read(storage.read(STORAGE_KEYS.roomCamera)));
  return {
    now,
    change(part) {
      now.setState(part);
      const { open, corner } = now.getState();
      storage.write(STORAGE_KEYS.roomCamera, `${open ? "on" : "off"} ${corner}`);
    },
  };
}

function read(kept: string | null): RoomCameraNow {
  const [open, place] = (kept ?? "").split(" ");
  const corner = CORNERS.find((one) => one === place);
  return corner === undefined ? FIRST : { open: open !== "off", corner };
}

/** The next corner clockwise, for a tap or Enter. */
export function cornerAfter(corner: Corner): Corner {
  return CORNERS[(CORNERS.indexOf(corner) + 1) % CORNERS.length] ?? corner;
}

export type Side = "top" | "bottom" | "start" | "end";

/** The next corner on this side; the same one at the edge. */
export function cornerTowards(corner: Corner, side: Side): Corner {
  const [row, column] = corner.startsWith("top")
    ? (["top", corner.slice(3)] as const)
    : (["bottom", corner.slice(6)] as const);
  if (side === "top" || side === "bottom") return `${side}${column as "Start" | "End"}`;
  return `${row}${side === "start" ? "Start" : "End"}`;
}

/** The nearest corner: `x`, `y` as shares of the screen, from the left and the top. */
export function cornerAt(x: number, y: number, rightToLeft: boolean): Corner {
  const column = x < 0.5 === rightToLeft ? "End" : "Start";
  return `${y < 0.5 ? "top" : "bottom"}${column}`;
}
