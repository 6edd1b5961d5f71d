import type { Press } from "@longarm/contract/data-channel";
import type { Answer } from "@longarm/link/answer";
import { fakeTimers } from "@longarm/link/testing";
import { expect, test } from "vitest";
import type { GameLink } from "./game-link.ts";
import { AgentClock } from "./media/agent-clock.ts";
import type { ChannelName } from "./media/rtc-port.ts";
import type { PressResult } from "./press-sender.ts";
import { PressSender } from "./press-sender.ts";

function sender(open = true) {
  const timers = fakeTimers();
  const frames: Press[] = [];
  const requests: { press: Press; answer: (answer: Answer<never>) => void }[] = [];
  const channel = { open };
  // One second ahead of the page's clock.
  const clock = new AgentClock();
  clock.add({ t0: 0, t1: 1_000, t2: 1_000, t3: 0 });
  const send = (_channel: ChannelName, frame: string): boolean => {
    if (channel.open) frames.push(JSON.parse(frame) as Press);
    return channel.open;
  };
  const request = (_method: string, press: Press) =>
    new Promise((answer) => requests.push({ press, answer: answer as never }));
  const presses = new PressSender(timers, { channels: { send }, clock }, { request: request as GameLink["request"] });
  presses.begin(7);
  const answer = (seq: number, outcome = "started") => presses.receive(JSON.stringify({ seq, outcome, at: 5 }));
  return { presses, timers, frames, requests, channel, answer };
}

async function settled(promise: Promise<PressResult>): Promise<PressResult | "open"> {
  await Promise.resolve();
  return await Promise.race([promise, Promise.resolve("open" as const)]);
}

test("a press goes out at once, with epoch, number, the agent's time and the stake that was seen", async () => {
  const { presses, frames, answer } = sender();
  const result = presses.press({ button: "spin", stake: 1_200, pressedAt: 50 });
  expect(frames).toEqual([{ epoch: 7, seq: 1, button: "spin", at: 1_050, stake: 1_200 }]);
  answer(1);
  expect(await result).toMatchObject({ outcome: "started", at: 5 });
});

test("an unanswered press is repeated under its number after 20, 40 and 80 ms and unknown at 500 ms", async () => {
  const { presses, frames, timers } = sender();
  const result = presses.press({ button: "spin", pressedAt: 0 });
  for (const [ms, sent] of [
    [19, 1],
    [1, 2],
    [20, 3],
    [40, 4],
    [419, 4],
  ] as const) {
    timers.advance(ms);
    expect(frames).toHaveLength(sent);
  }
  expect(new Set(frames.map(({ seq }) => seq))).toEqual(new Set([1]));
  expect(await settled(result)).toBe("open");
  timers.advance(1);
  expect(await result).toEqual({ outcome: "unknown" });
});

test("ignores repeated, late, foreign and malformed answers", async () => {
  const { presses, timers, answer, frames } = sender();
  const first = presses.press({ button: "spin", pressedAt: 0 });
  for (const frame of ["", "null", "{}", '{"seq":1}', '{"seq":9,"outcome":"started","at":1}', "x".repeat(2_000)])
    presses.receive(frame);
  expect(await settled(first)).toBe("open");
  answer(1, "refused");
  answer(1, "started");
  expect(await first).toMatchObject({ outcome: "refused" });
  const second = presses.press({ button: "spin", pressedAt: 0 });
  answer(1, "started");
  expect(await settled(second)).toBe("open");
  timers.advance(500);
  answer(2, "started");
  expect(await second).toEqual({ outcome: "unknown" });
  expect(frames.at(-1)?.seq).toBe(2);
});

test("sends one press at a time, so that none overtakes another, and drops the presses of a stuck key", async () => {
  const { presses, frames, answer } = sender();
  const results = Array.from({ length: 9 }, (_, index) => presses.press({ button: `b${index}`, pressedAt: 0 }));
  expect(frames.map(({ button }) => button)).toEqual(["b0"]);
  expect(await results[8]).toMatchObject({ outcome: "ignored" });
  for (let seq = 1; seq <= 7; seq += 1) answer(seq, "done");
  expect((await Promise.all(results)).filter(({ outcome }) => outcome === "done")).toHaveLength(7);
  expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("while the channel is not open a press goes once over the socket, under the same number", async () => {
  const { presses, requests, timers, channel, frames } = sender(false);
  const result = presses.press({ button: "betUp", pressedAt: 0 });
  timers.advance(100);
  expect(requests.map(({ press }) => press.seq)).toEqual([1]);
  timers.advance(1_000);
  expect(await settled(result)).toBe("open");
  requests[0]?.answer({ is: "done", data: { seq: 1, outcome: "done", at: 9 } as never });
  expect(await result).toMatchObject({ outcome: "done" });
  channel.open = true;
  void presses.press({ button: "betUp", pressedAt: 0 });
  expect(frames[0]?.seq).toBe(2);
});

test("a new epoch starts the numbers anew and makes open presses unknown", async () => {
  const { presses, frames, answer } = sender();
  const old = presses.press({ button: "spin", pressedAt: 0 });
  const waiting = presses.press({ button: "betUp", pressedAt: 0 });
  presses.begin(8);
  expect([await old, await waiting]).toEqual([{ outcome: "unknown" }, { outcome: "unknown" }]);
  const next = presses.press({ button: "spin", pressedAt: 0 });
  expect(frames.at(-1)).toMatchObject({ epoch: 8, seq: 1 });
  answer(1);
  expect((await next).outcome).toBe("started");
  presses.end();
  expect((await presses.press({ button: "spin", pressedAt: 0 })).outcome).toBe("ignored");
});
