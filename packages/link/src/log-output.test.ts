import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { descriptorSink, LogOutput } from "./log-output.ts";

const failure = (code: string) => Object.assign(new Error(code), { code });

// attack 6: a failed write of the log ended the process.
test.each(["ENOSPC", "EPIPE", "EIO", "EBADF"])(
  "a destination that throws %s costs lines, which are counted and reported once it works again",
  (code) => {
    const written: string[] = [];
    const reports: number[] = [];
    let full = false;
    const sink = {
      write(line: string) {
        if (full) throw failure(code);
        written.push(line);
      },
    };
    const output = new LogOutput(sink, (lost) => {
      reports.push(lost);
      output.write(`${lost} lines were lost\n`);
    });
    output.write("one\n");
    full = true;
    for (const line of ["two\n", "three\n", "four\n"]) output.write(line);
    expect(reports).toEqual([]);
    full = false;
    output.write("five\n");
    output.write("six\n");
    expect(reports).toEqual([3]);
    expect(output.lost).toBe(3);
    expect(written).toEqual(["one\n", "five\n", "3 lines were lost\n", "six\n"]);
  },
);

test("a line that was written in part leaves the next one whole, and a full pipe is waited for once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-output-"));
  const file = join(folder, "log");
  let text = "";
  const steps: (number | string)[] = [3, "ENOSPC", "ENOSPC"];
  const sink = descriptorSink(1, ((_descriptor: number, bytes: Buffer, from: number) => {
    const step = steps.shift();
    if (typeof step === "string") throw failure(step);
    const part = bytes.subarray(from, step === undefined ? undefined : from + step);
    text += String(part);
    return part.length;
  }) as never);
  const output = new LogOutput(sink, () => {});
  for (const line of ["first\n", "second\n", "third\n", "fourth\n"]) output.write(line);
  expect(text).toBe("fir\nthird\nfourth\n");

  let tries = 0;
  const stuck = descriptorSink(1, (() => {
    tries += 1;
    throw failure("EAGAIN");
  }) as never);
  expect(() => stuck.write("a\n")).toThrow("EAGAIN");
  const first = tries;
  expect(() => stuck.write("b\n")).toThrow("EAGAIN");
  expect(first).toBeGreaterThan(1);
  expect(tries).toBe(first + 1);

  const descriptor = openSync(file, "a");
  descriptorSink(descriptor).write("to a file\n");
  closeSync(descriptor);
  expect(readFileSync(file, "utf8")).toBe("to a file\n");
  await rm(folder, { recursive: true });
});

test("a descriptor that really takes nothing costs lines", () => {
  // Linux has a full disk for tests; elsewhere a file that is open for reading alone takes nothing either.
  const descriptor = existsSync("/dev/full") ? openSync("/dev/full", "w") : openSync(import.meta.filename, "r");
  const output = new LogOutput(descriptorSink(descriptor), () => {});
  for (let count = 0; count < 3; count += 1) output.write("a line\n");
  expect(output.lost).toBe(3);
  closeSync(descriptor);
});
