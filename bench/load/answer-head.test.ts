import { expect, test } from "vitest";
import { answerHead } from "./callers.ts";

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\ncontent-type: application/json\r\n\r\n";

test("a head has status and size once it is complete", () => {
  expect(answerHead(answer)).toEqual({ status: 200, bytes: answer.length + 13 });
  expect(answerHead(`${answer}{"balance":1}`)).toEqual({ status: 200, bytes: answer.length + 13 });
  expect(answerHead(answer.slice(0, -1))).toBeUndefined();
  expect(answerHead("")).toBeUndefined();
});

test("a length in the body is ignored, and a head without a length is reported", () => {
  const bare = "HTTP/1.1 503 Away\r\nconnection: close\r\n\r\n";
  expect(() => answerHead(`${bare}\r\ncontent-length: 4\r\n`)).toThrow("HTTP/1.1 503 Away");
});
