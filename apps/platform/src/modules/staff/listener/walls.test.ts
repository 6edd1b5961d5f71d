import { staffCalls } from "@longarm/contract/staff";
import type { StaffCall } from "@longarm/contract/staff-call";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import { VIEWS_MAX, WALL_PATH, Wall } from "@longarm/contract/staff-wall";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffClient, staffMember, staffOrigin } from "../../../testing/staff-client.ts";
import { SILENT_DIRECTORY } from "../../../testing/test-directory.ts";

const venue = sharePlayVenue(
  { env: { STAFF_PORT: "0", ...SILENT_DIRECTORY, LOGINS_PER_MINUTE_ADDRESS: "10000" } },
  prepare,
);
type Member = Awaited<ReturnType<typeof staffMember>>;
const member = (name: string, role: Parameters<typeof staffMember>[2][number]) =>
  staffMember({ platform: venue.platform, db: venue.database }, name, [role]);

let ada: Member;
async function prepare(): Promise<void> {
  ada = await member("ada", "administrator");
}

const app = () => {
  const { staff } = venue.platform;
  if (staff === undefined) throw new Error("STAFF_PORT is set");
  return staff.app;
};
async function read(url: string, cookie: string) {
  const reply = await app().inject({ url, headers: { host: new URL(staffOrigin(venue)).host, cookie } });
  return { status: reply.statusCode, text: reply.body, type: reply.headers["content-type"] };
}
/** What walls read is shared for a second. */
const SHARED_MS = 1_000;
/** Admits a display and opens it; answers its cookie. */
async function display(name: string, group: string | null = null) {
  const admitted = await ada.act("admitDisplay", {}, { name, group, reason: "a new screen" });
  const { display: id, token } = admitted.body["result"] as { display: string; token: string };
  const reply = await app().inject({
    method: "POST",
    url: `${STAFF_BASE}wall/enter`,
    headers: { host: new URL(staffOrigin(venue)).host, origin: staffOrigin(venue) },
    payload: { token },
  });
  return {
    id,
    token,
    cookie: String(reply.headers["set-cookie"]).split(";")[0] ?? "",
    set: String(reply.headers["set-cookie"]),
  };
}

describe("a wall display", () => {
  test("is admitted by an administrator, reads the wall, and nothing of it says who plays, for how much, or who has a call", async () => {
    const { machine, agent } = await venue.machine("wd-01");
    const player = await venue.player("secret.player", 5_000);
    const page = await venue.page(player.token, "wd-01");
    await page.init();
    machine.handPay = { id: "hp-wd", amount: 3_333_337, kind: "win" };
    machine.lockup = "handPay";
    machine.happen("handPayPending", { handPay: machine.handPay });
    await agent.pump();
    const { cookie, set } = await display("Hall 1");
    expect(set).toMatch(/; Path=\/staff\/v1\/wall; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    const { status, text } = await read(WALL_PATH, cookie);
    expect(status).toBe(200);
    const wall = Wall.parse(JSON.parse(text));
    expect(wall).toMatchObject({ display: { name: "Hall 1", group: null }, callsTotal: 1, stops: 0 });
    expect(wall.machines).toMatchObject([{ id: "wd-01", needs: true, lockup: "handPay" }]);
    expect(wall.calls).toMatchObject([{ kind: "handPay", where: wall.machines[0]?.name, taken: false }]);
    for (const word of ["secret.player", "3333337", "hp-wd", player.id]) expect(text).not.toContain(word);
    await page.peer.request("leave", {});
  });

  test("shows one group where it was admitted for one, also of stills", async () => {
    await venue.machine("wd-11");
    await venue.machine("wd-12");
    await sql`insert into machine_group (machine_id, name) values ('wd-11', 'Bank A')`.execute(venue.database.kysely);
    const { cookie } = await display("Bank A", "Bank A");
    venue.clock.shift(SHARED_MS);
    const wall = Wall.parse(JSON.parse((await read(WALL_PATH, cookie)).text));
    expect(wall.machines.map(({ id }) => id)).toEqual(["wd-11"]);
    await sql`insert into machine_still (machine_id, tag, webp) values ('wd-11', 'a', 'x'), ('wd-12', 'b', 'y')`.execute(
      venue.database.kysely,
    );
    expect(await read(`${WALL_PATH}/stills/wd-11?tag=a`, cookie)).toMatchObject({ status: 200, type: "image/webp" });
    expect((await read(`${WALL_PATH}/stills/wd-12?tag=b`, cookie)).status).toBe(404);
  });

  test("opens no other address with its token, in its own cookie or in that of staff", async () => {
    const { token, cookie } = await display("Hall 2");
    for (const given of [cookie, `longarm-staff=${token}`])
      for (const { method, path, for: needed } of Object.values<StaffCall>(staffCalls)) {
        if (needed === "open") continue;
        const url = STAFF_BASE + path.replaceAll(/\{\w+\}/g, "x1");
        const reply = await app().inject({
          method,
          url,
          headers: { host: new URL(staffOrigin(venue)).host, origin: staffOrigin(venue), cookie: given },
          ...(method === "POST" && { payload: {} }),
        });
        expect({ url, status: reply.statusCode }).toEqual({ url, status: 401 });
      }
    expect((await read(`${STAFF_BASE}stills/wd-11`, cookie)).status).toBe(401);
    // And staff's own cookie does not open the wall.
    expect((await read(WALL_PATH, ada.cookie)).status).toBe(401);
    expect((await read(WALL_PATH, `longarm-wall=${ada.cookie.split("=")[1]}`)).status).toBe(401);
    expect((await read(WALL_PATH, `${cookie}; ${cookie}`)).status).toBe(401);
  });

  test("is listed with where it was seen, is ended for all at once, and leaves every step in the audit log", async () => {
    const { id, cookie } = await display("Hall 3");
    await read(WALL_PATH, cookie);
    const listed = await ada.get("displays");
    const rows = listed.body["rows"] as Record<string, unknown>[];
    expect(rows.find((row) => row["id"] === id)).toMatchObject({
      name: "Hall 3",
      madeBy: { name: "ada" },
      seenFrom: expect.any(String),
      endedAt: null,
    });
    expect(JSON.stringify(listed.body)).not.toContain("token");
    expect((await ada.act("endDisplay", { id }, { reason: "stolen" })).status).toBe(200);
    expect((await read(WALL_PATH, cookie)).status).toBe(401);
    expect((await ada.act("endDisplay", { id }, { reason: "again" })).body["problem"]).toBe("thing.unknown");
    const { rows: entries } = await sql<{ type: string; actor: string }>`
      select type, actor from audit.entries where subject = ${`display:${id}`} order by id`.execute(
      venue.database.kysely,
    );
    expect(entries).toEqual([
      { type: "staff.display", actor: "staff:ada" },
      { type: "staff.displayOpened", actor: `display:${id}` },
      { type: "staff.display", actor: "staff:ada" },
    ]);
  });

  test("is not admitted without a passkey's word, nor opened with a wrong token", async () => {
    const fields = { name: "x", group: null, reason: "r" };
    expect((await ada.client.post("displays", { id: "act-no-step-up", ...fields })).body["problem"]).toBe(
      "stepUp.needed",
    );
    const answer = await staffClient({ platform: venue.platform }).post("wall/enter", { token: "a".repeat(43) });
    expect(answer).toMatchObject({ status: 401, body: { problem: "signIn.wrong" } });
  });
});

describe("saved views", () => {
  test("belong to their person, one of a name, and have a limit", async () => {
    const mert = await member("mert", "attendant");
    const kept = await mert.act("keepView", {}, { name: "Bank A", search: "group=A" });
    const { view } = kept.body["result"] as { view: string };
    await mert.act("keepView", {}, { name: "Bank A", search: "group=A&zoom=plan" });
    expect((await mert.get("views")).body["rows"]).toEqual([{ id: view, name: "Bank A", search: "group=A&zoom=plan" }]);
    expect((await ada.get("views")).body["rows"]).toEqual([]);
    expect((await ada.act("removeView", { id: view }, {})).body["problem"]).toBe("thing.unknown");
    for (let at = 1; at < VIEWS_MAX; at += 1) await mert.act("keepView", {}, { name: `v ${at}`, search: "" });
    expect((await mert.act("keepView", {}, { name: "one more", search: "" })).body["problem"]).toBe("act.refused");
    expect((await mert.act("removeView", { id: view }, {})).status).toBe(200);
    expect((await mert.get("views")).body["rows"]).toHaveLength(VIEWS_MAX - 1);
  });
});
