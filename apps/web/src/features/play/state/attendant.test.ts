import { done, refused } from "@longarm/link/answer";
import { expect, test } from "vitest";
import { initAnswer, playAgainstFake } from "./testing/fake-platform.ts";

/* player 3: the page says that an attendant is called, and what staff answers. */

async function seated(call: ReturnType<typeof initAnswer>["call"]) {
  const fake = playAgainstFake();
  fake.answers.init = () => done({ ...initAnswer(1), call });
  await fake.settle();
  return fake;
}

test("player 3: makes one call however often the button is pressed, and shows staff's answer", async () => {
  const { session, settle, methods, peer, scope } = await seated(null);
  session.attendant.call();
  session.attendant.call();
  expect(session.attendant.state.getState()).toMatchObject({ offered: true, busy: true });
  await settle();
  session.attendant.call();
  await settle();
  expect(methods("callAttendant")).toHaveLength(1);
  expect(session.attendant.state.getState()).toMatchObject({ busy: false, call: { state: "open" } });
  const calledAt = "2026-11-21T10:05:00.000Z";
  peer()?.notify("call", { state: "answered", calledAt, answeredAt: "2026-11-21T10:06:00.000Z" });
  await settle();
  expect(session.attendant.state.getState().call?.state).toBe("answered");
  peer()?.notify("call", { state: "closed", calledAt });
  await settle();
  session.attendant.call();
  await settle();
  expect(methods("callAttendant")).toHaveLength(2);
  scope.end();
});

test("player 3: shows why a call was refused, and offers no call where the platform has none", async () => {
  const busy = await seated(null);
  busy.answers.call = () => refused("request.too_many", { params: { seconds: 12 } });
  busy.session.attendant.call();
  await busy.settle();
  expect(busy.session.attendant.state.getState()).toMatchObject({ busy: false, failed: { params: { seconds: 12 } } });
  busy.scope.end();
  const without = await seated(undefined);
  without.session.attendant.call();
  await without.settle();
  expect(without.session.attendant.state.getState().offered).toBe(false);
  expect(without.methods("callAttendant")).toHaveLength(0);
  without.scope.end();
});

test("player 3: a call that was made before a reload is shown", async () => {
  const { session, scope } = await seated({ state: "open", calledAt: "2026-11-21T10:05:00.000Z" });
  expect(session.attendant.state.getState()).toMatchObject({ offered: true, call: { state: "open" } });
  scope.end();
});
