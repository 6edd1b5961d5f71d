import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { identityOf, keepRecord } from "./identity.ts";

/* Decisions of a verification service: only what it signed, in time, once, and nothing that two people have to decide. */

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const venue = sharePlayVenue({ env: { IDENTITY_SECRETS: `${SECRET},${OTHER}` } });
let messages = 0;
/** As the document of Standard Webhooks says it, and not as our own sender does. */
const signatureOf = (secret: string, id: string, atS: number, text: string) =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${id}.${atS}.${text}`)
    .digest("base64")}`;
function newId(): string {
  messages += 1;
  return `message-${messages}`;
}

type Sent = {
  readonly id?: string;
  readonly atS?: number;
  readonly secret?: string;
  /** What goes over the wire in place of what was signed. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const nowS = () => Math.floor(Date.now() / 1_000);

async function send(body: object | string, { id = newId(), atS = nowS(), secret = SECRET, as, headers }: Sent = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await venue.app.inject({
    method: "POST",
    url: "/v1/identity/decisions",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(atS),
      "webhook-signature": signatureOf(secret, id, atS, text),
      ...headers,
    },
    payload: as ?? text,
  });
  return answer.statusCode;
}

const verified = (player: string, more: object = {}) => ({
  ...{ player, state: "verified", birthDate: "1990-05-31", document: "passport", validUntil: "2099-01-01" },
  ...{ reason: "document and face agree", ...more },
});
const stateOf = async (id: string) => (await identityOf(venue.db, id)).state;

test("a signed decision holds once; a repeat changes nothing, and each of the secrets signs", async () => {
  const { id } = await venue.player("service.one");
  const message = newId();
  expect(await send(verified(id), { id: message })).toBe(200);
  expect(await identityOf(venue.db, id)).toMatchObject({ state: "verified", document: "passport" });
  expect(await send({ player: id, state: "refused", reason: "another" }, { secret: OTHER })).toBe(200);
  expect(await send(verified(id), { id: message })).toBe(200);
  expect(await stateOf(id)).toBe("refused");
  const { rows } = await sql<{ actor: string; text: string }>`
    select actor, e::text as text from audit.entries e where subject = ${`player:${id}`} and type like 'player.identity%'`.execute(
    venue.db,
  );
  expect(new Set(rows.map(({ actor }) => actor))).toEqual(new Set(["service:identity"]));
  expect(rows.map(({ text }) => text).join()).not.toContain("1990");
});

test("what is not signed, signed for other bytes, too old or too far ahead is refused before it is read", async () => {
  const { id } = await venue.player("service.two");
  const body = verified(id);
  expect(await send(body, { secret: `whsec_${Buffer.alloc(32, 9).toString("base64")}` })).toBe(401);
  expect(await send(body, { as: JSON.stringify(body).replace("1990", "1980") })).toBe(401);
  expect(await send(body, { as: `${JSON.stringify(body)} ` })).toBe(401);
  expect(await send(body, { atS: nowS() - 400 })).toBe(401);
  expect(await send(body, { atS: nowS() + 400 })).toBe(401);
  for (const header of ["webhook-id", "webhook-timestamp", "webhook-signature"])
    for (const value of ["", "x", "v1,", "'; drop table player; --", "9".repeat(400), "v1,AAAA v1,BBBB"])
      expect(await send(body, { headers: { [header]: value } }), `${header}: ${value}`).toBe(401);
  expect(await stateOf(id)).toBe("none");
});

test("a birth date that makes a player older is left to people, and the message may come again", async () => {
  const { id } = await venue.player("service.three");
  await keepRecord(venue.db, id, { birthDate: "2005-01-01" });
  const message = newId();
  expect(await send(verified(id, { birthDate: "1985-01-01" }), { id: message })).toBe(409);
  expect(await identityOf(venue.db, id)).toMatchObject({ state: "none", birthDate: "2005-01-01" });
  expect(await send(verified(id, { birthDate: "2005-01-01" }), { id: message })).toBe(200);
  expect(await stateOf(id)).toBe("verified");
});

test.each([
  ["no JSON", "{", 400],
  ["nothing", "", 401],
  ["no UTF-8 that is a decision", "null", 400],
  ["a list", "[]", 400],
  ["a state that is none", { state: "none" }, 400],
  ["a day that is none", { birthDate: "1990-02-31" }, 400],
  ["somebody who is not born", { birthDate: "2190-01-01" }, 400],
  ["a last day without verified", { state: "refused" }, 400],
  ["a field too many", { more: true }, 400],
  ["a control character", { reason: "a\u0000b" }, 400],
  ["a reason too long", { reason: "x".repeat(201) }, 400],
  ["a player who is none", { player: "p_none" }, 404],
  ["a player of another kind", { player: { $ne: null } }, 400],
  ["a body too large", { document: "x".repeat(9_000) }, 413],
] as const)("%s is refused, and nothing is kept", async (_what, change, status) => {
  messages += 1;
  const { id } = await venue.player(`service.h${messages}`);
  const answer = await send(typeof change === "string" ? change : verified(id, change));
  expect([status, 400]).toContain(answer);
  expect(await identityOf(venue.db, id)).toMatchObject({ state: "none", birthDate: null });
});

test("a second account of the same number is not verified by a service; half a number is no decision", async () => {
  const [first, second] = [await venue.player("service.first"), await venue.player("service.second")];
  const number = { country: "SE", personalNumber: "199005311234" };
  expect(await send(verified(first.id, number))).toBe(200);
  expect(await send(verified(second.id, { ...number, personalNumber: "9005311234" }))).toBe(200);
  expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(["verified", "pending"]);
  expect(await send(verified(second.id, { personalNumber: "199005311234" }))).toBe(400);
  expect(await send(verified(second.id, { country: "SE", documentNumber: "U123456" }))).toBe(400);
});
