import { expect, test } from "vitest";
import { playAgainstFake } from "../testing/fake-platform.ts";

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

test("a network that comes back while UDP is left out gets a connection with every way at once, and one only", async () => {
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

test("the connection of a seat that was just taken again is not replaced when the network's return is told behind it", async () => {
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
