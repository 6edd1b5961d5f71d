import { expect, test } from "vitest";
import { readMachines } from "./config/machines.ts";
import { viewOf } from "./plans.ts";

const viewsOf = (more: object) => {
  const { machines, complaints } = readMachines(
    JSON.stringify([{ id: "m-1", name: "M 1", brand: "nar", driver: "simulated", demonstration: true, ...more }]),
  );
  expect(complaints).toEqual([]);
  return machines.map(viewOf);
};

test("a painted machine, a screen and a test pattern are no camera; a device is one unless it says otherwise", () => {
  expect(viewsOf({})).toMatchObject([{ videoType: "screen", webcam: true }]);
  expect(viewsOf({ picture: { kind: "test" } })).toMatchObject([{ videoType: "screen", sourceDelayMs: 0 }]);
  const rtsp = { kind: "rtsp", url: "rtsp://camera.lan/live" };
  expect(viewsOf({ picture: rtsp })[0]?.sourceDelayMs).toBeUndefined();
  expect(viewsOf({ picture: { ...rtsp, delayMs: 83 } })).toMatchObject([{ sourceDelayMs: 83 }]);
  expect(viewsOf({ picture: { kind: "v4l2", device: "/dev/video0" } })).toMatchObject([{ videoType: "camera" }]);
  expect(viewsOf({ picture: { kind: "v4l2", device: "/dev/video0" }, videoType: "screen" })).toMatchObject([
    { videoType: "screen" },
  ]);
});
