import { expect, test } from "vitest";
import type { Exchange } from "../../ports/transport.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { createPublisher } from "./publisher.ts";
import { WhipProblem } from "./whip.ts";

function open(from = 3) {
  const clock = fakeClock();
  const events: string[] = [];
  const problems: string[] = [];
  const lost: ((reason: string) => void)[] = [];
  /** What the server does with an offer. */
  const server: { answer: () => Promise<void> } = { answer: async () => undefined };
  const publisher = createPublisher({
    ...{ from, clock, random: () => 1 },
    async post(_, signal) {
      events.push("offer");
      const aborted = new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      });
      await Promise.race([server.answer(), aborted]);
      return { sdp: "answer", address: undefined, end: async () => void events.push("session ended") };
    },
    async join(exchange: Exchange, closed) {
      await exchange("ours");
      lost.push(closed);
      return { close: async () => void events.push("connection ended") };
    },
    problem: (sentence) => void problems.push(sentence),
  });
  const took = (): string[] => events.splice(0);
  return { clock, publisher, server, problems, took, lose: (reason: string) => lost.at(-1)?.(reason) };
}

test("publishes once for enough spectators, and for a minute after they are fewer", async () => {
  const { clock, publisher, took } = open();
  publisher.watched(2);
  await clock.pass(1_000);
  expect(took()).toEqual([]);
  for (const spectators of [3, 9, 4]) publisher.watched(spectators);
  await clock.pass(1_000);
  expect(took()).toEqual(["offer"]);
  publisher.watched(2);
  await clock.pass(59_000);
  publisher.watched(3);
  await clock.pass(59_000);
  expect(took()).toEqual([]);
  publisher.watched(0);
  await clock.pass(30_000);
  publisher.watched(1);
  await clock.pass(30_000);
  expect(took()).toEqual(["connection ended", "session ended"]);
  await clock.pass(600_000);
  expect(took()).toEqual([]);
});

test("tries again ever later, never twice at once, and reports one reason once", async () => {
  const { clock, publisher, server, took, problems, lose } = open(0);
  server.answer = () => Promise.reject(new Error("It is away."));
  publisher.watched(0);
  await clock.pass(0);
  const waits: number[] = [];
  for (let offers = 0; offers < 8; offers += 1) {
    const from = clock.now();
    while (took().length === 0) {
      publisher.watched(offers);
      await clock.pass(1_000);
    }
    waits.push(Math.round((clock.now() - from) / 1_000));
  }
  expect(waits.slice(1)).toEqual([1, 2, 4, 8, 16, 32, 60]);
  expect(problems).toEqual(["The crowd's video: It is away."]);
  server.answer = async () => undefined;
  await clock.pass(60_000);
  expect(took()).toEqual(["offer"]);
  await clock.pass(60_000);
  lose("The media server closed the connection.");
  lose("again");
  expect(problems).toHaveLength(2);
  await clock.pass(1_000);
  expect(took()).toEqual(["connection ended", "session ended", "offer"]);
});

test("waits as long as the server wishes", async () => {
  const { clock, publisher, server, took } = open(0);
  server.answer = () => Promise.reject(new WhipProblem("It is busy.", { retryAfterMs: 20_000 }));
  publisher.watched(0);
  await clock.pass(19_000);
  expect(took()).toEqual(["offer"]);
  await clock.pass(1_000);
  expect(took()).toEqual(["offer"]);
});

test("ends at any time, also while the server still has the offer or the next attempt waits", async () => {
  const early = open(0);
  early.server.answer = () => new Promise(() => undefined);
  early.publisher.watched(0);
  await early.clock.pass(0);
  await early.publisher.close();
  await early.clock.pass(600_000);
  expect(early.took()).toEqual(["offer"]);
  expect(early.problems).toEqual([]);

  const waiting = open(0);
  waiting.server.answer = () => Promise.reject(new Error("no"));
  waiting.publisher.watched(0);
  await waiting.clock.pass(0);
  await waiting.publisher.close();
  waiting.publisher.watched(9);
  await waiting.clock.pass(600_000);
  expect(waiting.took()).toEqual(["offer"]);

  const up = open(0);
  up.publisher.watched(0);
  await up.clock.pass(0);
  await up.publisher.close();
  expect(up.took()).toEqual(["offer", "connection ended", "session ended"]);
});
