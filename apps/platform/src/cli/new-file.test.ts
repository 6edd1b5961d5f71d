import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFile } from "./new-file.ts";

test("a file that could not be written whole is not left behind, and one that exists is never touched", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-file-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "question.zip");
  const failing = newFile(path, async (file) => {
    await file.write("half");
    throw new Error("the audit log is closed");
  });
  await expect(failing).rejects.toThrow("the audit log is closed");
  expect(await readdir(folder)).toEqual([]);
  await newFile(path, async (file) => void (await file.write("whole")));
  await expect(newFile(path, async () => undefined)).rejects.toThrow("is there already");
  expect(await readFile(path, "utf8")).toBe("whole");
});
