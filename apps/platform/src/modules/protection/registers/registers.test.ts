import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../../../config.ts";
import { systemRandom } from "../../../random.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { PASSWORD } from "../../../testing/test-venue.ts";
import { grantBonus, reachOf } from "../../players/promotions/index.ts";
import { decideIdentity, keepRecord } from "../identity/index.ts";
import { answerOffer } from "../limits/index.ts";
import { chooseMarket } from "../markets/index.ts";
import { createRegisters, silentRegisters } from "./keeper.ts";
import { spelpaus } from "./spelpaus.ts";

/* National registers (Spellagen 14:12): what the fake answers, written from the register's published description, decides who plays. */

type Reply = (
  body: { requestId: string; subjectId: string },
  response: ServerResponse,
  request: IncomingMessage,
) => void;

/** Its market also wants help organisations to be listed. */
const folder = mkdtempSync(join(tmpdir(), "longarm-registers-"));
const settingsFile = join(folder, "Settings.json");
writeFileSync(settingsFile, JSON.stringify({ helpList: [{ name: "Stödlinjen", phone: "020-81 91 00" }] }));

let fake: Server;
let url: string;
let reply: Reply;
const questions: { subjectId: string; requestId: string; key: string | undefined; path: string | undefined }[] = [];

const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const says =
  (isBlocked: boolean): Reply =>
  ({ requestId }, response) =>
    json(response, 200, { isBlocked, requestId, responseId: "rs-1" });

beforeAll(async () => {
  fake = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(parts).toString());
      questions.push({ ...body, key: request.headers.authorization, path: request.url });
      reply(body, response, request);
    });
  });
  await new Promise<void>((listening) => fake.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  fake.closeAllConnections();
  fake.close();
});
beforeEach(() => {
  questions.length = 0;
  reply = says(false);
});

const NUMBER = "199001011234";
const never = new AbortController().signal;

describe("the adapter of Spelpaus", () => {
  const ask = (personalNumber: string | null = NUMBER, at = url) =>
    spelpaus({ url: at, actorId: "4711", key: "secret" })({ personalNumber, requestId: "rq_1" }, never);

  test("sends number, key and request as the register's document says", async () => {
    expect(await ask()).toEqual({ answer: "clear", responseId: "rs-1" });
    expect(questions).toEqual([
      { subjectId: NUMBER, requestId: "rq_1", key: "secret", path: "/api/blocking-info/4711" },
    ]);
    reply = says(true);
    expect(await ask()).toEqual({ answer: "excluded", responseId: "rs-1" });
  });

  test.each<[string, Reply, string]>([
    ["a wrong key", (_body, response) => json(response, 401, {}), "401"],
    ["a body that it does not take", (_body, response) => json(response, 400, {}), "400"],
    ["a fault of its own", (_body, response) => json(response, 500, { isBlocked: false }), "500"],
    ["too many questions", (_body, response) => json(response, 429, {}), "429"],
    ["nothing", (_body, response) => void response.writeHead(204).end(), "204"],
    ["a redirect", (_body, response) => void response.writeHead(302, { location: "/elsewhere" }).end(), "302"],
    ["a page", (_body, response) => void response.writeHead(200).end("<html>"), "no JSON"],
    ["an empty object", (_body, response) => json(response, 200, {}), "document"],
    ["a text for the answer", (body, response) => json(response, 200, { ...body, isBlocked: "false" }), "document"],
    ["null", (_body, response) => json(response, 200, null), "document"],
    [
      "another request's answer",
      (_body, response) => json(response, 200, { isBlocked: false, requestId: "rq_2" }),
      "another request",
    ],
    ["a flood", (_body, response) => void response.writeHead(200).end("x".repeat(100_000)), "too long"],
    ["a cut line", (_body, response) => void response.destroy(), ""],
  ])("%s is an error and opens nothing", async (_what, answer, cause) => {
    reply = answer;
    const got = await ask();
    expect(got?.answer).toBe("error");
    expect(got?.cause).toContain(cause);
    expect(got?.cause).not.toContain(NUMBER);
  });

  test.each([null, "", "19900101-1234", "123", "abcdefghijkl"])("the number %j is never sent", async (number) => {
    expect(await ask(number)).toBeNull();
    expect(questions).toEqual([]);
  });

  test("a register that cannot be reached is an error", async () => {
    expect(await ask(NUMBER, "http://127.0.0.1:1")).toMatchObject({ answer: "error" });
  });
});

describe("the platform", () => {
  const venue = sharePlayVenue({
    get env() {
      return { SPELPAUS_URL: url, SPELPAUS_ACTOR: "4711", SPELPAUS_KEY: "secret", SETTINGS_FILE: settingsFile };
    },
  });
  let players = 0;

  /** A verified player of a market. */
  async function swede(market: "se" | "gb" | null = "se") {
    players += 1;
    const username = `svea${players}`;
    const player = await venue.player(username, 10_000);
    const lives = { scope: "player", subject: player.id, market, by: "eva", reason: "lives there" } as const;
    if (market !== null) await chooseMarket(venue.db.withTables(), lives);
    await answerOffer(venue.db, player.id, "notNow");
    await keepRecord(venue.db, player.id, { birthDate: "1990-01-01", personalNumber: NUMBER });
    await decideIdentity(venue.db, {
      playerId: player.id,
      state: "verified",
      validUntil: null,
      by: "eva",
      reason: "seen",
    });
    return { ...player, username };
  }

  const signIn = (username: string) =>
    venue.app.inject({ method: "POST", url: "/v1/login", payload: { username, password: PASSWORD, site_id: 2011 } });

  /** The adding of a player is a sign-in too, which may have led to a question. */
  async function answers(playerId: string) {
    const { rows } = await sql<{
      answer: string;
    }>`select answer from register_answer where player_id = ${playerId} order by id`.execute(venue.db);
    return rows.map(({ answer }) => answer);
  }

  async function sit(token: string, machineId: string) {
    const page = await venue.page(token, machineId);
    const answer = await page.peer.request("init", { machineID: machineId });
    return answer.is === "refused" ? answer.refusal.name : answer.is;
  }

  test("questions the register at a sign-in; only its answer opens the seat and deposits", async () => {
    const player = await swede();
    await venue.machine("reg-01");
    expect(await sit(player.token, "reg-01")).toBe("register.unanswered");
    // The wish for the seat has led to a question already.
    await eventually(async () => expect((await answers(player.id)).slice(-1)).toEqual(["clear"]));
    await signIn(player.username);
    await eventually(async () => expect((await answers(player.id)).slice(-2)).toEqual(["clear", "clear"]));
    // What else its market demands of a player is the question of others.
    expect(["done", "limit.required"]).toContain(await sit(player.token, "reg-01"));
  });

  test("an exclusion by the register ends play, and an error afterwards does not lift it", async () => {
    const player = await swede();
    reply = says(true);
    await signIn(player.username);
    await eventually(async () => expect((await answers(player.id)).slice(-1)).toEqual(["excluded"]));
    await venue.machine("reg-02");
    expect(await sit(player.token, "reg-02")).toBe("register.excluded");
    reply = (_body, response) => json(response, 500, {});
    await signIn(player.username);
    await eventually(async () => expect((await answers(player.id)).slice(-2)).toEqual(["excluded", "error"]));
    expect(await sit(player.token, "reg-02")).toBe("register.excluded");
    const away = { scope: "player", subject: player.id, market: null, by: "eva", reason: "moved away" } as const;
    await chooseMarket(venue.db.withTables(), away);
    expect(await sit(player.token, "reg-02"), "in a market without registers").toBe("register.excluded");
    await chooseMarket(venue.db.withTables(), { ...away, market: "se" });
    reply = says(false);
    await signIn(player.username);
    await eventually(async () => expect((await answers(player.id)).slice(-3)).toEqual(["excluded", "error", "clear"]));
    expect(await sit(player.token, "reg-02")).not.toBe("register.excluded");
  });

  test("an error at a sign-in keeps play closed, whatever the register said before, until it answers again", async () => {
    const player = await swede();
    await signIn(player.username);
    await eventually(async () => expect((await answers(player.id)).slice(-1)).toEqual(["clear"]));
    reply = (_body, response) => json(response, 500, {});
    await signIn(player.username);
    await eventually(async () => expect((await answers(player.id)).slice(-2)).toEqual(["clear", "error"]));
    await venue.machine("reg-04");
    expect(await sit(player.token, "reg-04")).toBe("register.unanswered");
    reply = says(false);
    await signIn(player.username);
    await eventually(async () => expect((await answers(player.id)).slice(-3)).toEqual(["clear", "error", "clear"]));
    expect(await sit(player.token, "reg-04")).not.toBe("register.unanswered");
  });

  test("who is excluded by a register claims no bonus and is in no campaign", async () => {
    const player = await swede();
    reply = says(true);
    await signIn(player.username);
    await eventually(async () => expect((await answers(player.id)).slice(-1)).toEqual(["excluded"]));
    await grantBonus(venue.db.withTables(), systemRandom, {
      ...{ playerId: player.id, amountMinor: 500, reason: "a gift", grantedBy: "okan" },
    });
    const claim = (path: string) =>
      venue.app.inject({
        method: "GET",
        url: `/v1/player/${path}`,
        headers: { authorization: `Bearer ${player.token}` },
      });
    for (const path of ["bonus", "discount"]) expect((await claim(path)).json()).toMatchObject({ code: 60087 });
    const reach = {
      id: null,
      audience: { is: "list", players: [player.id] },
      amount: 100,
      budget: 1_000,
      granted: 0,
    } as const;
    expect(await reachOf(venue.db.withTables(), reach)).toMatchObject({ matching: 1, keptOut: 1, players: 0 });
  });

  test("a player whose number the desk enters later, or whose machine has the market, is questioned when they sit down", async () => {
    const late = await venue.player("svea.late", 10_000);
    const lives = { scope: "player", subject: late.id, market: "se", by: "eva", reason: "lives there" } as const;
    await chooseMarket(venue.db.withTables(), lives);
    await signIn("svea.late");
    await venue.machine("reg-05");
    expect(await sit(late.token, "reg-05")).not.toBe("done");
    await keepRecord(venue.db, late.id, { birthDate: "1990-01-01", personalNumber: NUMBER });
    const verified = { playerId: late.id, state: "verified", validUntil: null, by: "eva", reason: "seen" } as const;
    await decideIdentity(venue.db, verified);
    expect(await sit(late.token, "reg-05")).toBe("register.unanswered");
    // Without a number nothing was sent, and no task came of it.
    await eventually(async () => expect((await answers(late.id)).slice(-1)).toEqual(["clear"]));
    expect(await sit(late.token, "reg-05")).not.toBe("register.unanswered");

    const guest = await swede(null);
    await venue.machine("reg-06");
    await chooseMarket(venue.db.withTables(), { ...lives, scope: "machine", subject: "reg-06" });
    expect(await sit(guest.token, "reg-06")).toBe("register.unanswered");
    await eventually(async () => expect((await answers(guest.id)).slice(-1)).toEqual(["clear"]));
    expect(await sit(guest.token, "reg-06")).not.toBe("register.unanswered");
    // Asking for the seat again and again is one question a minute.
    reply = (_body, response) => json(response, 500, {});
    const flood = await swede();
    for (let n = 0; n < 5; n += 1) await sit(flood.token, "reg-05");
    await eventually(async () => expect((await answers(flood.id)).slice(-1)).toEqual(["error"]));
    for (let n = 0; n < 5; n += 1) expect(await sit(flood.token, "reg-05")).toBe("register.unanswered");
    expect((await answers(flood.id)).slice(-1)).toEqual(["error"]);
    reply = says(false);
    await signIn(flood.username);
    await eventually(async () => expect((await answers(flood.id)).slice(-2)).toEqual(["error", "clear"]));
  });

  test("players under no register take no place of those who are, and each node questions about its own", async () => {
    const questioned: string[] = [];
    const registers = createRegisters({
      ...{
        db: venue.db,
        nodeId: "look",
        random: systemRandom,
        log: { error() {} } as never,
        endPlay: async () => undefined,
      },
      registers: {
        spelpaus: async ({ requestId }) => {
          questioned.push(requestId);
          return { answer: "clear" };
        },
      },
      clock: {
        every: (_ms, look) => {
          looks = look;
          return () => undefined;
        },
      },
    });
    let looks: () => void = () => undefined;
    await sql`insert into agent (id, name) values ('look', 'look')`.execute(venue.db);
    const seat = async (at: number, playerId: string, node = "look") => {
      const id = `look-${String(at).padStart(3, "0")}`;
      await sql`insert into machine (id, agent_id, facts, meters, meters_at) values (${id}, 'look', '{"brand":"x","name":"x"}', '{"credit":0,"inGame":false,"bonus":false}', now())`.execute(
        venue.db,
      );
      await sql`insert into play_session (id, machine_id, player_id) values (${id}, ${id}, ${playerId})`.execute(
        venue.db,
      );
      await sql`insert into seat (machine_id, epoch, state, player_id, play_session_id, holder_socket, holder_node, holder_until, due_at)
        values (${id}, 1, 'agentAway', ${playerId}, ${id}, ${id}, ${node}, now() + interval '1 hour', now() + interval '1 hour')`.execute(
        venue.db,
      );
    };
    for (let at = 0; at < 60; at += 1) {
      const id = `p_000000look${String(at).padStart(3, "0")}`;
      await sql`insert into player (id, username, username_key, password) values (${id}, ${id}, ${id}, 'x')`.execute(
        venue.db,
      );
      await seat(at, id);
    }
    const [mine, other] = [await swede(), await swede()];
    await seat(100, mine.id);
    await seat(101, other.id, "another");
    registers.start();
    looks();
    await eventually(async () => expect((await answers(mine.id)).slice(-1)).toEqual(["clear"]));
    expect(questioned).toHaveLength(1);
    expect(await answers(other.id)).toEqual([]);
    await registers.close();
    await sql`delete from seat where machine_id like 'look-%'`.execute(venue.db);
  });

  test("a register that is not connected keeps its market closed, and becomes a task", async () => {
    const player = await swede("gb");
    await signIn(player.username);
    await eventually(async () => expect((await answers(player.id)).slice(-1)).toEqual(["error"]));
    await venue.machine("reg-03");
    expect(await sit(player.token, "reg-03")).toBe("register.unanswered");
    expect(await silentRegisters(venue.db)).toMatchObject([
      { register: "gamstop", cause: "this register is not connected" },
    ]);
  });

  test("whether a register is silent is looked for in an index, and counts from its first error after an answer", async () => {
    const player = await venue.player("silent.one");
    const say = (answer: string, ago: string) =>
      sql`insert into register_answer (player_id, register, answer, request_id, cause, answered_at)
        values (${player.id}, 'oasis', ${answer}, 'rq', ${answer === "error" ? "away" : null}, now() - ${ago}::interval)`.execute(
        venue.db,
      );
    const since = async () =>
      (await silentRegisters(venue.db)).find(({ register }) => register === "oasis")?.since.getTime();
    await say("error", "5 hours");
    await say("clear", "4 hours");
    expect(await since()).toBeUndefined();
    await say("error", "3 hours");
    await say("error", "2 hours");
    expect(Math.round((Date.now() - ((await since()) ?? 0)) / 3_600_000)).toBe(3);
    await say("clear", "1 hour");
    expect(await since()).toBeUndefined();
    await sql`insert into register_answer (player_id, register, answer, request_id)
      select ${player.id}, 'oasis', 'clear', 'rq' from generate_series(1, 20000)`.execute(venue.db);
    await sql`analyze register_answer`.execute(venue.db);
    const { rows } = await sql<{ "QUERY PLAN": string }>`explain select a.answer from register_answer a
      where a.register = 'oasis' order by a.id desc limit 1`.execute(venue.db);
    expect(rows.map((row) => row["QUERY PLAN"]).join()).not.toContain("Seq Scan");
  });

  test("of many sign-ins at once one question about the player is under way at a time", async () => {
    const player = await swede();
    let underWay = 0;
    let most = 0;
    reply = (body, response, request) => {
      underWay += 1;
      most = Math.max(most, underWay);
      setImmediate(() => {
        underWay -= 1;
        says(false)(body, response, request);
      });
    };
    await Promise.all(Array.from({ length: 10 }, () => signIn(player.username)));
    await eventually(async () => expect(await answers(player.id)).toContain("clear"));
    expect(most).toBe(1);
  });
});

test.each([
  [{ SPELPAUS_ACTOR: "1" }, "SPELPAUS_URL"],
  [{ SPELPAUS_URL: "https://api.spelpaus.se" }, "SPELPAUS_KEY"],
  [{ SPELPAUS_URL: "http://api.spelpaus.se", SPELPAUS_ACTOR: "1", SPELPAUS_KEY: "k" }, "SPELPAUS_URL"],
  [{ SPELPAUS_URL: "https://u:p@api.spelpaus.se", SPELPAUS_ACTOR: "1", SPELPAUS_KEY: "k" }, "SPELPAUS_URL"],
])("the configuration %j is refused", (environment, named) => {
  expect(() => readConfig(environment)).toThrow(named);
});
