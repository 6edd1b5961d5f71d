import { systemTimers } from "@longarm/link/socket";
import { expect, test } from "vitest";
import { PictureLine } from "./video.ts";

const nothing = () => undefined;
const lineOf = () =>
  new PictureLine({
    ...{ timers: systemTimers, now: () => performance.now(), loopback: true, iceServers: [] },
    ...{ askOffer: () => new Promise(nothing), pressFrame: nothing, renewed: nothing, picture: nothing },
    roundTrip: nothing,
  });

test("an offer that is no more wanted is answered all the same, by nothing", async () => {
  const line = lineOf();
  const [first, second] = [line.freshOffer(), line.freshOffer()];
  expect(await first).toBeUndefined();
  expect(await second).toContain("m=video");
  const last = line.freshOffer();
  await line.end();
  expect(await last).toBeUndefined();
});
