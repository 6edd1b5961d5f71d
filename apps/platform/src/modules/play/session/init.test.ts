import { expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { OFFERS_AT_ONCE, PLAYER_OFFERS } from "./offer-limit.ts";

const venue = sharePlayVenue({
  env: { TURN_URLS: "turn:turn.example:3478", TURN_SECRET: "shared-with-the-turn-server" },
});

test.each(["spectator", "player"] as const)(
  "a %s that goes while its init is on the way leaves no picture behind",
  async (role) => {
    const id = `ege-${role}`;
    const { agent } = await venue.machine(id);
    const { token } = await venue.player(`gone.${role}`);
    // Only a machine that somebody plays can be watched.
    if (role === "spectator") await (await venue.page((await venue.player("plays.on")).token, id)).init();
    for (let round = 0; round < 3; round += 1) {
      const page = await venue.page(token, id);
      void page.init({ role, offer: "v=0" });
      page.drop();
      await page.closed;
    }
    const last = await venue.page(token, id);
    await eventually(async () => expect((await last.init({ role, offer: "v=0" })).is).toBe("done"));
    await eventually(() => {
      const closed = agent.asked.filter((method) => method === "rtc.close").length;
      expect(agent.offers.length - closed).toBe(1);
    });
  },
);

test("an offer that overtook its grant is sent once more behind it", async () => {
  const { agent } = await venue.machine("ege-02");
  const { token } = await venue.player("overtakes");
  agent.early.add("v=0 early");
  const page = await venue.page(token, "ege-02");
  expect(await page.init({ offer: "v=0 early" })).toMatchObject({ data: { answer: "answer to v=0 early" } });
  expect(agent.offers).toHaveLength(2);
});

test("many inits at once on one socket: one is done, and the socket does not take the seat from itself", async () => {
  await venue.machine("ege-03");
  const { token } = await venue.player("many.inits");
  const page = await venue.page(token, "ege-03");
  const answers = await Promise.all(Array.from({ length: 8 }, () => page.init()));
  expect(answers.filter(({ is }) => is === "done")).toHaveLength(1);
  expect(await venue.seat("ege-03")).toMatchObject({ epoch: 1, state: "seated" });
  expect(await page.peer.request("continue", {})).toMatchObject({ is: "done" });
});

test.each(["kick", "cancel"])("%s of an id that no machine can have is nobody's session", async (what) => {
  const { token } = await venue.player(`strange.${what}`);
  for (const machineId of ["a\u0000b", "\ud800", "../..", "x".repeat(64)]) {
    const answer = await venue.app.inject({
      method: "POST",
      url: `/v1/player/${what}`,
      headers: { authorization: `Bearer ${token}` },
      payload: { machineId },
    });
    expect([answer.statusCode, answer.json().code]).toEqual([409, 50100]);
  }
});

test("an agent hears only so many offers of one socket, and the socket is told to wait", async () => {
  const { agent } = await venue.machine("ege-04");
  const { token } = await venue.player("many.offers");
  const page = await venue.page(token, "ege-04");
  await page.init();
  const answers = await Promise.all(Array.from({ length: 12 }, () => page.peer.request("offer", { sdp: "v=0" })));
  expect(answers.filter(({ is }) => is === "done")).toHaveLength(OFFERS_AT_ONCE);
  expect(answers.at(-1)).toMatchObject({ refusal: { code: 60030, params: { seconds: 2 } } });
  expect(agent.offers).toHaveLength(OFFERS_AT_ONCE);
});

test("a player who comes again and again over new sockets keeps the seat, and the agent hears no more offers for it", async () => {
  const { agent } = await venue.machine("ege-06");
  const { token } = await venue.player("comes.again");
  const began = Date.now();
  const pictures: boolean[] = [];
  for (let time = 0; time < PLAYER_OFFERS.atOnce + 6; time += 1) {
    const page = await venue.page(token, "ege-06");
    const answer = await page.init({ offer: "v=0" });
    if (answer.is !== "done") throw new Error(`The seat was not given: ${JSON.stringify(answer)}`);
    pictures.push(answer.data.answer !== undefined);
  }
  const earned = Math.ceil((Date.now() - began) / PLAYER_OFFERS.everyMs);
  expect(pictures.filter(Boolean).length).toBeGreaterThanOrEqual(PLAYER_OFFERS.atOnce);
  expect(agent.offers.length).toBeLessThanOrEqual(PLAYER_OFFERS.atOnce + earned);
  expect(pictures.filter(Boolean)).toHaveLength(agent.offers.length);
});

test("init, and each answer to an offer, bring TURN servers minted now", async () => {
  await venue.machine("ege-05");
  const page = await venue.page((await venue.player("far.away")).token, "ege-05");
  const minted = [
    { urls: ["turn:turn.example:3478"], username: expect.stringMatching(/^\d+:/), credential: expect.any(String) },
  ];
  expect(await page.init()).toMatchObject({ data: { iceServers: minted } });
  expect(await page.peer.request("offer", { sdp: "v=0" })).toMatchObject({ data: { iceServers: minted } });
});

test("the seated player reads what the machine states of itself; of an older agent it is nothing, of one that is away a refusal", async () => {
  const { machine, agent } = await venue.machine("ege-07");
  const about = {
    model: "Five reels",
    paytable: {
      rows: 3,
      lines: [[1, 1, 1]],
      symbols: [{ name: "Seven", on: "line" as const, prizes: [{ count: 3, times: 40 }] }],
    },
    return: { percent: 94.2, by: "operator" as const },
  };
  machine.about = about;
  const page = await venue.page((await venue.player("reads.rules")).token, "ege-07");
  expect(await page.peer.request("about", {})).toMatchObject({ is: "refused", refusal: { name: "session.not_yours" } });
  await page.init();
  expect(await page.peer.request("about", {})).toEqual({ is: "done", data: about });
  const watcher = await venue.page((await venue.player("reads.too")).token, "ege-07");
  await watcher.init({ role: "spectator" });
  expect(await watcher.peer.request("about", {})).toMatchObject({ is: "refused" });
  machine.about = null;
  expect(await page.peer.request("about", {})).toEqual({ is: "done", data: {} });
  await agent.kill();
  expect(await page.peer.request("about", {})).toMatchObject({ refusal: { name: "machine.unreachable" } });
});
