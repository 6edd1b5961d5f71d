import { CLOSE } from "@longarm/contract/envelope";
import { STAFF_VIDEO_PATH, STAFF_VIDEOS_MAX } from "@longarm/contract/staff-video";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { openSocket } from "../../../testing/open-socket.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember, staffOrigin } from "../../../testing/staff-client.ts";
import type { StaffTables } from "../accounts/index.ts";

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
const member = (name: string, role: Parameters<typeof staffMember>[2][number]) =>
  staffMember({ platform: venue.platform, db: venue.database }, name, [role]);

let okan: Member;
async function prepare(): Promise<void> {
  okan = await member("okan", "supervisor");
}

const origin = () => staffOrigin(venue);
function dial(machine: string, cookie: string, from = origin()) {
  const url = `${origin().replace("http://localhost", "ws://127.0.0.1")}${STAFF_VIDEO_PATH}?machine=${machine}`;
  return openSocket(url, { origin: from, headers: { cookie, host: new URL(origin()).host } });
}

type Frame = { readonly id?: number; readonly ok?: boolean; readonly data?: Record<string, unknown>; method?: string };
let ids = 0;
/** A video that is open, and what it is answered. */
function video(machine: string, by: Member) {
  const socket = dial(machine, by.cookie);
  async function ask(method: string, data: object): Promise<Frame> {
    await socket.opened;
    ids += 1;
    const id = ids;
    socket.send({ request: true, id, method, data });
    const answer = () => (socket.frames as Frame[]).find((frame) => frame.id === id);
    await eventually(() => expect(answer()).toBeDefined());
    return answer() ?? {};
  }
  return { ...socket, ask };
}
const watched = async () => {
  const { rows } = await sql<{ subject: string; actor: string }>`
    select subject, actor from audit.entries where type = 'staff.watched' order by id`.execute(venue.database.kysely);
  return rows;
};

test("a machine is watched without a seat or a spectator's place; the end of the socket is the viewer's end", async () => {
  const { agent } = await venue.machine("wv-01");
  const one = video("wv-01", okan);
  expect(await one.ask("begin", {})).toMatchObject({ ok: true, data: { iceServers: [] } });
  expect(await one.ask("offer", { sdp: "offer" })).toMatchObject({ ok: true, data: { sdp: "answer to offer" } });
  const offered = agent.offers.at(-1) as Record<string, string>;
  expect(offered).toMatchObject({ machineId: "wv-01", role: "staff" });
  expect(offered).not.toHaveProperty("epoch");
  const { rows } = await sql`select * from watcher`.execute(venue.database.kysely);
  expect(rows).toEqual([]);

  const viewerId = String(offered["viewerId"]);
  agent.peer.notify("rtc.candidate", { machineId: "wv-01", viewerId, candidate: "candidate:1", sdpMid: "0" });
  agent.peer.notify("rtc.candidate", { machineId: "wv-01", viewerId: "v_other", candidate: "candidate:2" });
  const theirs = () => (one.frames as Frame[]).filter(({ method }) => method === "candidate");
  await eventually(() => expect(theirs()).toMatchObject([{ data: { candidate: "candidate:1" } }]));
  one.send({ notification: true, method: "candidate", data: { candidate: "candidate:9", sdpMid: "0" } });
  await eventually(() => expect(agent.candidates).toMatchObject([{ candidate: "candidate:9", viewerId }]));
  expect(await watched()).toEqual([{ subject: "machine:wv-01", actor: "staff:okan" }]);

  one.socket.close();
  await eventually(() => expect(agent.asked).toContain("rtc.close"));
});

test("a person watches two machines at once and no third; a place is free again when one ends", async () => {
  const ela = await member("ela", "attendant");
  const names = ["wv-11", "wv-12", "wv-13"];
  for (const name of names) await venue.machine(name);
  const [first, second, third] = names.map((name) => video(name, ela));
  for (const one of [first, second]) expect(await one?.ask("offer", { sdp: "offer" })).toMatchObject({ ok: true });
  expect(STAFF_VIDEOS_MAX).toBe(2);
  expect(await third?.ask("offer", { sdp: "offer" })).toMatchObject({ ok: false, errorReason: expect.any(String) });
  first?.socket.close();
  await first?.closed;
  await eventually(async () => expect(await third?.ask("offer", { sdp: "offer" })).toMatchObject({ ok: true }));
  for (const one of [second, third]) one?.socket.close();
});

test("an agent that is away and a machine without video are said so; offers have a rate", async () => {
  const away = video("wv-none", okan);
  expect(await away.ask("offer", { sdp: "offer" })).toMatchObject({ ok: false, errorCode: expect.anything() });
  away.socket.close();
  await venue.machine("wv-21");
  const one = video("wv-21", okan);
  expect(await one.ask("offer", { sdp: "hostile" })).toMatchObject({ ok: false });
  const answers = [];
  for (let at = 0; at < 6; at += 1) answers.push(await one.ask("offer", { sdp: "offer" }));
  expect(answers.some(({ ok }) => ok === false)).toBe(true);
  one.socket.close();
});

test("only who may watch: no cookie, another site, a role without it; and it ends when the right or the sign-in does", async () => {
  await venue.machine("wv-31");
  const cashier = await member("selin", "cashier");
  expect(await dial("wv-31", "").refused).toBe(403);
  expect(await dial("wv-31", cashier.cookie).refused).toBe(403);
  expect(await dial("wv-31", okan.cookie, "http://evil.example").refused).toBe(403);
  expect(await dial("%20", okan.cookie).refused).toBe(400);

  const hakan = await member("hakan", "attendant");
  const one = video("wv-31", hakan);
  expect(await one.ask("offer", { sdp: "offer" })).toMatchObject({ ok: true });
  await venue.database.kysely
    .withTables<StaffTables>()
    .deleteFrom("staff_has_role")
    .where("staff_id", "=", hakan.id)
    .execute();
  expect(await one.closed).toEqual({ code: CLOSE.final, reason: "not allowed" });

  const gul = await member("gul", "attendant");
  const other = video("wv-31", gul);
  await other.ask("offer", { sdp: "offer" });
  await gul.post("lock");
  expect(await other.closed).toEqual({ code: CLOSE.final, reason: "not allowed" });
});

test("nothing of it is on the players' listener", async () => {
  const url = `${venue.url}${STAFF_VIDEO_PATH}?machine=wv-01`;
  expect(await openSocket(url, { headers: { cookie: okan.cookie } }).refused).toBe(404);
});
