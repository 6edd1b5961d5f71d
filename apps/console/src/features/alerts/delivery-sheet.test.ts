import { expect, test } from "vitest";
import { adviceOf } from "./delivery-sheet.tsx";

test.each([
  ["401", "secret"],
  ["403", "secret"],
  ["302: a redirect is not followed", "address"],
  ["404", "address"],
  ["ENOTFOUND", "address"],
  ["410", "gone"],
  ["no such endpoint is configured", "gone"],
  ["429", "busy"],
  ["503", "busy"],
  ["no answer in time", "network"],
  ["ECONNREFUSED", "network"],
  ["UND_ERR_SOCKET", "network"],
  ["4040 is no status", "network"],
] as const)("a receiver that answers %s is helped as %s", (lastAnswer, advice) => {
  expect(adviceOf({ channel: "webhook", lastAnswer })).toBe(advice);
});

test("an e-mail whose code is over is dropped, every other one is the mail server's matter, and what has no answer needs nothing", () => {
  expect(adviceOf({ channel: "mail", lastAnswer: "its time is over" })).toBe("over");
  expect(adviceOf({ channel: "mail", lastAnswer: "EAUTH 535" })).toBe("mail");
  expect(adviceOf({ channel: "webhook", lastAnswer: null })).toBeNull();
});
