import { createHash } from "node:crypto";
import type { GameClip } from "@longarm/contract/clips";
import { clipCalls } from "@longarm/contract/clips";
import type { PlayedGame } from "@longarm/contract/player-record";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import { sql } from "kysely";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { systemRandom } from "../../../random.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { STAFF_ORIGIN, staffMember } from "../../../testing/staff-client.ts";
import { rotateAgentKey } from "../../play/agents/index.ts";
import { PARTS_PER_MINUTE } from "./index.ts";

/* Recordings of games: who gets them, what they say, and what the audit log says of it. */

const venue = sharePlayVenue(
  { env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000", CALLS_PER_MINUTE: "200" } },
  prepare,
);
let atilla: Awaited<ReturnType<typeof staffMember>>;
let nilay: Awaited<ReturnType<typeof staffMember>>;
let selin: Awaited<ReturnType<typeof staffMember>>;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  atilla = await staffMember(staff, "atilla", ["attendant"]);
  nilay = await staffMember(staff, "nilay", ["attendant"]);
  selin = await staffMember(staff, "selin", ["cashier"]);
}

const sumOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const segment = Buffer.alloc(600_000, "an mp4");

/** A player who has played at a machine, and how its agent puts a clip there. */
async function played(machineId: string, games = 1) {
  const { machine, agent } = await venue.machine(machineId);
  const key = await rotateAgentKey(venue.db, systemRandom, { name: `agent of ${machineId}`, old: { is: "act" } });
  if (key.is === "refused") throw new Error(key.sentence);
  const player = await venue.player(`of.${machineId}`, 10_000);
  const page = await venue.page(player.token, machineId);
  await page.init();
  await page.peer.request("cashIn", { id: `cash-in-${machineId}`, amount: 5_000 });
  for (let n = 0; n < games; n += 1) machine.play(0);
  await agent.pump();
  const record = (await venue.get("/v1/player/games", player.token)).json() as { games: PlayedGame[] };
  const game = record.games[0];
  if (game === undefined) throw new Error("no game was played");
  const put = async (path: string, payload: Buffer | object) =>
    expect(
      await venue.app.inject({
        method: "PUT",
        url: `/agent/clips/${path}`,
        headers: {
          authorization: `Bearer ${key.key}`,
          "content-type": Buffer.isBuffer(payload) ? "application/octet-stream" : "application/json",
        },
        payload,
      }),
    ).toMatchObject({ statusCode: 204 });
  return { ...player, machineId, machine, agent, game, put };
}
type Played = Awaited<ReturnType<typeof played>>;

const begin = ({ game }: Played) => Date.parse(game.start);
/** The agent answers the platform's wish: one segment, the index beside it, and a gap. */
async function upload(of: Played): Promise<void> {
  await venue.platform.clips.look();
  const wanted = of.agent.clips.at(-1);
  if (wanted === undefined) throw new Error("no clip was wanted");
  const at = begin(of);
  const meters = of.machine.meters();
  const report = { machineId: of.machineId, seq: 1, at: of.game.start, meters };
  const lines = [
    { t: "press", at: at - 40, doneAt: at, epoch: 1, seq: 1, button: "start", outcome: "started" },
    { t: "event", at, report: { ...report, phase: "started", gameNumber: 1, stake: 100 } },
    "torn {",
    { t: "problem", at: at + 3_500, why: "the media process has ended" },
    { t: "event", at: at + 3_600, report: { ...report, kind: "doorOpen" } },
    { t: "press", at: at + 60_000, doneAt: at + 60_001, epoch: 1, seq: 2, button: "start" },
    { t: "sealed", at, wall: at, link: 1 },
  ];
  const index = Buffer.from(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  const partOf = (name: string, bytes: Buffer) => ({ name, bytes: bytes.length, sha256: sumOf(bytes) });
  await of.put(`${wanted.clipId}/parts/0000001.mp4`, segment);
  await of.put(`${wanted.clipId}/parts/index.jsonl`, index);
  await of.put(`${wanted.clipId}/parts/chain.jsonl`, index);
  await of.put(wanted.clipId, {
    segments: [{ ...partOf("0000001.mp4", segment), number: 1, fromMs: at - 2_000, toMs: at + 3_400, frames: 162 }],
    index: partOf("index.jsonl", index),
    chain: partOf("chain.jsonl", index),
    gaps: [
      { fromMs: at - 5_000, toMs: at - 2_000, why: "nothing is kept of this time" },
      { fromMs: at + 3_400, toMs: at + 4_500, why: "the media process has ended" },
    ],
  });
}

const post = (url: string, payload: object, token: string) =>
  venue.app.inject({ method: "POST", url, payload, headers: { authorization: `Bearer ${token}` } });
const read = async ({ token, game }: Pick<Played, "token" | "game">): Promise<GameClip> => {
  const reply = await venue.get(`/v1/player/clips/${game.id}`, token);
  expect(z.safeParse(clipCalls.clip.answer, reply.json()).error).toBeUndefined();
  expect(reply.headers["cache-control"]).toBe("no-store");
  return reply.json() as GameClip;
};
const staffPart = (of: Played, name: string, who = atilla) =>
  venue.platform.staff?.app.inject({
    method: "GET",
    url: `${STAFF_BASE}clips/${of.machineId}/${of.game.number}/parts/${name}`,
    headers: { host: new URL(STAFF_ORIGIN).host, cookie: who.cookie },
  });
const readings = async ({ machineId }: Played) => {
  const { rows } = await sql<{ actor: string; subject: string; game: number }>`
    select actor, subject, (facts ->> 'game')::int as game from audit.entries where type = 'recording.read' and facts ->> 'machineId' = ${machineId}`.execute(
    venue.db,
  );
  return rows;
};

test("a player has the recording of an own game fetched, and reads it part by part", async () => {
  const of = await played("rec-01");
  const at = begin(of);
  expect(await read(of)).toMatchObject({ state: "none", segments: [], moments: [], gameFromMs: at });
  expect((await post("/v1/player/clips", { game: of.game.id }, of.token)).json()).toMatchObject({ state: "wanted" });
  await upload(of);
  const clip = await read(of);
  expect(clip).toMatchObject({
    state: "ready",
    reason: null,
    gameToMs: at + 3_000,
    fromMs: at - 2_000,
    toMs: at + 3_400,
  });
  expect(clip.segments).toEqual([
    { name: "0000001.mp4", bytes: 600_000, fromMs: at - 2_000, toMs: at + 3_400, frames: 162 },
  ]);
  // Before the first picture and after the last there is nothing to show, which is no gap.
  expect(clip.gaps).toEqual([]);
  const { credit } = of.machine.meters();
  expect(clip.moments).toEqual([
    { is: "press", at: at - 40, doneAt: at, button: "start", outcome: "started", reason: null },
    { is: "game", at, phase: "started", number: 1, stake: 100, win: null, credit },
  ]);
  const part = await venue.get(`/v1/player/clips/${of.game.id}/parts/0000001.mp4`, of.token);
  expect(part.headers).toMatchObject({ "content-type": "video/mp4", "cache-control": "private, no-store" });
  expect(part.rawPayload.equals(segment)).toBe(true);
  for (const name of ["0000002.mp4", "index.jsonl", "chain.jsonl"])
    expect((await venue.get(`/v1/player/clips/${of.game.id}/parts/${name}`, of.token)).statusCode, name).toBe(404);
  // It is here: another request changes nothing.
  expect((await post("/v1/player/clips", { game: of.game.id }, of.token)).json()).toMatchObject({ state: "ready" });
});

test("parts are counted apart: many are served and the page's own calls stay, a flood is refused with the time to wait", async () => {
  const of = await played("rec-09");
  const part = `/v1/player/clips/${of.game.id}/parts/0000001.mp4`;
  const flood = async (count: number) => {
    const codes = new Set<number>();
    for (let n = 0; n < count; n += 50)
      for (const { statusCode } of await Promise.all(Array.from({ length: 50 }, () => venue.get(part, of.token))))
        codes.add(statusCode);
    return codes;
  };
  expect(await flood(PARTS_PER_MINUTE), "as many as the longest recordings have").toEqual(new Set([404]));
  const refused = await venue.get(part, of.token);
  expect(refused.statusCode).toBe(429);
  expect(refused.json()).toMatchObject({ code: 60_030, Params: { seconds: expect.any(Number) } });
  expect((await venue.get(`/v1/player/clips/${of.game.id}`, of.token)).statusCode).toBe(200);
  const ofStaff = async (count: number) => {
    const replies = await Promise.all(Array.from({ length: count }, () => staffPart(of, "0000001.mp4", nilay)));
    return new Set(replies.map((reply) => reply?.statusCode));
  };
  for (let n = 0; n < PARTS_PER_MINUTE; n += 50) expect(await ofStaff(50)).toEqual(new Set([404]));
  expect(await ofStaff(1), "a member of staff has the same limit").toEqual(new Set([429]));
  expect((await staffPart(of, "0000001.mp4"))?.statusCode, "each has their own").toBe(404);
});

test("no player reads another one's, and older games need a question", async () => {
  const of = await played("rec-02", 12);
  const stranger = await played("rec-03");
  for (const token of [stranger.token, ""]) {
    const status = token === "" ? 401 : 404;
    expect((await venue.get(`/v1/player/clips/${of.game.id}`, token)).statusCode).toBe(status);
    expect((await post("/v1/player/clips", { game: of.game.id }, token)).statusCode).toBe(status);
    expect((await venue.get(`/v1/player/clips/${of.game.id}/parts/0000001.mp4`, token)).statusCode).toBe(status);
  }
  const first = { game: `1.${of.machineId}` };
  expect((await post("/v1/player/clips", first, of.token)).statusCode).toBe(409);
  expect((await post("/v1/player/disputes", { ...first, kind: "somethingElse" }, of.token)).statusCode).toBe(200);
  expect((await venue.get(`/v1/player/clips/${first.game}`, of.token)).json()).toMatchObject({ state: "wanted" });
});

test("staff reads all parts, each person's reading is in the audit log once, and a clip that is missing is tried again", async () => {
  const of = await played("rec-04");
  const path = `clips/${of.machineId}/1`;
  expect((await selin.get(path)).body).toMatchObject({ problem: "permission.missing" });
  expect((await staffPart(of, "0000001.mp4", selin))?.statusCode).toBe(403);
  expect((await atilla.get("clips/rec-04/2")).status).toBe(404);
  expect((await atilla.get("clips/rec-04/nothing")).status).toBe(404);
  expect((await atilla.get(path)).body).toMatchObject({ state: "none" });
  expect((await staffPart(of, "0000001.mp4"))?.statusCode).toBe(404);
  expect(await readings(of)).toEqual([]);
  expect((await atilla.post(path)).body).toMatchObject({ state: "wanted" });
  await upload(of);
  await sql`insert into picture_report (play_session_id, at, delay_ms, freezes)
    select play_session_id, started_at, 700, '[[1, 2]]' from game where machine_id = ${of.machineId}`.execute(venue.db);
  expect((await atilla.get(path)).body).toMatchObject({
    state: "ready",
    picture: [{ at: begin(of), delayMs: 700, freezes: [{ fromMs: 1, toMs: 2 }] }],
  });
  expect((await staffPart(of, "0000001.mp4"))?.rawPayload.equals(segment)).toBe(true);
  expect((await staffPart(of, "index.jsonl"))?.body).toContain('"t":"sealed"');
  expect((await staffPart(of, "..%2f"))?.statusCode).toBe(404);
  expect(await readings(of)).toEqual([{ actor: "staff:atilla", subject: expect.stringMatching(/^player:/), game: 1 }]);
  expect((await atilla.get(`${path}/game`)).body).toMatchObject({
    machine: { id: of.machineId },
    player: null,
    game: { number: 1, stake: 100 },
    facts: { audit: null },
  });

  await sql`update clip set state = 'missing', reason = 'deleted', manifest = null where machine_id = ${of.machineId}`.execute(
    venue.db,
  );
  expect((await atilla.get(path)).body).toMatchObject({ state: "missing", reason: "deleted" });
  expect((await staffPart(of, "0000001.mp4"))?.statusCode).toBe(404);
  expect((await atilla.post(path)).body).toMatchObject({ state: "wanted", reason: null });
});
