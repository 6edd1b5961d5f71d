import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRunningServer } from "./running-server.ts";
import type { TemporaryVenue } from "./testing/temporary-venue.ts";
import { ask, temporaryVenue } from "./testing/temporary-venue.ts";

let venue: TemporaryVenue;
beforeEach(async () => {
  venue = await temporaryVenue();
});
afterEach(() => venue.end());

test("the server that runs in a data folder is found while it runs, and used beside its owner", async () => {
  expect(await findRunningServer(venue.folder)).toBeUndefined();
  const server = await venue.start();
  const url = await findRunningServer(venue.folder);
  expect(url).toBe(server.url);
  expect(await ask(url ?? "", "select 1")).toBe(1);
  await server.stop();
  expect(await findRunningServer(venue.folder)).toBeUndefined();
});

test("what a killed server left behind is no server, and nothing is made while looking", async () => {
  await mkdir(join(venue.folder, "postgresql/data"), { recursive: true });
  await writeFile(join(venue.folder, "postgresql.password"), "secret\n");
  const pidFile = join(venue.folder, "postgresql/data/postmaster.pid");
  for (const text of ["", "garbage", "0\n", `4194304\n/x\n1\n5432\n\n127.0.0.1\n1\nready\n`]) {
    await writeFile(pidFile, text);
    expect(await findRunningServer(venue.folder)).toBeUndefined();
  }
  await rm(venue.folder, { recursive: true });
  expect(await findRunningServer(venue.folder)).toBeUndefined();
});

test("a pointer that leads nowhere is told, not taken for no server", async () => {
  await mkdir(venue.folder);
  await writeFile(join(venue.folder, "postgresql.place"), "/nowhere/at/all\n");
  await expect(findRunningServer(venue.folder)).rejects.toThrow("which is not there");
});
