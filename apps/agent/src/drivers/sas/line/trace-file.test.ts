import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { printTrace, wordsOf } from "./trace-file.ts";

test("a trace is printed in words, the older file first, without idle polls and damaged lines", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sas-trace-"));
  await writeFile(join(folder, "line.1.log"), "1000 011a 011a00001234452d answer 2.0\n1200 81 00 event 1.0\n");
  await writeFile(
    join(folder, "line.log"),
    "1400 80 - spacer 0.0\nnonsense\n1600 81 51 event 1.0\n1800 81 - silent 50.0\n",
  );
  const lines: string[] = [];
  await printTrace(folder, (text) => lines.push(text));
  expect(lines).toEqual([
    "1970-01-01 00:00:01.000  current credits → 1234  (2.0 ms; 011a 011a00001234452d)\n",
    "1970-01-01 00:00:01.600  general poll → hand pay pending  (1.0 ms; 81 51)\n",
    "1970-01-01 00:00:01.800  general poll → no answer  (50.0 ms; 81 -)\n",
  ]);
  await rm(folder, { recursive: true });
  await expect(printTrace(folder, () => undefined)).rejects.toThrow(/no trace/);
});

test("a line that cannot be is left out", () => {
  for (const line of ["", "1 2", `1 ${"00".repeat(300)} - event 1.0`, "x 81 00 event 1.0", "1 81 0 event 1.0"])
    expect(wordsOf(line)).toBeUndefined();
});
