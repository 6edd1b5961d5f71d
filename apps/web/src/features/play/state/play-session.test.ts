import { done, refused } from "@longarm/link/answer";
import { expect, test } from "vitest";
import { GAME_WAIT_MS } from "./ending.ts";
import { RETURN_MS } from "./media/recovery.ts";
import type { PlaySession } from "./play-session.ts";
import { initAnswer, METERS, playAgainstFake } from "./testing/fake-platform.ts";

async function seated() {
  const play = playAgainstFake();
  await play.settle();
  return play;
}

test("one round trip takes the seat and starts the video", async () => {
  const { session, methods, rtc } = await seated();
  expect(methods("init")).toEqual([{ machineID: "nar-07", token: "token", offer: "offer 1.1", framesPerSecond: 30 }]);
  expect(rtc.made.map(({ accepted }) => accepted)).toEqual([["answer 1"]]);
  const { phase, online, bands, meters } = session.state.getState();
  expect({ phase, online, meters }).toEqual({ phase: "playing", online: true, meters: METERS });
  expect(bands.map(({ id }) => id)).toEqual(["20", "10"]);
});

test("a refused seat goes to the lobby with the reason", async () => {
  const play = playAgainstFake();
  play.answers.init = () => refused("seat.elsewhere", { params: { machine: "Kuzey 02" } });
  await play.settle();
  expect(play.left).toMatchObject([{ is: "refused", code: 60013, params: { machine: "Kuzey 02" } }]);
  expect(play.rtc.made[0]?.closed).toBe(true);
  expect(play.waiting()).toBe(0);
});

test("reconnects a lost socket and takes the seat again, with a new epoch, a new offer and numbers from 1", async () => {
  const play = await seated();
  play.session.spin();
  await play.settle();
  play.peer()?.close(1012, "restart");
  await play.settle();
  expect(play.session.state.getState().online).toBe(false);
  expect(play.session.spin()).toBe("idle");
  await play.pass(1_000);
  expect(play.session.state.getState()).toMatchObject({ online: true, phase: "playing" });
  expect(play.methods("init")).toHaveLength(2);
  play.session.spin();
  await play.settle();
  expect(play.methods("press")).toMatchObject([
    { epoch: 1, seq: 1, stake: 1_200 },
    { epoch: 2, seq: 1, stake: 1_200 },
  ]);
  expect(play.left).toEqual([]);
});

test("presses go over the data channel of the newest connection, never over one of an older epoch", async () => {
  const play = await seated();
  const first = play.rtc.made[0]!;
  first.open = true;
  first.events.state("connected");
  play.session.spin();
  expect(first.sent).toHaveLength(1);
  first.events.channelFrame("press", JSON.stringify({ seq: 1, outcome: "started", at: 1 }));
  await play.settle();
  play.peer()?.notify("meters", { ...METERS, gamesPlayed: 41 });
  play.peer()?.close(1012, "restart");
  await play.pass(1_000);
  const second = play.rtc.made[1]!;
  play.session.spin();
  await play.settle();
  expect(first.sent).toHaveLength(1);
  expect(play.methods("press")).toMatchObject([{ epoch: 2, seq: 1 }]);
  second.open = true;
  second.events.state("connected");
  expect(first.closed).toBe(true);
});

test.each([
  ["taken over", { is: "closed", reason: "taken over" }],
  ["kicked", { is: "closed", reason: "kicked" }],
  ["banned", { is: "closed", reason: "banned" }],
  ["ended", { is: "closed", reason: "ended" }],
  ["bad token", { is: "closed", reason: "bad token" }],
  ["logged out", { is: "closed", reason: "logged out" }],
  ["the floor closes", { is: "refused", code: "the floor closes", message: "the floor closes" }],
  ["", { is: "refused", code: 50100 }],
])("closed for good with %j: the lobby shows why, and the page does not reconnect", async (reason, expected) => {
  const play = await seated();
  play.peer()?.close(4000, reason);
  await play.pass(60_000);
  expect(play.left).toEqual([expected]);
  expect(play.peers).toHaveLength(1);
});

test("only another status of this very machine ends the game, and never our own gap", async () => {
  const play = await seated();
  const phase = () => play.session.state.getState().phase;
  play.events.emit("machine", { id: "kuzey-02", status: 1 });
  play.events.emit("machine", { id: "nar-07", status: 3 });
  expect(phase()).toBe("playing");
  play.peer()?.close(1012, "restart");
  await play.settle();
  play.events.emit("machine", { id: "nar-07", status: 2 });
  expect(phase()).toBe("playing");
  await play.pass(1_000);
  play.events.emit("machine", { id: "nar-07", status: 1 });
  expect(play.left).toEqual([{ is: "status", state: "available" }]);
});

test.each([
  [0, "notAvailable"],
  [1, "available"],
  [2, "waiting"],
  [4, "reserved"],
  [5, "notAvailable"],
  [99, "notAvailable"],
])(
  "R-2.5-07, R-4.1-06, R-4.4-09: status 3 keeps the player; %d of the machine on the screen ends the game, and the lobby shows it",
  async (status, state) => {
    const play = await seated();
    play.events.emit("machine", { id: "nar-07", status: 3 });
    expect(play.left).toEqual([]);
    expect(play.session.state.getState().phase).toBe("playing");
    play.events.emit("machine", { id: "nar-07", status });
    expect(play.left).toEqual([{ is: "status", state }]);
  },
);

test("SPIN and the choices of stake of a locked machine press nothing and show that it is locked", async () => {
  const play = await seated();
  play.peer()?.notify("meters", { ...METERS, lockup: "door" });
  await play.settle();
  expect(play.session.spin()).toBe("locked");
  expect(play.session.panel.note.getState()).toBe("locked");
  play.session.panel.clearNote();
  expect(play.session.panel.press("band:20")).toBe("locked");
  expect(play.session.panel.note.getState()).toBe("locked");
  await play.settle();
  expect(play.methods("press")).toEqual([]);
});

test("before the seat is ours a status changes nothing", () => {
  const play = playAgainstFake();
  play.events.emit("machine", { id: "nar-07", status: 1 });
  expect(play.left).toEqual([]);
});

test("an undecided cash-in is repeated with its own id after the link came back, and moves money once", async () => {
  const play = await seated();
  play.answers.cashIn = () => new Promise(() => {});
  expect(play.session.transferMoney("cashIn", 50_000)).toBe(true);
  expect(play.session.transferMoney("cashIn", 50_000)).toBe(false);
  await play.settle();
  play.peer()?.close(1012, "restart");
  await play.settle();
  expect(play.session.transfer.getState().is).toBe("checking");
  play.answers.cashIn = (amount) => ({ is: "done", data: { outcome: "done", amount } });
  await play.pass(1_000);
  expect(play.methods("cashIn")).toEqual([
    { id: "transfer-1", amount: 50_000 },
    { id: "transfer-1", amount: 50_000 },
  ]);
  expect(play.session.transfer.getState()).toEqual({
    is: "done",
    direction: "cashIn",
    amount: 50_000,
    requested: 50_000,
  });
});

test("an unknown transfer is shown as being checked until the platform decides it", async () => {
  const play = await seated();
  play.answers.cashOut = () => ({ is: "done", data: { outcome: "unknown", amount: 0 } });
  play.session.transferMoney("cashOut", null);
  await play.settle();
  expect(play.methods("cashOut")).toEqual([{ id: "transfer-1" }]);
  expect(play.session.transfer.getState().is).toBe("checking");
  expect(play.session.transferMoney("cashIn", 100)).toBe(false);
  play.peer()?.notify("transfer", { id: "another-one", outcome: "done", amount: 1 });
  expect(play.session.transfer.getState().is).toBe("checking");
  play.peer()?.notify("transfer", { id: "transfer-1", outcome: "done", amount: 482_050 });
  expect(play.session.transfer.getState()).toMatchObject({ is: "done", amount: 482_050, requested: null });
  play.session.clearTransfer();
  expect(play.session.transfer.getState()).toEqual({ is: "idle" });
});

test("a silent platform makes a transfer unknown after 15 s, never refused", async () => {
  const play = await seated();
  play.answers.cashIn = () => new Promise(() => {});
  play.session.transferMoney("cashIn", 50_000);
  await play.pass(14_999);
  expect(play.session.transfer.getState().is).toBe("busy");
  await play.pass(1);
  expect(play.session.transfer.getState().is).toBe("checking");
});

test("leaving waits for the credits, and a refusal keeps the seat", async () => {
  const play = await seated();
  play.answers.leave = () => refused("game.in_progress");
  play.session.leave();
  expect(play.session.state.getState().phase).toBe("leaving");
  await play.settle();
  expect(play.session.state.getState().phase).toBe("playing");
  expect(play.session.leaveRefusal.getState()).toMatchObject({ code: 60015 });
  play.answers.leave = () => ({ is: "done", data: { outcome: "unknown", amount: 0 } });
  play.session.leave();
  await play.settle();
  expect(play.session.state.getState().phase).toBe("checking");
  expect(play.left).toEqual([]);
  play.peer()?.close(4000, "ended");
  await play.settle();
  expect(play.left).toEqual([{ is: "left" }]);
});

test("a player who is called away leaves for that machine; a refusal keeps the seat, and the next leaving is for the lobby", async () => {
  const away = { id: "kuzey-02", name: "Kuzey 02" };
  const play = await seated();
  play.answers.leave = () => ({ is: "done", data: { outcome: "done", amount: 500 } });
  play.session.leave(away);
  await play.settle();
  expect(play.left).toEqual([{ is: "left", returned: 500, to: away }]);

  const kept = await seated();
  kept.answers.leave = () => refused("game.in_progress");
  kept.session.leave(away);
  await kept.settle();
  kept.answers.leave = () => ({ is: "done", data: { outcome: "done", amount: 0 } });
  kept.session.leave();
  await kept.settle();
  expect(kept.left).toEqual([{ is: "left" }]);
});

test("a player who leaves during a game goes when it is over; during a bonus, or without its end, the platform decides", async () => {
  for (const over of [{ inGame: false, gamesPlayed: 41 }, { inGame: true, bonus: true }, "silence"] as const) {
    const play = await seated();
    play.peer()?.notify("meters", { ...METERS, inGame: true });
    play.session.leave();
    await play.pass(2_000);
    expect(play.session.state.getState().phase).toBe("leaving");
    expect(play.methods("leave")).toHaveLength(0);
    if (over === "silence") await play.pass(GAME_WAIT_MS - 2_000);
    else play.peer()?.notify("meters", { ...METERS, ...over });
    await play.settle();
    expect(play.methods("leave")).toHaveLength(1);
    expect(play.left).toEqual([{ is: "left", returned: 482_050 }]);
  }
});

test("leaving shows the returned credits, and nothing when there were none", async () => {
  for (const [amount, told] of [
    [30_500, { is: "left", returned: 30_500 }],
    [0, { is: "left" }],
  ] as const) {
    const play = await seated();
    play.answers.leave = () => ({ is: "done", data: { outcome: "done", amount } });
    play.session.leave();
    await play.settle();
    expect(play.left).toEqual([told]);
  }
});

test("the countdown comes and goes, `continue` answers it, and `ended` carries its code", async () => {
  const play = await seated();
  play.peer()?.notify("countdown", { code: "CODE_18802", count: 42 });
  expect(play.session.state.getState().countdown).toEqual({ code: "CODE_18802", count: 42 });
  play.session.goOn();
  expect(play.methods("continue")).toHaveLength(1);
  play.peer()?.notify("countdown", { code: "CODE_18802", count: 0 });
  expect(play.session.state.getState().countdown).toBeUndefined();
  play.peer()?.notify("ended", { code: "CODE_18801" });
  expect(play.left).toEqual([{ is: "ended", code: "CODE_18801" }]);
  expect(play.rtc.made[0]?.closed).toBe(true);
});

test("while the platform is away SPIN still presses beside live video, and not once that is missing too", async () => {
  const play = await seated();
  const { session, rtc } = play;
  const first = rtc.made[0]!;
  first.events.state("connected");
  first.open = true;
  await play.pass(500);
  const presses = () => first.sent.filter(({ frame }) => "button" in (JSON.parse(frame) as object));
  play.answers.init = () => refused("machine.unreachable");
  play.peer()?.close(1012, "restart");
  await play.settle();
  expect(session.state.getState()).toMatchObject({ online: false, live: true });
  expect(session.spin()).toBe("sent");
  expect(presses()).toHaveLength(1);
  first.flowing = false;
  await play.pass(1_500);
  expect(session.state.getState()).toMatchObject({ live: false });
  expect(session.spin()).toBe("idle");
});

test("does not play a queued game when video has been missing meanwhile", async () => {
  const play = await seated();
  const { session, rtc } = play;
  rtc.made[0]!.events.state("connected");
  await play.pass(500);
  expect(session.spin()).toBe("sent");
  await play.pass(600);
  expect(session.spin()).toBe("queued");
  rtc.made[0]!.flowing = false;
  await play.pass(1_500);
  expect(session.state.getState()).toMatchObject({ playable: false });
  play.peer()?.notify("meters", { ...METERS, gamesPlayed: 41 });
  await play.settle();
  expect(session.reels.getState()).toEqual({ turning: false, queued: false });
  expect(play.methods("press")).toHaveLength(1);
});

test.each([
  ["sends money back", (session: PlaySession) => void session.transferMoney("cashOut", null)],
  ["gets up, though the machine keeps the seat", (session: PlaySession) => session.leave()],
])("a game that was queued is not played once the player %s", async (_, turnAway) => {
  const play = await seated();
  const { session, rtc } = play;
  play.answers.leave = () => refused("machine.locked");
  rtc.made[0]!.events.state("connected");
  await play.pass(500);
  expect(session.spin()).toBe("sent");
  await play.pass(600);
  expect(session.spin()).toBe("queued");
  turnAway(session);
  await play.settle();
  play.peer()?.notify("meters", { ...METERS, gamesPlayed: 41 });
  await play.pass(600);
  expect(session.state.getState().phase).toBe("playing");
  expect(session.reels.getState()).toEqual({ turning: false, queued: false });
  expect(play.methods("press")).toHaveLength(1);
});

test("recovers missing video step by step: a key frame, an ICE restart, another connection, one without UDP", async () => {
  const play = await seated();
  const { session, rtc } = play;
  const first = rtc.made[0]!;
  first.events.state("connected");
  first.open = true;
  await play.pass(500);
  expect(session.state.getState()).toMatchObject({ live: true, playable: true, recovery: undefined });
  first.flowing = false;
  await play.pass(550);
  expect(session.state.getState()).toMatchObject({ live: false, playable: true, recovery: "keyFrame" });
  expect(first.sent.map(({ frame }) => JSON.parse(frame) as object)).toContainEqual({
    t0: expect.any(Number),
    keyFrame: true,
  });
  await play.pass(1_000);
  expect(session.state.getState()).toMatchObject({ playable: false, recovery: "restart" });
  expect(session.spin()).toBe("idle");
  expect(first.offers).toEqual([false, true]);
  rtc.flowing = false;
  await play.pass(2_500);
  expect(session.state.getState().recovery).toBe("renew");
  const second = rtc.made[1]!;
  second.events.state("connected");
  expect(first.closed).toBe(true);
  await play.pass(4_000);
  expect(session.state.getState().recovery).toBe("tcp");
  expect(play.methods("offer")).toMatchObject([{ sdp: "offer 1.2" }, { sdp: "offer 2.1" }, { sdp: "offer 3.1" }]);
  const third = rtc.made[2]!;
  third.events.state("connected");
  third.path = { ...third.path, protocol: "tcp" };
  third.flowing = true;
  await play.pass(500);
  expect(session.state.getState()).toMatchObject({ live: true, playable: true, recovery: undefined });
  expect(session.spin()).toBe("sent");
});

test("the connection without UDP sends and accepts only TCP candidates, and tries UDP again later on the same connection", async () => {
  const play = await seated();
  const { rtc } = play;
  rtc.made[0]!.events.state("connected");
  rtc.flowing = false;
  rtc.made[0]!.flowing = false;
  await play.pass(10_500);
  const line = rtc.made[2]!;
  const udp = { candidate: "candidate:1 1 udp 2113937151 10.0.0.1 5000 typ host", sdpMid: "0" };
  const tcp = { candidate: "candidate:2 1 tcp 1518280447 10.0.0.1 9 typ host tcptype active", sdpMid: "0" };
  const asked = play.methods("candidate").length;
  for (const candidate of [udp, tcp]) line.events.candidate(candidate);
  await play.settle();
  expect(play.methods("candidate").slice(asked)).toEqual([tcp]);
  for (const candidate of [udp, tcp]) play.peer()?.notify("candidate", candidate);
  await play.settle();
  expect(line.candidates).toEqual([tcp]);
  line.events.state("connected");
  line.path = { ...line.path, protocol: "tcp" };
  line.flowing = true;
  const servers = line.servers.length;
  await play.pass(RETURN_MS - 1_000);
  expect(line.offers).toEqual([false]);
  await play.pass(2_000);
  expect(line.offers).toEqual([false, true]);
  expect(line.servers).toHaveLength(servers + 1);
  line.events.candidate(udp);
  await play.settle();
  expect(play.methods("candidate").at(-1)).toEqual(udp);
});

test("uses servers that arrive with the seat at once where ICE finds no direct pair, and not where it finds one", async () => {
  const play = playAgainstFake();
  play.rtc.flowing = false;
  const init = play.answers.init;
  play.answers.init = () => {
    const answer = init();
    if (answer.is === "done") answer.data.iceServers = [{ urls: "turn:relay.example" }];
    return answer;
  };
  await play.settle();
  const line = play.rtc.made[0]!;
  await play.pass(600);
  expect(line.offers).toEqual([false, true]);
  expect(line.servers).toEqual([[], [{ urls: "turn:relay.example" }]]);
  play.peer()?.close(1012, "restart");
  await play.pass(200);
  const next = play.rtc.made.at(-1)!;
  next.events.state("connected");
  await play.pass(600);
  expect(next.offers).toEqual([false]);
});

test("a computer that slept, and a network that came back, wait for nothing", async () => {
  const play = await seated();
  const { rtc } = play;
  rtc.made[0]!.events.state("connected");
  await play.pass(500);
  rtc.made[0]!.flowing = false;
  play.sleep(60_000);
  await play.pass(1_000);
  expect(play.methods("offer")).toMatchObject([{ sdp: "offer 2.1" }]);
  play.peer()?.close(1006, "");
  await play.settle();
  play.session.wake();
  await play.settle();
  expect(play.methods("init")).toHaveLength(2);
});

test.each([18800, "18800", "CODE_18800"] as const)(
  "acceptance 3, R-8-15, D-59: a countdown of %j is CODE_18800, and an end may be a number too",
  async (code) => {
    const play = await seated();
    play.peer()?.notify("countdown", { code, count: 42 });
    await play.settle();
    expect(play.session.state.getState().countdown).toEqual({ code: "CODE_18800", count: 42 });
    play.peer()?.notify("ended", { code: 18801 });
    await play.settle();
    expect(play.left).toEqual([{ is: "ended", code: "18801" }]);
  },
);

test("acceptance 2: shows the seconds of a rate-limited init, and does not repeat it before they are over", async () => {
  const play = playAgainstFake();
  play.answers.init = () => refused("request.too_many", { params: { seconds: 41 } });
  await play.settle();
  expect(play.session.state.getState().heldUntil).toBe(1_041_000);
  play.answers.init = () => done(initAnswer(1));
  // The back-off's own wait, then the platform's.
  await play.pass(500);
  await play.pass(40_000);
  expect([play.methods("init").length, play.peers.length, play.left.length]).toEqual([1, 1, 0]);
  await play.pass(3_000);
  expect(play.session.state.getState().phase).toBe("playing");
  expect(play.methods("init")).toHaveLength(2);
  expect(play.session.state.getState().heldUntil).toBeUndefined();
});

test("acceptance 2: leaving while an init is held opens no other socket", async () => {
  const play = playAgainstFake();
  play.answers.init = () => refused("request.too_many", { params: { seconds: 41 } });
  await play.settle();
  // The back-off's own wait is over, the platform's is not.
  await play.pass(5_000);
  play.scope.end();
  await play.pass(60_000);
  expect(play.peers).toHaveLength(1);
});

test("an agent that comes back without our connection gets another offer at once", async () => {
  const play = await seated();
  play.peer()?.notify("agent", { connected: false });
  expect(play.session.state.getState().agentAway).toBe(true);
  play.peer()?.notify("agent", { connected: true });
  await play.settle();
  expect(play.session.state.getState().agentAway).toBe(false);
  expect(play.methods("offer")).toMatchObject([{ sdp: "offer 2.1" }]);
  expect(play.rtc.made[1]?.accepted).toEqual(["answer to offer 2.1"]);
});

test("candidates wait for the other side to know the offer, on both sides", async () => {
  const play = playAgainstFake();
  await Promise.resolve();
  play.rtc.made[0]?.events.candidate({ candidate: "mine", sdpMid: "0" });
  expect(play.methods("candidate")).toEqual([]);
  await play.settle();
  expect(play.methods("candidate")).toEqual([{ candidate: "mine", sdpMid: "0" }]);
  play.peer()?.notify("candidate", { candidate: "theirs", sdpMid: "0" });
  expect(play.rtc.made[0]?.candidates).toEqual([{ candidate: "theirs", sdpMid: "0" }]);
});

test("the end of the scope ends every timer, socket and connection", async () => {
  const play = await seated();
  play.session.spin();
  play.scope.end();
  await play.settle();
  expect(play.waiting()).toBe(0);
  expect(play.rtc.made.every(({ closed }) => closed)).toBe(true);
  expect(play.peer()?.closed).toBe(true);
  expect(play.left).toEqual([]);
});

/** A place to watch, as the platform gives it. */
async function watching() {
  const play = playAgainstFake("spectator");
  play.answers.init = () => {
    const { machine, meters, answer, ...rest } = initAnswer(1);
    const {
      bandSelects: _,
      activeBand: __,
      buttons: ___,
      limits: ____,
      playSession: _____,
      epoch: ______,
      ...told
    } = rest;
    return { is: "done", data: { ...told, machine, meters, answer, bandSelects: [], activeBand: null, buttons: [] } };
  };
  await play.settle();
  return play;
}

test("a spectator connects with its role, sees the video and presses nothing", async () => {
  const play = await watching();
  expect(play.methods("init")).toMatchObject([{ role: "spectator", offer: "offer 1.1" }]);
  expect(play.session.state.getState()).toMatchObject({ phase: "playing", online: true, meters: METERS });
  play.peer()?.notify("spectators", { count: 3 });
  await play.settle();
  expect(play.session.state.getState().spectators).toBe(3);
  expect(play.session.spin()).toBe("idle");
  expect(play.session.panel.press("spin")).toBe("idle");
  play.session.transferMoney("cashIn", 500);
  await play.settle();
  expect(play.requests.map(({ method }) => method)).toEqual(["init"]);
});

test("a spectator leaves without a request to the platform", async () => {
  const play = await watching();
  play.session.leave();
  expect(play.left).toEqual([{ is: "left" }]);
  expect(play.methods("leave")).toEqual([]);
  expect(play.rtc.made[0]?.closed).toBe(true);
  expect(play.waiting()).toBe(0);
});

test("a gap of the player's own socket ends nothing; the end of the play session does", async () => {
  const play = await watching();
  play.events.emit("machine", { id: "nar-07", status: 2 });
  play.events.emit("machine", { id: "nar-07", status: 0 });
  expect(play.left).toEqual([]);
  play.peer()?.close(4000, "ended");
  await play.pass(60_000);
  expect(play.left).toEqual([{ is: "closed", reason: "ended" }]);
  expect(play.peers).toHaveLength(1);
});

/** Frames of this age arrive for so long, as the browser reports them; time begins at 1,000,000. */
async function show(play: ReturnType<typeof playAgainstFake>, from: number, seconds: number, ageMs: number) {
  const { clock } = play.session.media;
  clock.add({ t0: from, t1: from, t2: from, t3: from });
  for (let passed = 0; passed < seconds * 1_000; passed += 100) {
    clock.addFrame(0, from + passed - ageMs);
    play.session.frameShown({ shownAt: from + passed, rtp: 0 });
    await play.pass(100);
  }
}

test("the measured delay is reported every ten seconds, and not without a seat", async () => {
  const play = await seated();
  play.rtc.made[0]!.events.state("connected");
  await show(play, 1_000_000, 35, 42);
  expect(play.methods("delay")).toEqual([{ ms: 42 }, { ms: 42 }, { ms: 42 }]);
  play.peer()?.close(1012, "restart");
  await show(play, 1_035_000, 9, 42);
  expect(play.methods("delay")).toHaveLength(3);
});

test("what froze is reported with the delay", async () => {
  const play = await seated();
  play.rtc.made[0]!.events.state("connected");
  await show(play, 1_000_000, 5, 42);
  await show(play, 1_006_000, 15, 42);
  expect(play.methods("delay")).toMatchObject([{ ms: 42, freezes: [{ ms: 1_100 }] }, { ms: 42 }]);
});

test("an estimated delay, a spectator's and none are not reported", async () => {
  const blind = await seated();
  blind.rtc.made[0]!.events.state("connected");
  await blind.pass(30_000);
  expect(blind.methods("delay")).toEqual([]);
  const eyes = await watching();
  eyes.rtc.made[0]!.events.state("connected");
  await show(eyes, 1_000_000, 30, 42);
  expect(eyes.methods("delay")).toEqual([]);
});
