import { createHash } from "node:crypto";
import type { ClipManifest } from "@longarm/contract/recording";
import { readTimeCode, timeCodeAge } from "@longarm/reels/picture/reading/time-code";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeClip } from "../apps/agent/src/testing/decode-clip.ts";
import { cashIn, leave, logIn, playGame, sitDown } from "../rig/page/game-page.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import { DENIZ } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* A game that was played in a browser, as the agent recorded it: fetched, whole, proved by the audit log, and frame by frame where its picture says. */

const SOON = { timeout: 60_000, interval: 200 };
const MACHINE = "nar-01";
/** One frame at 30 a second, and what rounding adds, ms. */
const FRAME_MS = 34;
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");
const json = async <Answer>(query: string): Promise<Answer> =>
  JSON.parse(String(await venue.ask(`select coalesce((${query})::text, 'null') as answer`))) as Answer;
const linesOf = (text: Buffer): string[] => text.toString("utf8").split("\n").slice(0, -1);

async function partOf(clip: string, name: string): Promise<Buffer> {
  const where = `clip_id = '${clip}' and name = '${name}'`;
  return Buffer.from(
    await json<string>(`select to_json(encode(bytes, 'base64')) from clip_part where ${where}`),
    "base64",
  );
}

test("a played game is a clip whose frames lie where the picture says, chained up to an anchor of the audit log", async () => {
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 500, "en");
  for (let game = 0; game < 3; game += 1) await playGame(page, () => page.keyboard.press("Space"));
  await leave(page, "en");
  await context.close();
  await expect.poll(() => json<number>("select to_json(count(*)) from game"), SOON).toBe(3);
  // Its record ends some seconds after the seat is free.
  const anchored =
    "select facts -> 'head' from audit.entries where type = 'recording.anchored' order by id desc limit 1";
  await expect.poll(() => json<string | null>(anchored), SOON).not.toBeNull();
  type Played = { from: number; to: number; session: string };
  const played = await json<Played>(`select json_build_object('session', play_session_id,
    'from', extract(epoch from started_at) * 1000, 'to', extract(epoch from ended_at) * 1000)
    from game order by game_number offset 1 limit 1`);
  const clip = "cl_of_the_second_game";
  await venue.ask(`insert into clip (id, machine_id, play_session_id, from_ms, to_ms)
    values ('${clip}', '${MACHINE}', '${played.session}', ${played.from}, ${played.to}) returning id as answer`);
  await expect.poll(() => json<string>(`select to_json(state) from clip where id = '${clip}'`), SOON).toBe("ready");
  const { manifest, skew } = await json<{ manifest: ClipManifest; skew: number }>(
    `select json_build_object('manifest', manifest, 'skew', skew_ms) from clip where id = '${clip}'`,
  );
  expect(manifest.gaps).toEqual([]);
  expect(Math.abs(skew)).toBeLessThan(1_000);
  expect(manifest.segments[0]?.fromMs).toBeLessThanOrEqual(played.from);
  expect(manifest.segments.at(-1)?.toMs).toBeGreaterThanOrEqual(played.to);

  for (const { name, sha256: sum, fromMs, frames: count } of manifest.segments) {
    const mp4 = await partOf(clip, name);
    expect(sha256(mp4)).toBe(sum);
    const { frames, soundMs } = await decodeClip(mp4);
    expect(frames).toHaveLength(count);
    expect(soundMs.length).toBeGreaterThan(0);
    const codes = frames.map((frame) => ({
      code: readTimeCode({ ...frame, layout: "i420" }),
      at: fromMs + frame.atMs,
    }));
    const read = codes.flatMap(({ code, at }) => (code === null ? [] : [{ code, at }]));
    expect(read.length).toBeGreaterThan(codes.length / 2);
    for (const { code, at } of read)
      expect(Math.min(timeCodeAge(code, at), 65_536 - timeCodeAge(code, at))).toBeLessThan(FRAME_MS);
  }

  const index = await partOf(clip, "index.jsonl");
  const lines = linesOf(index).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.some(({ t, outcome }) => t === "press" && outcome === "started")).toBe(true);
  const ended = lines.flatMap(({ t, report }) => (t === "event" ? [report as Record<string, unknown>] : []));
  expect(
    ended.some(
      ({ phase, game }) => phase === "ended" && Date.parse((game as { endedAt: string }).endedAt) === played.to,
    ),
  ).toBe(true);

  // The chain: each sealed line carries the hash of the one before, the newest is in the audit log, and each segment of the clip is in it.
  const chain = linesOf(await partOf(clip, "chain.jsonl"));
  let head = "0".repeat(64);
  for (const line of chain) {
    expect(JSON.parse(line)).toMatchObject({ prev: head });
    head = sha256(line);
  }
  expect(await json<string>(anchored)).toBe(head);
  for (const { sha256: sum } of manifest.segments) expect(chain.some((line) => line.includes(sum))).toBe(true);
});
