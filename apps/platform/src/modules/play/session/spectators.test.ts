import { expect, test } from "vitest";
import type { Page } from "../../../testing/fake-page.ts";
import { eventually, playVenue, sharePlayVenue } from "../../../testing/play-venue.ts";

const venue = sharePlayVenue({ env: { SPECTATORS_MAX: "3" } });

let number = 0;
/** A machine with a player at it. */
async function played() {
  number += 1;
  const id = `seen-${String(number).padStart(2, "0")}`;
  const { machine, agent } = await venue.machine(id);
  const player = await venue.player(`seen.${number}`, 10_000);
  const page = await venue.page(player.token, id);
  const seated = await page.init();
  return { id, machine, agent, player, page, epoch: seated.is === "done" ? seated.data.epoch : undefined };
}
const account = async () => (await venue.player(`eyes.${++number}`, 1_000)).token;
/** A spectator at the machine, of an account of its own unless one is given. */
async function watch(id: string, token?: string, more: { offer?: string } = {}): Promise<Page> {
  const eyes = await venue.page(token ?? (await account()), id);
  expect(await eyes.init({ role: "spectator", ...more })).toMatchObject({ is: "done" });
  return eyes;
}
const tryToWatch = async (id: string, token?: string) =>
  await (await venue.page(token ?? (await account()), id)).init({ role: "spectator" });

test("a spectator gets picture and meters and nothing of the player's; the number is told to all", async () => {
  const { id, page, player, agent } = await played();
  const eyes = await venue.page(await account(), id);
  const answer = await eyes.init({ role: "spectator", offer: "v=0" });
  expect(answer).toMatchObject({ is: "done", data: { answer: "answer to v=0", buttons: [], bandSelects: [] } });
  if (answer.is !== "done") return;
  for (const private_ of ["epoch", "limits", "playSession"]) expect(answer.data).not.toHaveProperty(private_);
  expect(JSON.stringify(answer.data)).not.toContain(player.id);
  expect(agent.offers.at(-1)).toMatchObject({ role: "spectator" });
  expect(agent.offers.at(-1)).not.toHaveProperty("epoch");
  await eventually(() => expect(page.ofMethod("spectators").at(-1)).toEqual({ count: 1 }));
  await eventually(() => expect(eyes.ofMethod("spectators").at(-1)).toEqual({ count: 1 }));
  eyes.drop();
  await eventually(() => expect(page.ofMethod("spectators").at(-1)).toEqual({ count: 0 }));
});

test("who is on a break watches no other play", async () => {
  const { id } = await played();
  const token = await account();
  const headers = { authorization: `Bearer ${token}` };
  await venue.app.inject({ method: "POST", url: "/v1/player/breaks", headers, payload: { kind: "panic" } });
  expect(await tryToWatch(id, token)).toMatchObject({ is: "refused", refusal: { name: "player.on_break" } });
});

test("nothing a hostile spectator sends reaches seat, money or machine", async () => {
  const { id, page, player, machine, epoch = 0 } = await played();
  await page.peer.request("cashIn", { id: `${id}-cash-in`, amount: 4_000 });
  const eyes = await watch(id);
  const before = { seat: await venue.seat(id), asked: [...machine.asked] };
  const press = { seq: 1, button: "spin", at: 1, stake: 100, epoch };
  const refusals = [
    await eyes.peer.request("press", press),
    await eyes.peer.request("cashIn", { id: "eyes-cash-in", amount: 500 }),
    await eyes.peer.request("cashOut", { id: "eyes-cash-out" }),
    await eyes.peer.request("continue", {}),
    await eyes.peer.request("leave", {}),
  ];
  for (const refusal of refusals) expect(refusal).toMatchObject({ is: "refused", refusal: { code: 60014 } });
  // A spectator's socket never becomes a player's.
  expect(await eyes.init()).toMatchObject({ refusal: { code: 40000 } });
  expect(machine.gamesPlayed).toBe(0);
  expect(machine.asked).toEqual(before.asked);
  expect(await venue.seat(id)).toMatchObject({
    epoch: before.seat.epoch,
    player_id: player.id,
    state: before.seat.state,
  });
});

test("only a machine that somebody plays is watched", async () => {
  await venue.machine("seen-free");
  expect(await tryToWatch("seen-free")).toMatchObject({ is: "refused", refusal: { code: 60010 } });
  expect(await tryToWatch("seen-nowhere")).toMatchObject({ is: "refused", refusal: { code: 60010 } });
});

test("a machine takes so many spectators, and one account so many machines; the player always has its place", async () => {
  const one = await played();
  const two = await played();
  const three = await played();
  const token = await account();
  await watch(one.id, token);
  await watch(two.id, token);
  expect(await tryToWatch(three.id, token)).toMatchObject({ is: "refused", refusal: { code: 60018 } });
  await watch(one.id);
  const last = await watch(one.id);
  expect(await tryToWatch(one.id)).toMatchObject({ is: "refused", refusal: { code: 60017 } });
  one.page.drop();
  const again = await venue.page(one.player.token, one.id);
  expect(await again.init()).toMatchObject({ is: "done" });
  last.drop();
  await eventually(async () => expect((await tryToWatch(one.id)).is).toBe("done"));
});

test("an account that asks for picture after picture is told to wait, also over new sockets", async () => {
  const { id, agent } = await played();
  const token = await account();
  const offers = async () => {
    const eyes = await venue.page(token, id);
    const first = await eyes.init({ role: "spectator", offer: "v=0" });
    const answers = [first, ...(await Promise.all([1, 2, 3].map(() => eyes.peer.request("offer", { sdp: "v=0" }))))];
    eyes.drop();
    return answers;
  };
  const before = agent.offers.length;
  const answers = [...(await offers()), ...(await offers()), ...(await offers())];
  const went = answers.filter(({ is }) => is === "done").length;
  expect(went).toBeGreaterThanOrEqual(4);
  const refusal = { code: 60030, params: { seconds: expect.any(Number) } };
  expect(answers).toContainEqual(expect.objectContaining({ is: "refused", refusal: expect.objectContaining(refusal) }));
  expect(agent.offers.length - before).toBe(went);
});

test("a spectator's flood of candidates does not go on to the agent", async () => {
  const { id, agent, page } = await played();
  const blind = await watch(id);
  for (let n = 0; n < 10; n += 1) blind.peer.notify("candidate", { candidate: `candidate:early ${n}`, sdpMid: "0" });
  await blind.peer.request("continue", {});
  const eyes = await watch(id, undefined, { offer: "v=0" });
  const before = agent.candidates.length;
  expect(before).toBe(0);
  for (let n = 0; n < 50; n += 1) eyes.peer.notify("candidate", { candidate: `candidate:${n}`, sdpMid: "0" });
  // Answered in the order they came: the flood has been read when the question behind it is answered.
  await eyes.peer.request("continue", {});
  page.peer.notify("candidate", { candidate: "candidate:player", sdpMid: "0" });
  await eventually(() => expect(agent.candidates.at(-1)).toMatchObject({ candidate: "candidate:player" }));
  expect(agent.candidates.length - before).toBe(33);
});

test("spectators stay over a gap of the player's socket, and are told when the play session ends, not why", async () => {
  const { id, page, player } = await played();
  const eyes = await watch(id);
  page.drop();
  await venue.inState(id, "waiting");
  const again = await venue.page(player.token, id);
  await again.init();
  await again.peer.request("leave", {});
  expect(await eyes.closed).toEqual({ code: 4000, reason: "ended" });
  expect(eyes.ofMethod("ended")).toEqual([]);
});

test("what happens at the machine is told to its pages: a jackpot with name and amount, a hand pay with what is owed", async () => {
  const { id, machine, agent, page } = await played();
  const eyes = await watch(id);
  machine.happen("jackpot", { name: "Büyük", amount: 125_000 });
  machine.happen("transferComplete");
  machine.happen("handPayPending", { handPay: { id: "hp-1", amount: 900_000, kind: "win" } });
  await agent.pump();
  for (const told of [page, eyes])
    await eventually(() =>
      expect(told.ofMethod("event")).toEqual([
        { kind: "jackpot", name: "Büyük", amount: 125_000 },
        { kind: "handPayPending", amount: 900_000 },
      ]),
    );
});

test("an event of a play session that is over is not told to who plays now", async () => {
  const { id, machine, agent, page: former } = await played();
  const old = machine.playSessionId;
  await former.peer.request("leave", {});
  await former.closed;
  const page = await venue.page(await account(), id);
  await page.init();
  const present = machine.playSessionId;
  expect(present).not.toBe(old);
  machine.playSessionId = old;
  machine.happen("jackpot", { name: "Mini", amount: 500 });
  machine.playSessionId = present;
  machine.happen("bonusStarted");
  await agent.pump();
  await eventually(() => expect(page.ofMethod("event").at(-1)).toEqual({ kind: "bonusStarted" }));
  expect(page.ofMethod("event")).toHaveLength(1);
});

test("with the setting at 0 nobody may watch, and the lobby offers it nowhere", async () => {
  const closed = await playVenue({ env: { SPECTATORS_MAX: "0" } });
  try {
    await closed.machine("shut-01");
    const player = await closed.player("shut.plays");
    await (await closed.page(player.token, "shut-01")).init();
    const other = await closed.player("shut.looks");
    const eyes = await closed.page(other.token, "shut-01");
    expect(await eyes.init({ role: "spectator" })).toMatchObject({ is: "refused", refusal: { code: 60017 } });
    expect(await closed.platform.play.sessions.machinesFor(other.id)).toMatchObject([
      { id: "shut-01", watchable: false },
    ]);
  } finally {
    await closed.end();
  }
});

test("without a place at the agent a spectator gets the media server's address, counts for all, and gets a place once one is free", async () => {
  const whep = "https://media.example.org/{machine}/whep";
  const crowded = await playVenue({ env: { SPECTATORS_MAX: "1", WATCHED_MAX: "1", CROWD_WHEP: whep } });
  try {
    const { agent } = await crowded.machine("full-01");
    await crowded.machine("full-02");
    const page = await crowded.page((await crowded.player("full.plays")).token, "full-01");
    await page.init();
    await (await crowded.page((await crowded.player("full.also")).token, "full-02")).init();
    const at = async (name: string) => await crowded.page((await crowded.player(name)).token, "full-01");
    const first = await at("full.first");
    const near = await first.init({ role: "spectator", offer: "v=0 near" });
    expect(near).toMatchObject({ is: "done", data: { answer: "answer to v=0 near" } });
    expect(near.is === "done" && near.data).not.toHaveProperty("crowd");

    const { token } = await crowded.player("full.far");
    const far = await crowded.page(token, "full-01");
    const init = await far.init({ role: "spectator", offer: "v=0 far" });
    expect(init).toMatchObject({ is: "done", data: { crowd: { whep: "https://media.example.org/full-01/whep" } } });
    expect(init.is === "done" && init.data).not.toHaveProperty("answer");
    expect(agent.offers.filter((offer) => (offer as { role?: string }).role === "spectator")).toHaveLength(1);
    await eventually(() => expect(page.ofMethod("spectators").at(-1)).toEqual({ count: 2 }));
    // One of the crowd watches like everybody: it counts for its account.
    const elsewhere = await crowded.page(token, "full-02");
    expect(await elsewhere.init({ role: "spectator" })).toMatchObject({ is: "refused", refusal: { code: 60018 } });

    const { headers } = await crowded.app.inject({ url: "/lobby", headers: { host: "play.example" } });
    expect(headers["content-security-policy"]).toMatch(/connect-src 'self' [^;]*https:\/\/media\.example\.org;/);

    // Its media server fails: the agent's place is taken, then free.
    expect(await far.peer.request("offer", { sdp: "v=0 back" })).toMatchObject({ refusal: { code: 60017 } });
    const watching = async (count: number) =>
      await eventually(() => expect(page.ofMethod("spectators").at(-1)).toEqual({ count }));
    first.drop();
    await watching(1);
    // The agent does not accept the offer: the place stays free for others.
    expect(await far.peer.request("offer", { sdp: "v=0 hostile" })).toMatchObject({
      refusal: { name: "pipeline.failed" },
    });
    const second = await at("full.second");
    expect(await second.init({ role: "spectator", offer: "v=0" })).toMatchObject({ data: { answer: "answer to v=0" } });
    await watching(2);
    second.drop();
    await watching(1);
    await eventually(async () =>
      expect(await far.peer.request("offer", { sdp: "v=0 back" })).toMatchObject({
        data: { sdp: "answer to v=0 back" },
      }),
    );
    expect(await (await at("full.next")).init({ role: "spectator" })).toMatchObject({ data: { crowd: {} } });
    far.drop();
    await eventually(async () =>
      expect(await (await at("full.after")).init({ role: "spectator", offer: "v=0" })).toMatchObject({
        data: { answer: "answer to v=0" },
      }),
    );
  } finally {
    await crowded.end();
  }
});
