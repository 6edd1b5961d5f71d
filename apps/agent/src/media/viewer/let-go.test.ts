import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Source } from "../../ports/source.ts";
import type { ViewerConnection } from "../../ports/transport.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { createRoomCamera } from "../broadcast.ts";
import { createRoomSender, ROOM_NEEDS_BPS } from "./room-sender.ts";
import type { Succession } from "./succession.ts";
import { createSuccession } from "./succession.ts";
import type { Entry } from "./viewer.ts";

/* A viewer who has gone is let go of: with it go its connection and the seconds of frames that are kept to send them again. */

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function isCollected(kept: WeakRef<object>): Promise<void> {
  await expect
    .poll(
      () => {
        collect();
        return kept.deref() === undefined;
      },
      { timeout: 20_000 },
    )
    .toBe(true);
}

function player(): Entry {
  const entry = {
    ...{ role: "player", sender: { connected: true }, standFor: () => undefined, end: async () => undefined },
    viewer: { viewerId: "the same", role: "player" },
  };
  return entry as unknown as Entry;
}

/** The player joins again, and the new connection stands. Answers what was given out, and the connection itself. */
async function joinAgain(succession: Succession) {
  const entry = player();
  const given = await succession.join(entry);
  succession.connected(entry);
  return { given, entry: new WeakRef(entry) };
}

test("a player who joins again and again holds one connection, not all there ever were", async () => {
  const succession = createSuccession();
  const { entry: first } = await joinAgain(succession);
  const { given } = await joinAgain(succession);
  await isCollected(first);
  expect(succession.viewers()).toHaveLength(1);
  await given.close();
  expect(succession.viewers()).toHaveLength(0);
});

test("the room camera lets go of a viewer who leaves while the link is too narrow for it", async () => {
  const clock = fakeClock();
  const source = {
    format: { width: 320, height: 180, frameRate: 12, audio: false },
    open: async () => ({ close: async () => undefined }),
  } as unknown as Source;
  const entries = new Set<Entry>();
  const camera = createRoomCamera({ source, clock, entries: () => entries, problem: () => undefined });
  const leave = (): WeakRef<Entry> => {
    const room = createRoomSender(clock, { sendVideo: () => undefined } as unknown as ViewerConnection);
    const stream = { payloadType: 108, ssrc: 0x77, playoutDelayId: null, transportSequenceId: null };
    room.agreed({
      ...{ videoCodec: "h264", video: { ...stream, ssrc: 1 }, audio: null, cname: "m" },
      roomCamera: { ...stream, codec: "h264" },
    });
    const sender = { bitrate: ROOM_NEEDS_BPS };
    const entry = { role: "player", room, sender } as unknown as Entry;
    entries.add(entry);
    camera.step();
    sender.bitrate -= 1;
    camera.step();
    expect(room.place.free).toBe(false);
    entries.delete(entry);
    camera.step();
    return new WeakRef(entry);
  };
  await isCollected(leave());
  await camera.close();
});
