import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeScratch, removeScratch, scratchParent } from "./scratch.ts";

const PLENTY = 64 * 1024 ** 3;

test("temporary files stay in memory, or go to the disk where memory is short, holds no programs, or is no folder", () => {
  const memory = "tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n";
  const free = () => PLENTY;
  expect(scratchParent(memory, PLENTY, free)).toBe("/dev/shm");
  expect(scratchParent(memory, PLENTY / 16, free)).toBe(tmpdir());
  expect(scratchParent(memory, PLENTY, () => PLENTY / 64)).toBe(tmpdir());
  for (const mounts of ["", "/dev/vda / ext4 rw 0 0\n", memory.replace("nosuid", "noexec"), memory.replace("rw", "ro")])
    expect(scratchParent(mounts, PLENTY, free)).toBe(tmpdir());
});

test("a run has a folder of its own that other users may walk through, and the folders of killed runs go", () => {
  const parent = mkdtempSync(join(tmpdir(), "longarm-scratch-test-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const ended = spawnSync(process.execPath, ["--version"]).pid;
  const kept = [`longarm-${process.pid}-lives`, "longarm-by-hand", "another-folder"];
  for (const name of [`longarm-${ended}-killed`, ...kept]) mkdirSync(join(parent, name, "tmp"), { recursive: true });
  const { folder, temporary } = makeScratch(parent);
  expect(readdirSync(parent).sort()).toEqual([basename(folder), ...kept].sort());
  expect(statSync(folder).mode & 0o777).toBe(0o711);
  expect(statSync(temporary).mode & 0o1777).toBe(0o1777);
  removeScratch(folder);
  expect(readdirSync(parent).sort()).toEqual(kept.sort());
});
