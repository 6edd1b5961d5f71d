import { systemTimers } from "@longarm/link/socket";
import { expect, test } from "vitest";
import { VideoLink } from "./video.ts";

const nothing = () => undefined;
const linkOf = () =>
  new VideoLink({
    ...{ timers: systemTimers, now: () => performance.now(), loopback: true, iceServers: [] },
    ...{ sendOffer: () => new Promise(nothing), pressFrame: nothing, renewed: nothing, picture: nothing },
    roundTrip: nothing,
  });

test("an offer that a newer one replaces resolves to undefined", async () => {
  const link = linkOf();
  const [first, second] = [link.freshOffer(), link.freshOffer()];
  expect(await first).toBeUndefined();
  expect(await second).toContain("m=video");
  const last = link.freshOffer();
  await link.end();
  expect(await last).toBeUndefined();
});
