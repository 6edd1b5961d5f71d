import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

const KNOWN = ["latency", "cut", "endurance"];
const USUAL = ["latency", "cut"];
const read = (...words: string[]) => readOptions(words, KNOWN, USUAL);

test("without words every usual part is measured once over every way", () => {
  expect(read()).toMatchObject({ parts: USUAL, times: 1, write: false });
  expect(read("--write", "--times=5")).toMatchObject({ parts: USUAL, times: 5, write: true });
});

test("parts, ways and a number of times can be chosen", () => {
  const options = read("latency", "--way=narrow", "--times=3");
  expect(options).toMatchObject({ parts: ["latency"], times: 3, ways: [{ id: "narrow" }] });
  expect(read("latency", "--way=turn-tcp")).toMatchObject({ ways: [{ id: "turn-tcp", turn: "tcp" }] });
  expect(read("latency", "--way=tcp,clean")).toMatchObject({ ways: [{ id: "clean" }, { id: "tcp" }] });
});

test("what cannot be meant is said", () => {
  expect(read("speed")).toContain("There are latency, cut, endurance");
  expect(read("--quick")).toContain("Unknown: --quick");
  expect(read("--times=0")).toBe("--times is 1 to 20.");
  for (const way of ["dirty", "clean,dirty", "clean,"])
    expect(read(`--way=${way}`)).toContain("clean, lossy, narrow, tcp, turn-udp, turn-tcp");
  expect(read("cut", "--write")).toContain("leave the names of parts and ways out");
});
