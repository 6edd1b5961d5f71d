import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRunningServer } from "./running-server.ts";
import type { TemporaryHouse } from "./testing/temporary-house.ts";
import { ask, temporaryHouse } from "./testing/temporary-house.ts";

let house: TemporaryHouse;
beforeEach(async () => {
  house = await temporaryHouse();
});
afterEach(() => house.end());

test("the server that runs in a data folder is found while it runs, and used beside its owner", async () => {
  expect(await findRunningServer(house.folder)).toBeUndefined();
  const server = await house.start();
  const url = await findRunningServer(house.folder);
  expect(url).toBe(server.url);
  expect(await ask(url ?? "", "select 1")).toBe(1);
  await server.stop();
  expect(await findRunningServer(house.folder)).toBeUndefined();
});

test("what a killed server left behind is no server, and nothing is made while looking", async () => {
  await mkdir(join(house.folder, "postgresql/data"), { recursive: true });
  await writeFile(join(house.folder, "postgresql.password"), "secret\n");
  const pidFile = join(house.folder, "postgresql/data/postmaster.pid");
  for (const text of ["", "garbage", "0\n", `4194304\n/x\n1\n5432\n\n127.0.0.1\n1\nready\n`]) {
    await writeFile(pidFile, text);
    expect(await findRunningServer(house.folder)).toBeUndefined();
  }
  await rm(house.folder, { recursive: true });
  expect(await findRunningServer(house.folder)).toBeUndefined();
});

test("a pointer that leads nowhere is told, not taken for no server", async () => {
  await mkdir(house.folder);
  await writeFile(join(house.folder, "postgresql.place"), "/nowhere/at/all\n");
  await expect(findRunningServer(house.folder)).rejects.toThrow("which is not there");
});
