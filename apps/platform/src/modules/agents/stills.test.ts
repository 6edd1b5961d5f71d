import { afterEach, expect, test } from "vitest";
import { inProcessBus } from "../../bus/index.ts";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import type { Links } from "./links.ts";
import { Stills } from "./stills.ts";

const EVERY_MS = 8_000;
const webp = (content: string): Buffer => Buffer.from(`RIFF....WEBPVP8 ${content}`);
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
    async ask(_method: string, { machineId }: { machineId: string }) {
      asked.push(machineId);
      await new Promise<void>((answered) => answers.push(answered));
    },
  } as unknown as Links;
  const config = { play: { STILL_EVERY_MS: EVERY_MS, NODE_ID: "n1" } };
  const bus = inProcessBus({ clock, onError() {} });
  const stills = new Stills({ clock, bus, config } as unknown as PlayPartDeps, links);
  end = () => stills.close();
  /** The agent answers whatever it was asked. */
  const answer = async () => {
    for (const answered of answers.splice(0)) answered();
    await new Promise(setImmediate);
  };
  return { clock, stills, asked, answer };
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

test("the first picture is waited for by everybody who looks; a machine without an agent has none", async () => {
  const { stills, answer } = floor();
  stills.lobbyOpened();
  expect(stills.tag("m1")).toBe("first");
  expect(stills.tag("away")).toBeNull();
  expect(await stills.get("away")).toBeUndefined();
  const looks = [stills.get("m1"), stills.get("m1")];
  const put = stills.put("m1", webp("one"));
  await answer();
  expect(await Promise.all(looks)).toEqual([put, put]);
  expect(stills.tag("m1")).toBe(put.tag);
});

test("a picture older than a round is renewed before it is shown, unless that takes too long", async () => {
  const { clock, stills, answer } = floor();
  stills.lobbyOpened();
  const old = stills.put("m1", webp("old"));
  await answer();
  expect(await stills.get("m1")).toBe(old);
  // An hour later the first look asks at once, and waits.
  clock.advance(3_600_000);
  stills.lobbyOpened();
  const look = stills.get("m1");
  const renewed = stills.put("m1", webp("new"));
  await answer();
  expect(await look).toBe(renewed);
  clock.advance(3_600_000);
  stills.lobbyOpened();
  const impatient = stills.get("m1");
  clock.advance(2_000);
  expect(await impatient).toBe(renewed);
});
