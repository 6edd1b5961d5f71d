import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressOfMachine, ConfigError } from "@longarm/link/environment";
import { expect, test } from "vitest";
import type { Config } from "./config.ts";
import { readConfig } from "./config.ts";
import { PictureConfig } from "./pictures.ts";
import { isCamera, storeDelay } from "./source-delay.ts";

const least = { PLATFORM_URL: "wss://play.example.org/agent", AGENT_KEY: "0123456789abcdef" };
const noFile = (): string => {
  throw new Error("no such file");
};
const read = (more: Record<string, string> = {}): Config => readConfig({ ...least, ...more }, noFile);

function complaints(environment: Record<string, string>, file = noFile): string[] {
  try {
    readConfig(environment, file);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split("\n").slice(1);
  }
  return [];
}

test("two variables are enough; the rest is a floor of a dozen machines", () => {
  const config = read();
  expect(config.machines.length).toBe(12);
  expect(new Set(config.machines.map(({ brand }) => brand)).size).toBe(4);
  expect(config.simulated).toEqual({ seed: null, timeCode: false, minCycleMs: 2_500 });
  expect(config.media).toEqual({
    extraAddresses: [],
    onlyExtraAddresses: false,
    portRange: null,
    candidates: { open: [], closed: [] },
    relay: "no",
  });
});

test("the nodes of a platform may be named one by one", () => {
  const urls = ["wss://a.example.org/agent", "wss://b.example.org/agent"];
  expect(read({ PLATFORM_URL: urls.join(" , ") }).platformUrls).toEqual(urls);
  expect(complaints({ ...least, PLATFORM_URL: "wss://a.example.org/agent,https://b" })).toHaveLength(1);
});

test("everything is read from its variable", () => {
  const config = read({
    FLOOR_MACHINES: "3",
    FLOOR_SEED: "s",
    FLOOR_TIME_CODE: "yes",
    FLOOR_MIN_CYCLE_MS: "100",
    EXTRA_HOSTS: "127.0.0.1, ::1",
    ONLY_EXTRA_HOSTS: "1",
    PORT_RANGE: "40000-40100",
    CANDIDATES_OPEN: "127.0.0.0/8",
    CANDIDATES_CLOSED: "10.0.0.0/8,fd00::/8",
    ICE_RELAY: "only",
    LOG_LEVEL: "warn",
    ENCODER: "qsv",
    MEDIA_SILENT_MS: "9000",
  });
  expect(config.machines.length).toBe(3);
  expect(config.simulated).toEqual({ seed: "s", timeCode: true, minCycleMs: 100 });
  expect(config.media.extraAddresses).toEqual(["127.0.0.1", "::1"]);
  expect(config.media.portRange).toEqual([40_000, 40_100]);
  expect(config.media.candidates).toEqual({ open: ["127.0.0.0/8"], closed: ["10.0.0.0/8", "fd00::/8"] });
  expect(config.media.relay).toBe("only");
  expect([config.mediaSilentMs, config.logLevel, config.encoder]).toEqual([9_000, "warn", "qsv"]);
});

test("every bad variable is named at once, and the key is never repeated", () => {
  const found = complaints({
    PLATFORM_URL: "https://play.example.org",
    AGENT_KEY: "two words secret",
    AGENT_ID: "a b",
    FLOOR_MACHINES: "33",
    FLOOR_TIME_CODE: "maybe",
    FLOOR_MIN_CYCLE_MS: "-1",
    EXTRA_HOSTS: "localhost",
    PORT_RANGE: "50000-40000",
    CANDIDATES_OPEN: "10.0.0.0/99",
    LOG_LEVEL: "loud",
    MACHINES: "/no/such/file",
  });
  const names = found.map((line) => line.trim().split(" ")[0]);
  expect(names.sort()).toEqual(
    [
      "AGENT_ID",
      "AGENT_KEY",
      "CANDIDATES_OPEN",
      "EXTRA_HOSTS",
      "FLOOR_MACHINES",
      "LOG_LEVEL",
      "MACHINES",
      "FLOOR_MIN_CYCLE_MS",
      "PLATFORM_URL",
      "PORT_RANGE",
      "FLOOR_TIME_CODE",
    ].sort(),
  );
  expect(found.join("\n")).not.toContain("two words secret");
  expect(found.join("\n")).toContain("MACHINES names a file that cannot be read: /no/such/file");
});

const nar = { driver: "simulated", id: "nar-77", name: "Nar 77", brand: "nar", minCycleMs: 100, timeCode: true };

test("machines come inline or from a file, and a floor stands among them", () => {
  const list = JSON.stringify([nar, { driver: "simulated", floor: 2 }]);
  const inline = read({ MACHINES: list }).machines;
  expect(inline.map(({ id }) => id)).toEqual(["nar-77", "nar-01", "pera-01"]);
  expect(inline[0]).toMatchObject({ minCycleMs: 100, own: { timeCode: true } });
  expect(readConfig({ ...least, MACHINES: "machines.json" }, () => list).machines).toEqual(inline);
});

test.each([
  ["[{]", /at the list/],
  ["[]", /at the list/],
  [JSON.stringify([{ ...nar, driver: "magic" }]), /MACHINES at 0/],
  [JSON.stringify([{ ...nar, id: "../etc" }]), /MACHINES at 0/],
  [JSON.stringify([{ ...nar, brand: "" }]), /MACHINES at 0/],
  [JSON.stringify([{ ...nar, look: "other" }]), /MACHINES at 0.look: must be one of nar, kuzey, pera, mercan/],
  [JSON.stringify([{ ...nar, minCycleMs: 5 }]), /MACHINES at 0/],
  [JSON.stringify([{ ...nar, colour: "red" }]), /MACHINES at 0/],
  [JSON.stringify([nar, nar]), /names the machine "nar-77" twice/],
  [JSON.stringify([{ driver: "simulated", floor: 32 }, nar]), /names more than 32 machines/],
])("a bad list of machines %s is named", (MACHINES, sentence) => {
  expect(complaints({ ...least, MACHINES }).join("\n")).toMatch(sentence);
});

test("the operator states return and rules of a machine for its players; a return of nothing is refused", () => {
  const machine = { driver: "simulated", id: "nar-01", name: "Nar 01", brand: "nar" };
  const stated = { returnPercent: 94.2, rules: { tr: "18+", en: "Adults only" } };
  expect(read({ MACHINES: JSON.stringify([{ ...machine, ...stated }]) }).machines).toMatchObject([stated]);
  expect(complaints({ ...least, MACHINES: JSON.stringify([{ ...machine, returnPercent: 0 }]) })).toHaveLength(1);
});

test("a measured delay counts for the picture that it was measured with, and a configured one before it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-delay-"));
  const camera = { kind: "rtsp", url: "rtsp://eye:s3cret@camera.lan/stream1" };
  const delayOf = (picture: object): number | undefined => {
    const machine = { driver: "simulated", id: "nar-01", name: "Nar 01", brand: "nar", demonstration: true, picture };
    const environment = { ...least, DATA_FOLDER: folder, MACHINES: JSON.stringify([machine]) };
    const [read] = readConfig(environment, (path) => readFileSync(path, "utf8")).machines;
    return isCamera(read?.picture) ? read.picture.delayMs : undefined;
  };
  const path = join(folder, "machines", "nar-01", "source-delay.json");
  const read = PictureConfig.parse(camera);
  if (!isCamera(read)) throw new Error("no camera");

  expect(delayOf(camera)).toBeUndefined();
  await storeDelay(join(folder, "machines", "nar-01"), read, 83);
  expect(delayOf(camera)).toBe(83);
  expect(delayOf({ ...camera, delayMs: 40 })).toBe(40);
  expect(delayOf({ ...camera, rate: 25 })).toBeUndefined();
  expect(readFileSync(path, "utf8")).not.toContain("s3cret");
  for (const damaged of ["", "{", '{"delayMs":-1,"picture":""}', '{"delayMs":1e9}']) {
    writeFileSync(path, damaged);
    expect(delayOf(camera)).toBeUndefined();
  }
  await rm(folder, { recursive: true });
});

test("a crowd's media server is an address for each machine, with a token or none", () => {
  const whip = "https://media.example.org/{machine}/whip";
  expect(read().crowd).toBeNull();
  expect(read({ CROWD_WHIP: whip }).crowd).toEqual({ whip, token: null, from: 4 });
  expect(read({ CROWD_WHIP: whip, CROWD_TOKEN: "t", CROWD_FROM: "0" }).crowd).toEqual({ whip, token: "t", from: 0 });
  expect(addressOfMachine(whip, "m/1 ?")).toBe("https://media.example.org/m%2F1%20%3F/whip");
  for (const wrong of ["https://media.example.org/whip", "ftp://a/{machine}", "https://u:p@a/{machine}", "{machine}"])
    expect(complaints({ ...least, CROWD_WHIP: wrong })).toHaveLength(1);
  expect(complaints({ ...least, CROWD_TOKEN: "t" })[0]).toContain("CROWD_WHIP");
  expect(complaints({ ...least, CROWD_WHIP: whip, CROWD_TOKEN: "two words" }).join()).not.toContain("two words");
});
