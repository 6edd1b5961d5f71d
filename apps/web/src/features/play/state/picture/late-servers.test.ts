import { expect, test } from "vitest";
import { initAnswer, playAgainstFake } from "../testing/fake-platform.ts";
import { FRESH_MS } from "./media-link.ts";

const minted = (username: string) => [{ urls: "turn:relay.example", username, credential: "c" }];

/** A player whose servers are known by names that count up, with a picture. */
async function withRelay() {
  const play = playAgainstFake();
  let names = 0;
  play.answers.init = () => ({ is: "done", data: { ...initAnswer(1), iceServers: minted("of init") } });
  play.answers.servers = () => {
    names += 1;
    return minted(`of offer ${names}`);
  };
  await play.settle();
  play.rtc.made[0]!.events.state("connected");
  await play.pass(600);
  return play;
}

test("a connection that is renewed when its servers are old asks those of the answer at once, and one with fresh servers does not", async () => {
  const play = await withRelay();
  const { rtc } = play;
  expect(rtc.made[0]!.offers).toEqual([false]);
  await play.pass(FRESH_MS);
  rtc.flowing = false;
  void play.session.tryWay("any");
  await play.pass(450);
  const second = rtc.made[1]!;
  expect([second.offers, second.servers]).toEqual([[false], [minted("of init")]]);
  await play.pass(150);
  expect([second.offers, second.servers]).toEqual([
    [false, true],
    [minted("of init"), minted("of offer 1")],
  ]);
  void play.session.tryWay("any");
  await play.pass(1_000);
  const third = rtc.made[2]!;
  expect([third.offers, third.servers]).toEqual([[false], [minted("of offer 2")]]);
  play.scope.end();
  expect(play.waiting()).toBe(0);
});

test("servers that come while a connection plays are not set before its next restart, which they would force", async () => {
  const play = await withRelay();
  const line = play.rtc.made[0]!;
  play.session.want({ room: true });
  await play.pass(500);
  expect([line.offers, line.servers]).toEqual([[false, false], [[]]]);
  play.session.want({ room: false });
  await play.pass(500);
  expect(line.offers).toEqual([false, false, false]);
  line.flowing = false;
  await play.pass(1_800);
  expect(line.offers.at(-1)).toBe(true);
  expect(line.servers).toEqual([[], minted("of offer 2")]);
});

test("the self-test is given servers that are still good, also after hours of play", async () => {
  const play = await withRelay();
  expect(await play.session.iceServers()).toEqual(minted("of init"));
  await play.pass(FRESH_MS);
  expect(await play.session.iceServers()).toEqual(minted("of offer 1"));
  expect(play.rtc.made[0]!.offers).toEqual([false, false]);
});

test("a venue without servers of its own is not asked for any", async () => {
  const play = playAgainstFake();
  await play.pass(500);
  await play.pass(FRESH_MS);
  expect(await play.session.iceServers()).toEqual([]);
  expect(play.methods("offer")).toEqual([]);
});

test("a way that is tried is not ended by the end of the try before it", async () => {
  const play = await withRelay();
  play.rtc.flowing = false;
  const first = play.session.tryWay("udp");
  await play.settle();
  const second = play.session.tryWay("tcp");
  await play.settle();
  expect(await first).toMatchObject({ is: "failed" });
  play.rtc.made[2]!.events.state("connected");
  expect(await second).toMatchObject({ is: "connected" });
});
