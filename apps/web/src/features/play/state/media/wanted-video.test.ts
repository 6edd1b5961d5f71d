import { fakeTimers } from "@longarm/link/testing";
import { expect, test } from "vitest";
import { playAgainstFake } from "../testing/fake-platform.ts";
import { DIRECT_MS } from "./connection.ts";
import { CONNECT_MS, PATIENCE_MS } from "./recovery.ts";
import { WantedVideo } from "./wanted-video.ts";

function wishing(answers: boolean[], { shown = true } = {}) {
  const timers = fakeTimers();
  const offered: string[] = [];
  const open: ((known: boolean) => void)[] = [];
  const wanted = new WantedVideo(timers, () => {
    offered.push(`${wanted.now.machine} ${wanted.now.room}`);
    const known = answers.shift();
    return known === undefined ? new Promise((done) => void open.push(done)) : Promise.resolve(known);
  });
  if (shown) wanted.frameShown();
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    timers.advance(ms);
    await settle();
  };
  return { wanted, offered, open, settle, pass, timers };
}

test("makes one offer for a change of what is wanted, and none without a change", async () => {
  const { wanted, offered, settle } = wishing([true]);
  wanted.change({ machine: true, room: false });
  expect(offered).toEqual([]);
  wanted.change({ room: true });
  wanted.change({ room: true });
  await settle();
  expect(offered).toEqual(["true true"]);
});

test("offers the room behind the machine's first frame, and then at once", async () => {
  const { wanted, offered, settle } = wishing([true, true, true], { shown: false });
  wanted.change({ room: true });
  wanted.sync();
  await settle();
  expect(offered).toEqual(["true false", "true false"]);
  wanted.frameShown();
  wanted.frameShown();
  await settle();
  expect(offered.slice(2)).toEqual(["true true"]);
});

test("offers a change made during an offer afterwards, and only the last one", async () => {
  const { wanted, offered, open, settle } = wishing([]);
  wanted.change({ room: true });
  wanted.change({ room: false });
  wanted.change({ room: true });
  wanted.change({ machine: false });
  expect(offered).toEqual(["true true"]);
  open[0]?.(true);
  await settle();
  expect(offered).toEqual(["true true", "false false"]);
});

test("an offer that was not answered is made again, ever more patiently, and never after the end", async () => {
  const { wanted, offered, pass, timers } = wishing([false, false, false, true]);
  wanted.change({ room: true });
  await pass(0);
  await pass(1_999);
  expect(offered).toHaveLength(1);
  await pass(1);
  expect(offered).toHaveLength(2);
  await pass(3_999);
  expect(offered).toHaveLength(2);
  await pass(1);
  expect(offered).toHaveLength(3);
  wanted.end();
  await pass(60_000);
  expect(offered).toHaveLength(3);
  expect(timers.waiting).toBe(0);
});

test("video that is not wanted is not missing, nor while it comes back", async () => {
  const { wanted, pass } = wishing([true, true]);
  expect(wanted.resting).toBe(false);
  wanted.change({ machine: false });
  expect(wanted.resting).toBe(true);
  wanted.change({ machine: true });
  expect(wanted.resting).toBe(true);
  await pass(2_000);
  expect(wanted.resting).toBe(false);
});

test("a hidden page receives no video and does not escalate; a visible one requests it again, and a new connection knows what is wanted", async () => {
  const { session, rtc, methods, settle, pass, scope, waiting } = playAgainstFake();
  await settle();
  rtc.made[0]?.events.state("connected");
  session.frameShown({ shownAt: 1, rtp: 0 });
  await pass(1_000);
  const offers = methods("offer").length;
  session.media.want({ machine: false });
  await settle();
  expect(rtc.made[0]?.wants).toEqual({ machine: false, room: false });
  expect(methods("offer")).toHaveLength(offers + 1);
  for (const made of rtc.made) made.flowing = false;
  await pass(20_000);
  expect(methods("offer")).toHaveLength(offers + 1);
  expect(session.state.getState()).toMatchObject({ live: true, recovery: undefined });
  session.media.want({ machine: true, room: true });
  await settle();
  expect(rtc.made[0]?.wants).toEqual({ machine: true, room: true });
  expect(methods("offer")).toHaveLength(offers + 2);
  // The picture does not come: now it is missed, and another connection is opened as wanted.
  await pass(12_000);
  expect(rtc.made.length).toBeGreaterThan(1);
  expect(rtc.made.at(-1)?.wants).toEqual({ machine: true, room: true });
  scope.end();
  expect(waiting()).toBe(0);
});

test("of two offers made at once accepts only the answer to the last one", async () => {
  const { session, rtc, answers, settle, pass } = playAgainstFake();
  const init = answers.init;
  answers.init = () => {
    const answer = init();
    if (answer.is === "done") answer.data.iceServers = [{ urls: "turn:relay.example" }];
    return answer;
  };
  await settle();
  const line = rtc.made[0]!;
  // No direct pair is found by then: the servers of the answer are used.
  await pass(DIRECT_MS - 1);
  session.frameShown({ shownAt: 1, rtp: 0 });
  session.media.want({ room: true });
  await pass(1);
  expect(line.offers).toEqual([false, false, true]);
  expect(line.accepted).toEqual(["answer 1", "answer to offer 1.3"]);
});

test("after a seat is taken again the old connection plays on without offers, and the new one learns what is wanted once it is connected", async () => {
  const { session, rtc, peer, settle, pass, methods } = playAgainstFake();
  await settle();
  rtc.made[0]!.events.state("connected");
  session.frameShown({ shownAt: 1, rtp: 0 });
  await pass(1_000);
  peer()?.close(1012, "restart");
  await pass(200);
  const [old, fresh] = rtc.made;
  expect([rtc.made.length, old?.closed]).toEqual([2, false]);
  session.media.want({ room: true });
  old!.flowing = false;
  // A new connection has its time; a key frame is requested then, and after it a restart.
  await pass(CONNECT_MS + PATIENCE_MS.keyFrame + PATIENCE_MS.restart / 2);
  expect(old?.offers).toEqual([false]);
  expect(fresh?.offers).toContain(true);
  const offers = methods("offer").length;
  fresh!.events.state("connected");
  await settle();
  expect([old?.closed, fresh?.wants, methods("offer").length]).toEqual([
    true,
    { machine: true, room: true },
    offers + 1,
  ]);
});
