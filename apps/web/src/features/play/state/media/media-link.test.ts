import { expect, test } from "vitest";
import { initAnswer, playAgainstFake } from "../testing/fake-platform.ts";
import { FRESH_MS } from "./connection.ts";

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

test("a connection renewed with old servers restarts at once with those of the answer, and one with fresh servers does not", async () => {
  const play = await withRelay();
  const { rtc } = play;
  expect(rtc.made[0]!.offers).toEqual([false]);
  await play.pass(FRESH_MS);
  rtc.flowing = false;
  void play.session.media.tryTransport("any");
  await play.pass(450);
  const second = rtc.made[1]!;
  expect([second.offers, second.servers]).toEqual([[false], [minted("of init")]]);
  await play.pass(150);
  expect([second.offers, second.servers]).toEqual([
    [false, true],
    [minted("of init"), minted("of offer 1")],
  ]);
  void play.session.media.tryTransport("any");
  await play.pass(1_000);
  const third = rtc.made[2]!;
  expect([third.offers, third.servers]).toEqual([[false], [minted("of offer 2")]]);
  play.scope.end();
  expect(play.waiting()).toBe(0);
});

test("sets servers that arrive while a connection plays only at its next restart, which they would force", async () => {
  const play = await withRelay();
  const line = play.rtc.made[0]!;
  play.session.frameShown({ shownAt: 1, rtp: 0 });
  play.session.media.want({ room: true });
  await play.pass(500);
  expect([line.offers, line.servers]).toEqual([[false, false], [[]]]);
  play.session.media.want({ room: false });
  await play.pass(500);
  expect(line.offers).toEqual([false, false, false]);
  line.flowing = false;
  await play.pass(1_800);
  expect(line.offers.at(-1)).toBe(true);
  expect(line.servers).toEqual([[], minted("of offer 2")]);
});

test("gives the self-test servers that are still valid, also after hours of play", async () => {
  const play = await withRelay();
  expect(await play.session.media.iceServers()).toEqual(minted("of init"));
  await play.pass(FRESH_MS);
  expect(await play.session.media.iceServers()).toEqual(minted("of offer 1"));
  expect(play.rtc.made[0]!.offers).toEqual([false, false]);
});

test("requests no servers where the venue has none", async () => {
  const play = playAgainstFake();
  await play.pass(500);
  await play.pass(FRESH_MS);
  expect(await play.session.media.iceServers()).toEqual([]);
  expect(play.methods("offer")).toEqual([]);
});

test("the end of one trial does not end the next one", async () => {
  const play = await withRelay();
  play.rtc.flowing = false;
  const first = play.session.media.tryTransport("udp");
  await play.settle();
  const second = play.session.media.tryTransport("tcp");
  await play.settle();
  expect(await first).toMatchObject({ is: "failed" });
  play.rtc.made[2]!.events.state("connected");
  expect(await second).toMatchObject({ is: "connected" });
});

const udp = { candidate: "candidate:1 1 udp 2113937151 10.0.0.1 5000 typ host", sdpMid: "0" };
const tcp = { candidate: "candidate:2 1 tcp 1518280447 10.0.0.1 9 typ host tcptype active", sdpMid: "0" };

/** A link that was cut until UDP was left out, as a cut of ten seconds does. */
async function leftUdp() {
  const play = playAgainstFake();
  await play.settle();
  play.rtc.made[0]!.events.state("connected");
  await play.pass(1_000);
  play.rtc.flowing = false;
  play.rtc.made[0]!.flowing = false;
  const recovery = () => play.session.state.getState().recovery;
  for (let waited = 0; recovery() !== "tcp" && waited < 20_000; waited += 50) await play.pass(50);
  return { ...play, recovery, newest: () => play.rtc.made.at(-1)! };
}

test("a network that comes back while UDP is given up gets exactly one connection with every transport, at once", async () => {
  const { session, rtc, recovery, newest, settle, pass, methods } = await leftUdp();
  expect(recovery()).toBe("tcp");
  const without = newest();
  const opened = rtc.made.length;
  session.wake();
  session.wake(true);
  await settle();
  expect([recovery(), rtc.made.length, without.closed]).toEqual(["renew", opened + 1, true]);
  const told = methods("candidate").length;
  for (const candidate of [udp, tcp]) newest().events.candidate(candidate);
  await settle();
  expect(methods("candidate").slice(told)).toEqual([udp, tcp]);
  newest().events.state("connected");
  newest().flowing = true;
  await pass(300);
  expect([session.state.getState().live, recovery(), newest().closed]).toEqual([true, undefined, false]);
});

test("does not replace the connection of a seat that was just taken again when the network's return is reported after it", async () => {
  const { session, rtc, recovery, newest, peer, settle, pass } = await leftUdp();
  await pass(3_000);
  session.wake(true);
  await pass(600);
  expect(recovery()).toBe("renew");
  const [seats, before] = [rtc.made.length, newest()];
  peer()?.close(1012, "restart");
  for (let waited = 0; rtc.made.length === seats && waited < 5_000; waited += 50) await pass(50);
  await settle();
  const fresh = newest();
  expect([rtc.made.length, fresh === before, fresh.accepted.length]).toEqual([seats + 1, false, 1]);
  session.wake(true);
  await settle();
  expect([rtc.made.length, fresh.closed]).toEqual([seats + 1, false]);
});

test("shows a stream that a busy browser reports only after a channel has opened", async () => {
  const play = playAgainstFake();
  await play.settle();
  const connection = play.rtc.made[0]!;
  connection.events.channelOpen("clock");
  expect(play.session.state.getState().streams.video).toBeUndefined();
  const video = {} as MediaStream;
  connection.streams = { ...connection.streams, video };
  connection.events.streams();
  expect(play.session.state.getState().streams.video).toBe(video);
});

test("makes the first offer while the game socket opens, and sends that one; a later seat gets a new one", async () => {
  const play = playAgainstFake();
  expect(play.rtc.made.map(({ offers }) => offers)).toEqual([[false]]);
  await play.settle();
  expect(play.rtc.made).toHaveLength(1);
  expect(play.methods("init")).toMatchObject([{ offer: "offer 1.1" }]);
  play.rtc.made[0]!.events.state("connected");
  play.peer()?.close(1012, "restart");
  await play.pass(5_000);
  expect(play.methods("init")).toMatchObject([{ offer: "offer 1.1" }, { offer: "offer 2.1" }]);
  play.scope.end();
  expect(play.rtc.made.map(({ closed }) => closed)).toEqual([true, true]);
});

test("an offer that waited long for the game socket is made anew, and its connection is closed", async () => {
  const play = playAgainstFake();
  play.sleep(11_000);
  await play.settle();
  expect(play.methods("init")).toMatchObject([{ offer: "offer 2.1" }]);
  expect(play.rtc.made.map(({ closed }) => closed)).toEqual([true, false]);
});

test("an agent that is slow to answer gets one offer at a time, and the connection that it answers is used", async () => {
  const play = await withRelay();
  play.rtc.flowing = false;
  play.rtc.made[0]!.flowing = false;
  await play.pass(300);
  play.answers.offerMs = 6_000;
  play.rtc.made[0]!.events.state("failed");
  await play.pass(5_900);
  const [renewed] = play.rtc.made.slice(1);
  expect([play.methods("offer").length, play.rtc.made.length, renewed!.accepted]).toEqual([1, 2, []]);
  await play.pass(200);
  expect([renewed!.accepted, renewed!.closed]).toEqual([["answer to offer 2.1"], false]);
  renewed!.events.state("connected");
  renewed!.flowing = true;
  await play.pass(300);
  expect([play.session.state.getState().live, play.rtc.made.length]).toEqual([true, 2]);
});
