import { expect, test } from "vitest";
import { ICON_PATHS } from "./icon-paths.ts";

test("player 25: the room camera's icon is a camera, and not a frame in a frame as that of the small window", () => {
  const frames = (path: string) => path.split(/(?=M)/).filter((part) => part.endsWith("z")).length;
  expect(frames(ICON_PATHS.camera)).toBe(1);
  expect(ICON_PATHS.camera).toMatch(/M15\.5 11l5\.5-3v8l-5\.5-3$/);
});
