import { CLOSE } from "@longarm/contract/envelope";
import { staffVideo } from "@longarm/contract/staff-video";
import { done, refused } from "@longarm/link/answer";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket, Timers } from "@longarm/link/socket";
import { expect, test, vi } from "vitest";
import type { Receiver, ReceiverEvents } from "./live-video.ts";
import { watchMachine } from "./live-video.ts";

/** Two ends of one socket. */
function pair(): [FrameSocket, FrameSocket] {
  const ends = [0, 1].map(() => ({
    events: undefined as Parameters<FrameSocket["listen"]>[0] | undefined,
    open: true,
  }));
  const end = (own: number, other: number): FrameSocket => ({
    send: (text) => void Promise.resolve().then(() => ends[other]?.open && ends[other]?.events?.text(text)),
    close(code, reason) {
      for (const one of [own, other]) {
        if (ends[one]?.open !== true) continue;
        ends[one].open = false;
        void Promise.resolve().then(() => ends[one]?.events?.closed(code, reason));
      }
    },
    waitingBytes: () => 0,
    listen(events) {
      const place = ends[own];
      if (place !== undefined) place.events = events;
    },
  });
  return [end(0, 1), end(1, 0)];
}

type Offered = ReturnType<typeof done<{ sdp: string }>> | ReturnType<typeof refused>;

/** A platform for one page, with a clock that the test moves. */
function watched(answer: () => Offered = () => done({ sdp: "answer" })) {
  let now = 0;
  const due = new Set<{ at: number; run: () => void }>();
  const timers: Timers = {
    after(ms, run) {
      const entry = { at: now + ms, run };
      due.add(entry);
      return () => void due.delete(entry);
    },
  };
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 250) {
      now += 250;
      for (const entry of [...due].filter(({ at }) => at <= now)) {
        due.delete(entry);
        entry.run();
      }
      for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
    }
  }
  const sockets: { peer: { close(code: number, reason: string): void }; closed: boolean }[] = [];
  const receivers: { events: ReceiverEvents; closed: boolean; frames: number; candidates: unknown[] }[] = [];
  const video = watchMachine({
    machineId: "nar-01",
    origin: "ws://x",
    timers,
    random: () => 0,
    async openSocket() {
      const [ours, theirs] = pair();
      const entry = { peer: undefined as never, closed: false };
      const peer = createPeer({
        contract: staffVideo,
        end: "server",
        socket: theirs,
        timers,
        handlers: { begin: async () => done({ iceServers: [] }), offer: async () => answer() },
        listeners: { candidate: () => {} },
        onClose: () => {
          entry.closed = true;
        },
        log: () => {},
      });
      sockets.push(Object.assign(entry, { peer }));
      return ours;
    },
    openReceiver(_servers, events): Receiver {
      const entry = { events, closed: false, frames: 0, candidates: [] as unknown[] };
      receivers.push(entry);
      return {
        offer: async () => "offer",
        accept: async () => events.stream({} as MediaStream),
        addCandidate: (candidate) => void entry.candidates.push(candidate),
        frames: async () => entry.frames,
        close: () => {
          entry.closed = true;
        },
      };
    },
  });
  return { video, pass, sockets, receivers, state: () => video.state.getState() };
}

test("goes live with frames, says when none come, and connects anew when they stay away", async () => {
  const { pass, receivers, sockets, state, video } = watched();
  await pass(250);
  expect(state()).toEqual({ is: "connecting" });
  const [first] = receivers;
  if (first === undefined) throw new Error("a receiver was opened");
  first.frames = 12;
  await pass(1_250);
  expect(state()).toMatchObject({ is: "live", frames: 12 });
  await pass(4_000);
  expect(state()).toMatchObject({ is: "stalled" });
  await pass(15_000);
  expect(sockets.length).toBeGreaterThan(1);
  expect(first.closed).toBe(true);
  const next = receivers.at(-1);
  if (next !== undefined) next.frames = 5;
  await pass(2_000);
  expect(state()).toMatchObject({ is: "live" });
  video.stop();
});

test.each([
  ["spectators.yours", "yours"],
  ["spectators.full", "full"],
  ["machine.unreachable", "away"],
  ["pipeline.failed", "none"],
] as const)("a refusal is said in its own words and tried again: %s", async (problem, why) => {
  let isFree = false;
  const { pass, receivers, state, video } = watched(() => (isFree ? done({ sdp: "answer" }) : refused(problem)));
  await pass(500);
  expect(state()).toEqual({ is: "none", why });
  isFree = true;
  await pass(12_000);
  const last = receivers.at(-1);
  if (last !== undefined) last.frames = 3;
  await pass(2_000);
  expect(state()).toMatchObject({ is: "live" });
  video.stop();
});

test("ends with the page: the socket closes, and nothing connects again; so after the platform said no for good", async () => {
  const one = watched();
  await one.pass(500);
  one.video.stop();
  await one.pass(30_000);
  expect([one.sockets.length, one.sockets[0]?.closed, one.receivers[0]?.closed]).toEqual([1, true, true]);

  const other = watched();
  await other.pass(500);
  other.sockets[0]?.peer.close(CLOSE.final, "not allowed");
  await other.pass(30_000);
  expect(other.state()).toEqual({ is: "none", why: "notAllowed" });
  expect(other.sockets).toHaveLength(1);
  vi.restoreAllMocks();
});
