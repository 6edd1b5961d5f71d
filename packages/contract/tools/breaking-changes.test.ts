import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { IntegrationCall } from "../src/integration.ts";
import { integrationCalls } from "../src/integration.ts";
import { integrationOpenApi } from "../src/integration-openapi.ts";
import { breakingChanges } from "./breaking-changes.ts";

/* What the check of the integration port's document refuses, and what it lets pass. */

// biome-ignore lint/suspicious/noExplicitAny: a document that is changed at will
type Document = any;
type Change = (document: Document) => void;

const BASE = "/integration/v1/";
const deposit = (document: Document) => document.paths[`${BASE}players/{externalId}/deposits`].post;
const money = (document: Document) => deposit(document).requestBody.content["application/json"].schema;
const moved = (document: Document) => document.components.schemas.Moved;
const sessions = (document: Document) => document.paths[`${BASE}players/{externalId}/play-sessions`].get;

function breaksOf(change: Change): string[] {
  const after = structuredClone(integrationOpenApi());
  change(after);
  return breakingChanges(integrationOpenApi(), after);
}

describe("refused is", () => {
  test.each<[string, Change, string]>([
    ["a call that is gone", (doc) => delete doc.paths[`${BASE}links`], "POST /integration/v1/links is gone"],
    ["a report that is gone", (doc) => delete doc.webhooks["game.ended"], "report game.ended: it is gone"],
    [
      "a field of a report that is gone",
      (doc) => delete doc.components.schemas.GameReport.properties.win,
      "report game.ended: body.data.win is gone",
    ],
    ["a field of an answer that is gone", (doc) => delete moved(doc).properties.after, "answer 200.after is gone"],
    [
      "a field of an answer that may be absent",
      (doc) => moved(doc).required.pop(),
      "answer 200.after may be absent now",
    ],
    [
      "a field of an answer of another type",
      (doc) => (moved(doc).properties.after.type = "string"),
      "answer 200.after may be of type string now",
    ],
    [
      "an answer that may be null",
      (doc) => (moved(doc).properties.transfer.type = ["string", "null"]),
      "answer 200.transfer may be of type null now",
    ],
    [
      "another value in an answer",
      (doc) => doc.components.schemas.Player.properties.state.enum.push("asleep"),
      "answer 200.state may be the value asleep now",
    ],
    ["a field of a request that is gone", (doc) => delete money(doc).properties.reason, "request.reason is gone"],
    [
      "a new required field of a request",
      (doc) => {
        money(doc).properties.desk = { type: "string" };
        money(doc).required.push("desk");
      },
      "request.desk is required now",
    ],
    [
      "a smaller amount",
      (doc) => (money(doc).properties.amount.maximum = 100),
      "request.amount has another maximum: 9000000000000, now 100",
    ],
    [
      "a request of a narrower type",
      (doc) => (money(doc).properties.reason.type = "integer"),
      "request.reason may no longer be of type string",
    ],
    [
      "a stricter pattern",
      (doc) => (money(doc).properties.reason.pattern = "^x$"),
      "request.reason has another pattern",
    ],
    [
      "a parameter that is required",
      (doc) => (sessions(doc).parameters.at(-1).required = true),
      "query parameter limit is required now",
    ],
    ["a parameter that is gone", (doc) => sessions(doc).parameters.pop(), "query parameter limit is gone"],
    ["another scope", (doc) => (deposit(doc)["x-scope"] = "money.more"), "the call has another x-scope"],
    ["another form of answer", (doc) => (deposit(doc).responses = {}), "answer 200 has no application/json any more"],
    [
      "another signature",
      (doc) => (doc.components.securitySchemes.signature.name = "x-signature"),
      "the signature has another name",
    ],
    ["what no rule knows", (doc) => (money(doc).minProperties = 3), "request has another minProperties"],
  ])("%s", (_, change, sentence) => {
    expect(breaksOf(change).join("\n")).toContain(sentence);
  });
});

describe("accepted is", () => {
  test.each<[string, Change]>([
    ["nothing new", () => {}],
    ["a new call", (doc) => (doc.paths[`${BASE}more`] = { get: structuredClone(sessions(doc)) })],
    ["a new field of an answer", (doc) => (moved(doc).properties.desk = { type: "string" })],
    ["a new field of a request that may be absent", (doc) => (money(doc).properties.desk = { type: "string" })],
    [
      "a larger amount, and any reason",
      (doc) => {
        money(doc).properties.amount.maximum *= 2;
        delete money(doc).properties.reason.pattern;
      },
    ],
    ["a parameter that may be absent", (doc) => sessions(doc).parameters.push({ name: "to", in: "query", schema: {} })],
    ["a narrower answer", (doc) => (moved(doc).properties.amount.minimum = 1)],
    [
      "other words",
      (doc) => {
        deposit(doc).summary = "Put it in.";
        moved(doc).properties.after.description = "After it.";
      },
    ],
  ])("%s", (_, change) => {
    expect(breaksOf(change)).toEqual([]);
  });
});

test.each(Object.entries<IntegrationCall>(integrationCalls))(
  "the examples of %s are right by its schemas",
  (_, call) => {
    const { query, body, answer, example } = call;
    z.parse(answer, example.answer);
    if (query) z.parse(query, example.query);
    if (body) z.parse(body, example.body);
  },
);
