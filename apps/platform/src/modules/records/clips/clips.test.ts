import { createHash } from "node:crypto";
import type { ClipManifest } from "@longarm/contract/recording";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { enrolAgent, rotateAgentKey } from "../../play/agents/index.ts";
import { openAlarms } from "../../play/alarms.ts";

const venue = sharePlayVenue();
const sumOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const [from, to] = [new Date("2026-11-29T10:00:00Z"), new Date("2026-11-29T10:00:04Z")];

/** A machine with a player, and a key of its agent. */
async function recorded(id: string) {
  const { machine, agent } = await venue.machine(id);
  const made = await rotateAgentKey(venue.db, systemRandom, { name: `agent of ${id}`, old: { is: "act" } });
  if (made.is === "refused") throw new Error(made.sentence);
  const page = await venue.page((await venue.player(`of.${id}`, 10_000)).token, id);
  await page.init();
  const playSessionId = machine.playSessionId ?? "";
  const put = async (path: string, payload: Buffer | object, key = made.key) =>
    (
      await venue.app.inject({
        method: "PUT",
        url: `/agent/clips/${path}`,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": Buffer.isBuffer(payload) ? "application/octet-stream" : "application/json",
        },
        payload,
      })
    ).statusCode;
  return { machine, agent, page, playSessionId, put, wish: { machineId: id, playSessionId, gameNumber: 7, from, to } };
}

const part = (name: string, bytes: Buffer) => ({ name, bytes: bytes.length, sha256: sumOf(bytes) });
const mp4 = Buffer.from("an mp4");
const lines = Buffer.from('{"t":"begin"}\n');
const whole: ClipManifest = {
  segments: [
    { ...part("0000003.mp4", mp4), number: 3, fromMs: from.getTime(), toMs: from.getTime() + 2_500, frames: 75 },
  ],
  index: part("index.jsonl", lines),
  chain: part("chain.jsonl", lines),
  gaps: [{ fromMs: from.getTime() + 2_500, toMs: to.getTime(), why: "the media process has ended" }],
};

test("a clip is requested, put in parts with the agent's own key, and is then what the agent said that it is", async () => {
  const { agent, put, wish, playSessionId } = await recorded("clip-01");
  const { key: other } = await enrolAgent(venue.db, systemRandom, "nosy of clips");
  const { clips } = venue.platform;
  const id = await clips.requestClip(wish);
  expect(await clips.requestClip(wish)).toBe(id);
  await clips.look();
  expect(agent.clips).toMatchObject([
    { clipId: id, machineId: "clip-01", playSessionId, fromMs: from.getTime(), toMs: to.getTime(), have: [] },
  ]);
  const requested = await clips.clipOf(id);
  expect(requested).toMatchObject({ state: "fetching", gameNumber: 7, segments: [] });
  expect(Math.abs(requested?.skewMs ?? Number.NaN)).toBeLessThan(60_000);

  expect(await put(`${id}/parts/0000003.mp4`, mp4, "lak_wrong")).toBe(401);
  expect(await put(`${id}/parts/0000003.mp4`, mp4, other)).toBe(409);
  expect(await put(`cl_nothing/parts/0000003.mp4`, mp4)).toBe(409);
  expect(await put(`${id}/parts/..%2f3.mp4`, mp4)).toBe(400);
  expect(await put(id, whole)).toBe(400);
  expect(await put(`${id}/parts/0000003.mp4`, mp4)).toBe(204);
  expect(await put(`${id}/parts/index.jsonl`, lines)).toBe(204);
  expect(await put(`${id}/parts/chain.jsonl`, Buffer.from("something else"))).toBe(204);
  expect(await put(id, whole)).toBe(400);
  expect(await put(`${id}/parts/chain.jsonl`, lines)).toBe(204);
  expect(await put(id, { segments: "all" })).toBe(400);
  expect(await put(id, whole)).toBe(204);
  expect(await clips.clipOf(id)).toMatchObject({ ...whole, state: "ready", reason: null });
  expect(await clips.openPart(id, "0000003.mp4")).toEqual(mp4);
  expect(await clips.openPart(id, "0000004.mp4")).toBeUndefined();
});

test("what an agent does not keep any more is missing, and why is said; another wish tries again", async () => {
  const { agent, put, wish } = await recorded("clip-02");
  const { clips } = venue.platform;
  const id = await clips.requestClip(wish);
  await clips.look();
  expect(await put(`${id}/parts/index.jsonl`, lines)).toBe(204);
  expect(await put(`${id}/parts/chain.jsonl`, lines)).toBe(204);
  expect(await put(id, { ...whole, segments: [] })).toBe(204);
  expect(await clips.clipOf(id)).toMatchObject({ state: "missing", reason: "deleted" });
  expect(await clips.requestClip(wish)).toBe(id);
  expect(await clips.clipOf(id)).toMatchObject({ state: "wanted", reason: null });
  await agent.kill();
  await eventually(async () => {
    await clips.look();
    expect(await clips.clipOf(id)).toMatchObject({ state: "wanted", reason: "agentAway" });
  });
});

test("a case holds the session at the agent until the last one lets go", async () => {
  const { agent, wish, playSessionId } = await recorded("clip-03");
  const { clips } = venue.platform;
  const id = await clips.requestClip(wish);
  await clips.lock(id, "case-1");
  await clips.lock(id, "case-2");
  await clips.look();
  expect(agent.holds.at(-1)).toEqual({ machineId: "clip-03", playSessionId, caseId: id, held: true });
  await sql`update clip set wanted_at = clock_timestamp() - interval '31 days' where id = ${id}`.execute(venue.db);
  await clips.unlock(id, "case-1");
  await clips.look();
  expect(agent.holds.at(-1)).toMatchObject({ held: true });
  expect(await clips.clipOf(id)).toBeDefined();
  await clips.unlock(id, "case-2");
  await clips.look();
  expect(agent.holds.at(-1)).toMatchObject({ held: false });
  await clips.look();
  expect(await clips.clipOf(id)).toBeUndefined();
});

test("anchors are kept once, and the audit log has them; a second head of one line is kept out", async () => {
  const { agent, playSessionId } = await recorded("clip-04");
  const { clips } = venue.platform;
  const anchor = (links: number, digit: string, machineId = "clip-04") =>
    agent.peer.request("recording.anchor", { machineId, playSessionId, links, head: digit.repeat(64) });
  expect(await anchor(3, "a")).toMatchObject({ is: "done" });
  expect(await anchor(3, "b")).toMatchObject({ is: "done" });
  expect(await anchor(9, "c")).toMatchObject({ is: "done" });
  expect(await anchor(9, "c", "clip-01")).toMatchObject({ is: "refused" });
  expect(await clips.anchorsOf("clip-04", playSessionId)).toMatchObject([
    { links: 3, head: "a".repeat(64) },
    { links: 9, head: "c".repeat(64) },
  ]);
  const { rows } = await sql<{ facts: object }>`select facts from audit.entries
    where type = 'recording.anchored' and subject = ${`session:${playSessionId}`} order by id`.execute(venue.db);
  expect(rows.map(({ facts }) => facts)).toEqual([
    { machineId: "clip-04", links: 3, head: "a".repeat(64) },
    { machineId: "clip-04", links: 9, head: "c".repeat(64) },
  ]);
});

test("play that is not recorded is one alarm, which ends with its cause", async () => {
  const { agent } = await recorded("clip-05");
  const own = async () => (await openAlarms(venue.db)).filter(({ machineId }) => machineId === "clip-05");
  agent.peer.notify("recording", { machineId: "clip-05", problem: "no space left on device" });
  await eventually(async () =>
    expect(await own()).toMatchObject([{ alarm: "recording", facts: { why: "no space left on device" } }]),
  );
  agent.peer.notify("recording", { machineId: "clip-05", problem: "no space left on device" });
  agent.peer.notify("recording", { machineId: "clip-05" });
  await eventually(async () => expect(await own()).toEqual([]));
});
