import { expect, test } from "vitest";
import { contractOfPage } from "./contract-of-pages.ts";

const PURE = "/* @__PURE__ */ ";
const compact = (code: string): string => contractOfPage(code, "a.ts").replaceAll(/\s+/g, " ").trim();

test("a call keeps what a page reads, wherever the rest is written in it", () => {
  expect(
    compact(`export const calls = {
      a: { method: "POST", path: "a", body: z.object({ x: z.string() }), answer: Done, for: ["own"], personal: ["x"] },
      b: { query: Query, method: "GET", path: "b", answer: z.array(Row), stepUp: true },
    } as const satisfies Record<string, Call>;`),
  ).toBe(
    `export const calls = { a: { method: "POST", path: "a", answer: Done }, b: { method: "GET", path: "b", answer: ${PURE}z.array(Row), stepUp: true }, } as const satisfies Record<string, Call>;`,
  );
});

test("a body beside no path and answer is no part of a call", () => {
  const letter = `const letter = { path: "a", body: "b" };`;
  expect(compact(letter)).toBe(letter);
});

test("a chain of calls is marked once, what it calls is marked too, and functions stay as they are", () => {
  expect(compact(`const Id = z.string().check(z.minLength(1));`)).toBe(
    `const Id = ${PURE}z.string().check(${PURE}z.minLength(1));`,
  );
  const made = `const listOf = (row: Row) => z.array(row); function f() { return z.string(); }`;
  expect(compact(made)).toBe(made);
});

test("a file that cannot be parsed stops the build", () => {
  expect(() => contractOfPage("const = 1;", "a.ts")).toThrow("a.ts could not be parsed");
});
