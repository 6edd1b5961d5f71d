import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { scriptedFetch } from "../testing/fakes.ts";
import { createApiClient, dataOf } from "./client.ts";

function clientOf(answers: Parameters<typeof scriptedFetch>[0], token: string | null = "t0") {
  const scripted = scriptedFetch(answers);
  const onUnauthorised = vi.fn();
  const held = { token };
  const base = new URL("http://api.test/v1/");
  const client = createApiClient({ base, token: () => held.token, fetch: scripted.fetch, onUnauthorised });
  return { client, onUnauthorised, held, asked: scripted.asked };
}

test("R-7-01: a signed-in call carries the token, an open one does not", async () => {
  const { client, asked } = clientOf({
    "/v1/player/balance": { json: { balance: 5 } },
    "/v1/login": { json: { token: "x" } },
  });
  await client.call("balance");
  await client.call("login", { body: { username: "a", password: "b", site_id: "2011" } });
  expect(asked.map(({ headers }) => headers["authorization"])).toEqual(["Bearer t0", undefined]);
  expect(asked[1]?.body).toEqual({ username: "a", password: "b", site_id: "2011" });
});

test("parts of a path are encoded", async () => {
  const { client, asked } = clientOf({});
  await client.call("machinesOfBrand", { path: { brandId: "../player?x" } });
  expect(asked[0]?.path).toBe("/v1/machine/..%2Fplayer%3Fx");
});

test.each([
  ["an HTTP status", { status: 409, json: { code: 60011 } }],
  ["a false status", { json: { status: false, code: 60011 } }],
  ["an ErrorMessage", { json: { balance: 1, ErrorMessage: "no", code: 60011 } }],
])("%s makes it a failure", async (_, answer) => {
  const { client, onUnauthorised } = clientOf({ "/v1/player/balance": answer });
  expect(await client.call("balance")).toMatchObject({ ok: false, failure: { is: "refused", code: 60011 } });
  expect(onUnauthorised).not.toHaveBeenCalled();
});

test("R-4.2-09: a 401 is told once to its owner; that of the login is not", async () => {
  const no = { status: 401, json: { code: 10701 } };
  const { client, onUnauthorised } = clientOf({ "/v1/player/balance": no, "/v1/login": no });
  expect(await client.call("login", { body: { username: "a", password: "b", site_id: 1 } })).toMatchObject({
    failure: { is: "refused" },
  });
  expect(onUnauthorised).not.toHaveBeenCalled();
  expect(await client.call("balance")).toMatchObject({ ok: false, failure: { is: "unauthorised" } });
  expect(onUnauthorised).toHaveBeenCalledOnce();
});

test("a player who is banned is told to its owner as a 401 is, with the code", async () => {
  const banned = { status: 403, json: { code: 10704, ErrorMessage: "You have been banned" } };
  const { client, onUnauthorised } = clientOf({ "/v1/player/balance": banned, "/v1/login": banned });
  expect(await client.call("login", { body: { username: "a", password: "b", site_id: 1 } })).toMatchObject({
    failure: { is: "refused", code: 10704 },
  });
  expect(onUnauthorised).not.toHaveBeenCalled();
  expect(await client.call("balance")).toMatchObject({ ok: false, failure: { is: "unauthorised" } });
  expect(onUnauthorised).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ httpStatus: 403, code: 10704 }));
});

test("a late 401 of an older token does not end the new auth session", async () => {
  const made = clientOf({
    "/v1/player/balance": () => {
      made.held.token = "t1";
      return { status: 401 };
    },
  });
  await made.client.call("balance");
  expect(made.onUnauthorised).not.toHaveBeenCalled();
});

test("no answer is a network failure, an answer outside the contract a malformed one", async () => {
  const { client } = clientOf({
    "/v1/player/balance": { json: { balance: "much" } },
    "/v1/machine/brands": { text: "<html>" },
  });
  expect(await client.call("validate")).toMatchObject({ failure: { is: "network" } });
  expect(await client.call("balance")).toMatchObject({ failure: { is: "malformed" } });
  expect(await client.call("brands")).toMatchObject({ failure: { is: "malformed" } });
  expect(() => dataOf({ ok: false, failure: { is: "network", httpStatus: 0, params: {}, fields: [] } })).toThrow(
    "network",
  );
});

test("D-53: field errors are read wherever they stand; strange ones are left out", async () => {
  const list = [{ type: "email", message: "unknown" }, { type: "age", message: "x" }, 7];
  for (const key of ["errors", "error", "Params"]) {
    const { client } = clientOf({ "/v1/login": { status: 400, json: { [key]: list } } });
    const answer = await client.call("login", { body: { username: "a", password: "b", site_id: 1 } });
    expect(answer).toMatchObject({ failure: { fields: [{ type: "email", message: "unknown" }] } });
  }
});

test("D-33: an operator's own address takes the query too, and its answer may be read in another way", async () => {
  const { client, asked } = clientOf({ "/rows": { json: { rows: "none" } } });
  const at = new URL("http://api.test/rows");
  const answer = await client.read("sessions", { at, query: { page: 1 } }, z.object({ rows: z.string() }));
  expect(answer).toEqual({ ok: true, data: { rows: "none" } });
  expect(await client.call("sessions", { at })).toMatchObject({ failure: { is: "malformed" } });
  expect(asked).toHaveLength(2);
});
