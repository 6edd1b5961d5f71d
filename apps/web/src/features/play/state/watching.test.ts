import { expect, test } from "vitest";
import { initAnswer, METERS, playAgainstFake } from "./testing/fake-platform.ts";

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

test("who watches says so, sees the picture and presses nothing", async () => {
  const play = await watching();
  expect(play.methods("init")).toMatchObject([{ role: "spectator", offer: "offer 1.1" }]);
  expect(play.session.state.getState()).toMatchObject({ phase: "playing", online: true, meters: METERS });
  play.peer()?.notify("spectators", { count: 3 });
  await play.settle();
  expect(play.session.state.getState().spectators).toBe(3);
  expect(play.session.spin()).toBe("idle");
  expect(play.session.press("spin")).toBe("idle");
  play.session.transferMoney("cashIn", 500);
  await play.settle();
  expect(play.asked.map(({ method }) => method)).toEqual(["init"]);
});

test("getting up is going away: nothing is asked of the platform", async () => {
  const play = await watching();
  play.session.leave();
  expect(play.left).toEqual([{ is: "left" }]);
  expect(play.methods("leave")).toEqual([]);
  expect(play.rtc.made[0]?.closed).toBe(true);
  expect(play.waiting()).toBe(0);
});

test("a gap of the player's own socket ends nothing; the end of the play session does", async () => {
  const play = await watching();
  play.events.tell("machine", { id: "nar-07", status: 2 });
  play.events.tell("machine", { id: "nar-07", status: 0 });
  expect(play.left).toEqual([]);
  play.peer()?.close(4000, "ended");
  await play.pass(60_000);
  expect(play.left).toEqual([{ is: "closed", reason: "ended" }]);
  expect(play.peers).toHaveLength(1);
});
