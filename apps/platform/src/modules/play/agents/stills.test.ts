import { afterEach, expect, test } from "vitest";
import { inProcessBus } from "../../../bus/index.ts";
import { manualClock } from "../../../testing/manual-clock.ts";
import type { PlayDeps } from "../deps.ts";
import type { Links } from "./links.ts";
import type { KeptStill, StillStore } from "./stills.ts";
import { Stills } from "./stills.ts";

const EVERY_MS = 8_000;
const webp = (content: string): Buffer => Buffer.from(`RIFF....WEBPVP8 ${content}`);
/** As the database keeps them, for nodes of one clock. */
function memoryStore(now: () => number): StillStore {
  const kept = new Map<string, KeptStill & { readonly at: number }>();
  return {
    async put(machineId, webp) {
      const still = { webp, tag: webp.toString("hex") };
      kept.set(machineId, { ...still, at: now() });
      return still;
    },
    async read(machineId) {
      const still = kept.get(machineId);
      return still && { tag: still.tag, webp: still.webp, ageMs: now() - still.at };
    },
  };
}
let end = (): void => {};
afterEach(() => end());

/** Stills of two machines whose agent answers when the test says so. */
function floor() {
  const clock = manualClock();
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const links = {
    get: (machineId: string) => (machineId.startsWith("m") ? {} : undefined),
    machineIds: () => ["m1", "m2"],
    isElsewhere: async (machineId: string) => machineId.startsWith("far"),
    async request(_method: string, { machineId }: { machineId: string }) {
      asked.push(machineId);
      await new Promise<void>((answered) => answers.push(answered));
    },
  } as unknown as Links;
  const config = { play: { STILL_EVERY_MS: EVERY_MS, NODE_ID: "n1" } };
  const bus = inProcessBus({ clock, onError() {} });
  const stills = new Stills({ clock, bus, config } as unknown as PlayDeps, links, memoryStore(clock.now));
  end = () => stills.close();
  /** The agent answers whatever it was asked. */
  const answer = async () => {
    for (const answered of answers.splice(0)) answered();
    await new Promise(setImmediate);
  };
  return { clock, bus, stills, asked, answer };
}

test("no machine is asked while no lobby is open, and each once a round however many look", async () => {
  const { clock, stills, asked, answer } = floor();
  clock.advance(600_000);
  expect(asked).toEqual([]);
  for (let look = 0; look < 500; look += 1) stills.lobbyOpened();
  expect(asked).toEqual(["m1", "m2"]);
  for (let round = 2; round <= 5; round += 1) {
    await answer();
    for (let look = 0; look < 500; look += 1) stills.lobbyOpened();
    clock.advance(EVERY_MS);
    expect(asked).toHaveLength(round * 2);
  }
  // Nobody looks any more: one minute later nobody is asked.
  await answer();
  clock.advance(60_000);
  await answer();
  const asleep = asked.length;
  clock.advance(3_600_000);
  expect(asked).toHaveLength(asleep);
});

test("a machine that has not answered is not asked a second time", async () => {
  const { clock, stills, asked, answer } = floor();
  stills.lobbyOpened();
  clock.advance(EVERY_MS * 3);
  expect(asked).toEqual(["m1", "m2"]);
  await answer();
  clock.advance(EVERY_MS);
  expect(asked).toEqual(["m1", "m2", "m1", "m2"]);
});

/** What was begun has gone as far as it can without time. */
const settled = (): Promise<void> => new Promise(setImmediate);

test("the first picture is waited for by everybody who looks; a machine without an agent has none", async () => {
  const { stills, answer } = floor();
  stills.lobbyOpened();
  expect(await stills.get("away")).toBeUndefined();
  const looks = [stills.get("m1"), stills.get("m1")];
  await settled();
  const put = (await stills.put("m1", webp("one")))!;
  await answer();
  for (const seen of await Promise.all(looks)) expect(seen).toMatchObject(put);
});

test("a picture older than a round is renewed before it is shown, unless that takes too long", async () => {
  const { clock, stills, answer } = floor();
  stills.lobbyOpened();
  const old = (await stills.put("m1", webp("old")))!;
  await answer();
  expect(await stills.get("m1")).toMatchObject(old);
  // An hour later the first look asks at once, and waits.
  clock.advance(3_600_000);
  stills.lobbyOpened();
  const look = stills.get("m1");
  await settled();
  const renewed = (await stills.put("m1", webp("new")))!;
  await answer();
  expect(await look).toMatchObject(renewed);
  clock.advance(3_600_000);
  stills.lobbyOpened();
  const impatient = stills.get("m1");
  await settled();
  clock.advance(2_000);
  expect(await impatient).toMatchObject(renewed);
});

test("a picture that another node takes is waited for too, but not without end", async () => {
  const { clock, bus, stills } = floor();
  bus.publish("lobby.open", { nodeId: "n2" });
  await settled();
  const look = stills.get("far-1");
  const vain = stills.get("far-2");
  await settled();
  const put = (await stills.put("far-1", webp("far")))!;
  expect(await look).toMatchObject(put);
  clock.advance(2_000);
  expect(await vain).toBeUndefined();
});

test("a lobby that opens on another node asks the machines here at once", async () => {
  const { bus, asked } = floor();
  bus.publish("lobby.open", { nodeId: "n2" });
  await settled();
  expect(asked).toEqual(["m1", "m2"]);
});
