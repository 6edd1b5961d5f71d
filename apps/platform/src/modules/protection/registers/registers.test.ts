import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../../../config.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { PASSWORD } from "../../../testing/test-venue.ts";
import { decideIdentity, keepRecord } from "../identity/index.ts";
import { chooseMarket } from "../markets/index.ts";
import { silentRegisters } from "./keeper.ts";
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
    expect(got.answer).toBe("error");
    expect(got.cause).toContain(cause);
    expect(got.cause).not.toContain(NUMBER);
  });

  test.each([null, "", "19900101-1234", "123", "abcdefghijkl"])("the number %j is never sent", async (number) => {
    expect((await ask(number)).answer).toBe("error");
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
  async function swede(market: "se" | "gb" = "se") {
    players += 1;
    const username = `svea${players}`;
    const player = await venue.player(username, 10_000);
    await chooseMarket(venue.db.withTables(), {
      scope: "player",
      subject: player.id,
      market,
      by: "eva",
      reason: "lives there",
    });
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
    await signIn(player.username);
    await eventually(async () => expect(await answers(player.id)).toEqual(["clear"]));
    // What else its market demands of a player is the question of others.
    expect(["done", "limit.required"]).toContain(await sit(player.token, "reg-01"));
  });

  test("an exclusion by the register ends play, and an error afterwards does not lift it", async () => {
    const player = await swede();
    reply = says(true);
    await signIn(player.username);
    await eventually(async () => expect(await answers(player.id)).toEqual(["excluded"]));
    await venue.machine("reg-02");
    expect(await sit(player.token, "reg-02")).toBe("register.excluded");
    reply = (_body, response) => json(response, 500, {});
    await signIn(player.username);
    await eventually(async () => expect(await answers(player.id)).toEqual(["excluded", "error"]));
    expect(await sit(player.token, "reg-02")).toBe("register.excluded");
    const away = { scope: "player", subject: player.id, market: null, by: "eva", reason: "moved away" } as const;
    await chooseMarket(venue.db.withTables(), away);
    expect(await sit(player.token, "reg-02"), "in a market without registers").toBe("register.excluded");
    await chooseMarket(venue.db.withTables(), { ...away, market: "se" });
    reply = says(false);
    await signIn(player.username);
    await eventually(async () => expect(await answers(player.id)).toEqual(["excluded", "error", "clear"]));
    expect(await sit(player.token, "reg-02")).not.toBe("register.excluded");
  });

  test("a register that is not connected keeps its market closed, and becomes a task", async () => {
    const player = await swede("gb");
    await signIn(player.username);
    await eventually(async () => expect(await answers(player.id)).toEqual(["error"]));
    await venue.machine("reg-03");
    expect(await sit(player.token, "reg-03")).toBe("register.unanswered");
    expect(await silentRegisters(venue.db)).toMatchObject([
      { register: "gamstop", cause: "this register is not connected" },
    ]);
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
