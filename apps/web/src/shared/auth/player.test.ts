import { expect, test } from "vitest";
import { testToken } from "../testing/fakes.ts";
import { isExpired, readToken } from "./player.ts";

test("claims are read, beyond ASCII too", () => {
  expect(readToken(testToken({ id: 12, name: "Şükrü", username: "ş" }))).toMatchObject({ id: "12", name: "Şükrü" });
});

test.each(["", "abc", "a.b.c", "..", `x.${btoa("[1]")}.y`, `x.${btoa('{"id":{}}')}.y`])(
  "%j is no token of ours",
  (token) => {
    expect(readToken(token)).toBeUndefined();
  },
);

test("a token says itself when its time is over", () => {
  const at = (exp?: number) => ({ id: "1", ...(exp !== undefined && { exp }) });
  expect(isExpired(at(10), 10_000)).toBe(true);
  expect(isExpired(at(10), 9_999)).toBe(false);
  expect(isExpired(at(), 1e15)).toBe(false);
  expect(isExpired(undefined, 1e15)).toBe(false);
});
