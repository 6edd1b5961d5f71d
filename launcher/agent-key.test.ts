import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentKey } from "./seed.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-key-"));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

/** A platform that knows what it has enrolled. */
function platform() {
  const keys: string[] = [];
  return {
    keys,
    isKnown: async (key: string) => keys.includes(key),
    enrol: async () => {
      keys.push(`lak_${keys.length + 1}`);
      return keys.at(-1) ?? "";
    },
  };
}

test("an agent is enrolled once, and its key is its owner's alone", async () => {
  const file = join(folder, "agent.key");
  const venue = platform();
  const key = await agentKey(file, venue);
  expect(await agentKey(file, venue)).toBe(key);
  expect(venue.keys).toEqual([key]);
  expect((await readFile(file, "utf8")).trim()).toBe(key);
  if (process.platform !== "win32") expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a key that the platform does not know any more is replaced", async () => {
  const file = join(folder, "agent.key");
  await agentKey(file, platform());
  const another = { isKnown: async () => false, enrol: async () => "lak_new" };
  expect(await agentKey(file, another)).toBe("lak_new");
  expect((await readFile(file, "utf8")).trim()).toBe("lak_new");
});
