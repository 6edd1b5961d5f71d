import { drawsOf } from "@longarm/link/testing/whole-run";
import { expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { protooPeer } from "../../../testing/protoo-client.ts";

const venue = sharePlayVenue();

test("init takes a free seat, tells the machine and starts the picture in one round trip", async () => {
  const { agent } = await venue.machine("nar-01");
  const ann = await venue.player("ann.sits", 50_000);
  const page = await venue.page(ann.token, "nar-01");
  const answer = await page.init({ offer: "v=0" });
  expect(answer).toMatchObject({
    is: "done",
    data: {
      epoch: 1,
      answer: "answer to v=0",
      machine: { id: "nar-01", status: 3 },
      limits: { minTransfer: 100 },
      playSession: { netMinor: 0 },
    },
  });
  expect(agent.asked).toContain("seat.grant 1");
  expect(agent.offers).toMatchObject([{ role: "player", epoch: 1, machineId: "nar-01" }]);
  expect(await venue.seat("nar-01")).toMatchObject({ state: "seated", player_id: ann.id });
});

test("the published client, unchanged, does init on the game socket", async () => {
  await venue.machine("nar-02");
  const ben = await venue.player("ben.proto");
  const peer = protooPeer(`${venue.url}/game?machine=nar-02&token=${ben.token}`);
  await new Promise<void>((open) => peer.on("open", open));
  expect(await peer.request("init", { machineID: "nar-02", token: ben.token })).toMatchObject({ epoch: 1 });
  await expect(peer.request("cashIn", { id: "transfer-1", amount: 500 })).rejects.toMatchObject({ code: 60001 });
  peer.close();
});

test("an occupied seat, a second machine and a machine nobody knows are refused", async () => {
  await venue.machine("nar-03");
  await venue.machine("nar-04");
  const cem = await venue.player("cem.one");
  const dana = await venue.player("dana.two");
  expect((await (await venue.page(cem.token, "nar-03")).init()).is).toBe("done");
  expect(await (await venue.page(dana.token, "nar-03")).init()).toMatchObject({ refusal: { code: 60011 } });
  expect(await (await venue.page(cem.token, "nar-04")).init()).toMatchObject({ refusal: { code: 60013 } });
  expect(await (await venue.page(dana.token, "nar-99")).init()).toMatchObject({ refusal: { code: 60010 } });
});

test("a machine that is locked, runs or holds credits of nobody is refused", async () => {
  const { machine, agent } = await venue.machine("nar-05");
  const eda = await venue.player("eda.locked");
  machine.lockup = "door";
  machine.happen("doorOpened");
  await agent.pump();
  expect(await (await venue.page(eda.token, "nar-05")).init()).toMatchObject({ refusal: { code: 60042 } });
  machine.lockup = undefined;
  machine.credit = 300;
  machine.happen("doorClosed");
  await agent.pump();
  expect(await (await venue.page(eda.token, "nar-05")).init()).toMatchObject({ refusal: { code: 60010 } });
  await agent.kill();
  await eventually(async () =>
    expect(await (await venue.page(eda.token, "nar-05")).init()).toMatchObject({ refusal: { code: 60040 } }),
  );
});

const RACES = drawsOf(50);

test("again and again two players want one seat at once: one gets it each time", async () => {
  await venue.machine("nar-06");
  const players = [await venue.player("race.one"), await venue.player("race.two")];
  for (let round = 1; round <= RACES; round += 1) {
    const pages = await Promise.all(players.map(({ token }) => venue.page(token, "nar-06")));
    const answers = await Promise.all(pages.map((page) => page.init()));
    expect(answers.map(({ is }) => is).toSorted()).toEqual(["done", "refused"]);
    const winner = pages[answers.findIndex(({ is }) => is === "done")];
    expect(await winner?.peer.request("leave", {})).toEqual({ is: "done", data: { outcome: "done", amount: 0 } });
    for (const page of pages) page.drop();
  }
  expect(await venue.seat("nar-06")).toMatchObject({ state: "free", epoch: RACES });
});

test("two machines at once: the player gets one of them", async () => {
  await venue.machine("nar-07");
  await venue.machine("nar-08");
  const fua = await venue.player("fua.both");
  const pages = await Promise.all(["nar-07", "nar-08"].map((id) => venue.page(fua.token, id)));
  const answers = await Promise.all(pages.map((page) => page.init()));
  expect(answers.map(({ is }) => is).toSorted()).toEqual(["done", "refused"]);
  expect(answers.find(({ is }) => is === "refused")).toMatchObject({ refusal: { code: 60013 } });
});

test("a second tab takes over: the epoch grows, the older socket is told, seat and credits stay", async () => {
  const { machine } = await venue.machine("nar-09");
  const gul = await venue.player("gul.tabs", 10_000);
  const first = await venue.page(gul.token, "nar-09");
  await first.init();
  await first.peer.request("cashIn", { id: "gul-cash-in", amount: 4_000 });
  const second = await venue.page(gul.token, "nar-09");
  expect(await second.init()).toMatchObject({ data: { epoch: 2, meters: { credit: 4_000 } } });
  expect(await first.closed).toEqual({ code: 4000, reason: "taken over" });
  expect(machine.epoch).toBe(2);
  await eventually(async () =>
    expect(await venue.seat("nar-09")).toMatchObject({ state: "playing", player_id: gul.id }),
  );
});

test("a dropped socket: others see 2, the holder never does; init sets 3 again", async () => {
  await venue.machine("nar-10");
  const hal = await venue.player("hal.drops");
  const seen: { status: number; holderId?: string | undefined }[] = [];
  const stop = venue.bus.subscribe("machine.changed", (message) => {
    // That the machine stands there free may be told after it is sat at on a busy computer: what counts begins with the seat.
    if (message.machineId === "nar-10" && (seen.length > 0 || message.status === 3)) seen.push(message);
  });
  const page = await venue.page(hal.token, "nar-10");
  await page.init();
  page.drop();
  await venue.inState("nar-10", "waiting");
  const mine = (await venue.platform.play.sessions.machinesFor(hal.id)).find(({ id }) => id === "nar-10");
  const others = (await venue.platform.play.sessions.machinesFor("p_other")).find(({ id }) => id === "nar-10");
  expect([mine?.status, mine?.mine, others?.status, others?.mine]).toEqual([3, true, 2, false]);
  expect(mine?.until).toMatch(/Z$/);
  expect(await venue.platform.play.sessions.openSessionOf(hal.id)).toMatchObject({
    status: true,
    id: "nar-10",
    machine_status: "waiting",
  });
  const again = await venue.page(hal.token, "nar-10");
  expect(await again.init()).toMatchObject({ data: { epoch: 2 } });
  await eventually(() => expect(seen.map(({ status }) => status)).toEqual([3, 2, 3]));
  expect(seen.every(({ holderId }) => holderId === hal.id)).toBe(true);
  stop();
});

test("kick closes the other device and keeps seat and credits; somebody else's session is 50100", async () => {
  const { machine } = await venue.machine("nar-11");
  const ida = await venue.player("ida.kicks", 5_000);
  const jan = await venue.player("jan.other");
  const page = await venue.page(ida.token, "nar-11");
  await page.init();
  await page.peer.request("cashIn", { id: "ida-cash-in", amount: 1_000 });
  const kick = (token: string) =>
    venue.app.inject({
      method: "POST",
      url: "/v1/player/kick",
      headers: { authorization: `Bearer ${token}` },
      payload: { machineId: "nar-11" },
    });
  expect((await kick(jan.token)).json()).toMatchObject({ code: 50100 });
  expect((await kick(ida.token)).json()).toMatchObject({ code: 20000 });
  expect(await page.closed).toEqual({ code: 4000, reason: "kicked" });
  expect(machine.epoch).toBe(2);
  expect(await venue.seat("nar-11")).toMatchObject({ state: "waiting", epoch: 2, player_id: ida.id });
  expect(await venue.balanceOf(ida.id)).toEqual({ balance: 4_000, onMachine: 1_000 });
});

test("hostile frames and requests in the wrong state are answered or closed, and lose nothing", async () => {
  await venue.machine("nar-13");
  const max = await venue.player("max.bad", 1_000);
  const page = await venue.page(max.token, "nar-13");
  expect(await page.peer.request("continue", {})).toMatchObject({ refusal: { code: 60014 } });
  expect(await page.peer.request("offer", { sdp: "v=0" })).toMatchObject({ refusal: { code: 50100 } });
  expect(await page.peer.request("init", { machineID: "nar-12" })).toMatchObject({ refusal: { code: 40000 } });
  await page.init();
  expect(await page.init()).toMatchObject({ refusal: { code: 40000 } });
  expect(await page.peer.request("cashIn", { id: "x", amount: 500 })).toMatchObject({ refusal: { code: 60031 } });
  expect(await page.peer.request("cashIn", { id: "max-cash-in", amount: 0.5 })).toMatchObject({
    refusal: { code: 60031 },
  });
  expect(await page.peer.request("cashIn", { id: "max-cash-in", amount: 99 })).toMatchObject({
    refusal: { code: 60002 },
  });
  expect(await page.peer.request("cashIn", { id: "max-cash-in", amount: 5_000 })).toMatchObject({
    refusal: { code: 60001 },
  });
  expect(await page.peer.request("offer", { sdp: "hostile" })).toMatchObject({ refusal: { code: 70000 } });
  const press = { seq: 1, button: "spin", at: 1 };
  // acceptance: over the socket as over the data channel, an older epoch is an outcome of the press, not an error.
  expect(await page.peer.request("press", { ...press, epoch: 2 })).toMatchObject({
    is: "done",
    data: { seq: press.seq, outcome: "refused", reason: "stale epoch" },
  });
  expect(await page.peer.request("press", { ...press, epoch: 1 })).toMatchObject({ data: { outcome: "started" } });
  expect(await venue.balanceOf(max.id)).toEqual({ balance: 1_000, onMachine: 0 });
  const bad = protooPeer(`${venue.url}/game?machine=nar-13&token=bad`);
  await new Promise<void>((over) => bad.on("close", over));
});
