import { problemOfCode } from "@longarm/contract/problems";
import { expect } from "vitest";

/** Words of our inside that an answer must never carry. */
const INSIDE =
  /\bat .+:\d+:\d+|node:internal|node_modules|\.ts\b|select .+ from|syntax error|postgres|kysely|argon2|ECONN/i;

/** A refusal of HTTP: never our fault, always of the catalogue, and nothing of our inside. */
export function expectRefusal(what: unknown, reply: { statusCode: number; body: string; headers: object }): void {
  const body = reply.body === "" ? {} : (JSON.parse(reply.body) as { code?: number; ErrorMessage?: string });
  expect({ what, status: reply.statusCode, code: body.code }).toEqual({
    what,
    status: expect.toSatisfy((status: number) => status >= 400 && status !== 500),
    code: expect.toSatisfy((code: number) => problemOfCode(code) !== undefined),
  });
  expect(body.ErrorMessage, JSON.stringify(what)).not.toMatch(INSIDE);
}

/** An answer that is either well or a refusal. */
export function expectAnswer(what: unknown, reply: { statusCode: number; body: string; headers: object }): void {
  if (reply.statusCode >= 400) expectRefusal(what, reply);
  else expect(reply.body.replaceAll(/"[^"]*"/g, ""), JSON.stringify(what)).not.toMatch(INSIDE);
}

/** Lines of the log that tell of a bug: something was thrown that nobody expected. */
export function bugsIn(lines: readonly string[]): string[] {
  return lines.filter((line) => /"level":(50|60)|failed on our side|The (handler|listener) of/.test(line));
}
