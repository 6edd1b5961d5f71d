import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { IntegrationCall, IntegrationCallName, IntegrationProblemName } from "@longarm/contract/integration";
import {
  ExternalId,
  IdempotencyKey,
  INTEGRATION_BASE,
  INTEGRATION_WINDOW_S,
  integrationCalls,
  integrationProblems,
} from "@longarm/contract/integration";
import { integrationOpenApi } from "@longarm/contract/integration-openapi";
import { digestOf, macOf, signatureBase } from "@longarm/link/integration-client";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { PlatformDeps } from "../../../deps.ts";
import { openHttpServer, protectRoutes } from "../../../http-server.ts";
import { callLimit } from "../../../plugins/limits.ts";
import { askOperation } from "../../play/operations/index.ts";
import type { ThrottledAudit } from "../../records/audit/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import { Refused } from "../../staff/sign-in/index.ts";
import type { Integration } from "../keys/index.ts";
import { actorOf, findKey, takeNonce } from "../keys/index.ts";
import type { Afterwards, Incoming } from "./handlers.ts";
import { IntegrationRefused, integrationHandlers } from "./handlers.ts";
import type { Answered } from "./once.ts";
import { forgetAnswers, once } from "./once.ts";
import { componentsOf, coverProblem, isSame, readSignature } from "./signature.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the integration listener's guard. */
    integration: Integration | null;
  }
}

/** The operator's systems call here: a server of its own, with another port than players and staff. */
export type IntegrationListener = {
  readonly app: FastifyInstance;
  listen(): Promise<void>;
  close(): Promise<void>;
};

/** The platform begins to enforce a limit within this, ms, or the next look of its own does. */
const BEGIN_WITHIN_MS = 3_000;
const FORGET_EVERY_MS = 3_600_000;
const BODY_BYTES_MAX = 16_384;

type Handler = (incoming: Incoming<never>) => Promise<unknown>;
type Problem = { readonly name: IntegrationProblemName; readonly detail?: string; readonly reason?: string };

function problemText({ name, detail, reason }: Problem, request: FastifyRequest): Answered {
  const { status, title } = integrationProblems[name];
  const body = {
    type: `urn:longarm:problem:${name}`,
    title,
    status,
    problem: name,
    detail,
    reason,
    request: String(request.id),
  };
  return { status, text: JSON.stringify(body) };
}

function send(reply: FastifyReply, { status, text }: Answered): FastifyReply {
  const type = status < 400 ? "application/json; charset=utf-8" : "application/problem+json; charset=utf-8";
  return reply.code(status).header("cache-control", "no-store").type(type).send(text);
}

function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  reply.log.info({ problem: problem.name, detail: problem.detail }, "refused");
  if (problem.name === "idempotency.inProgress") void reply.header("retry-after", "1");
  return send(reply, problemText(problem, reply.request));
}

const tooMany = (reply: FastifyReply, seconds: number): FastifyReply =>
  sendProblem(reply.header("retry-after", String(seconds)), {
    name: "request.tooMany",
    detail: `Wait ${seconds} seconds.`,
  });

/** Answers whatever was thrown. */
function answerFailure(error: Partial<FastifyError>, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = error.statusCode ?? 500;
  if (status === 413) return sendProblem(reply, { name: "body.tooLarge" });
  if (status === 415) return sendProblem(reply, { name: "type.wrong" });
  if (status < 500) return sendProblem(reply, { name: "request.invalid", detail: (error.message ?? "").slice(0, 200) });
  request.log.error({ err: error }, "a request of an integration failed on our side");
  return sendProblem(reply, { name: "request.failed" });
}

/** The problem behind a refusal of a call. @throws what is none. */
function problemOf(error: unknown): Problem {
  if (error instanceof IntegrationRefused) return { name: error.problem, ...error.more };
  if (!(error instanceof Refused)) throw error;
  const { name, params = {} } = error.problem;
  if (name === "wallet.insufficient")
    return { name, detail: `The wallet has ${String(params["available"])} minor units free.` };
  const reason = params["reason"];
  if (name === "act.refused")
    return {
      name: "money.refused",
      detail: String(params["sentence"]),
      ...(typeof reason === "string" && { reason }),
    };
  if (name === "thing.unknown") return { name: "player.unknown" };
  return { name: "request.invalid", detail: error.problem.detail ?? String(params["where"] ?? "") };
}

export type IntegrationParts = { readonly throttled: ThrottledAudit };

/** Builds the listener; undefined: INTEGRATION_PORT is not set. */
export async function createIntegrationListener(
  deps: PlatformDeps,
  { throttled }: IntegrationParts,
): Promise<IntegrationListener | undefined> {
  const { config, clock, log } = deps;
  const { integration } = config;
  if (integration.portNumber === null) return undefined;
  const { app, methodsOf } = openHttpServer(deps, answerFailure);
  app.decorateRequest("integration", null);
  const own = { ...config, publicUrl: integration.publicUrl, allowedOrigins: [], host: integration.host };
  await protectRoutes(app, { config: own }, undefined, tooMany);
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf((request.raw.url ?? "").split("?")[0] ?? "");
    if (methods.length === 0) return sendProblem(reply, { name: "address.unknown" });
    return sendProblem(reply.header("allow", methods.join(", ")), { name: "method.unknown" });
  });
  // Bodies stay bytes until their digest is compared.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  await serveReference(app);
  addRoutes(app, deps, throttled);
  await app.ready();
  let stop: (() => void) | undefined;
  return {
    app,
    async listen() {
      await app.listen({ host: integration.host, port: integration.portNumber ?? 0 });
      stop = clock.every(
        FORGET_EVERY_MS,
        () =>
          void forgetAnswers(deps.db.kysely).catch((error: unknown) => log.warn({ err: error }, "old answers stay")),
      );
    },
    async close() {
      stop?.();
      await app.close();
    },
  };
}

/** What a browser gets without a signature: it says what is in this repository, and nothing of this venue. */
const REFERENCE = [
  { url: "/", file: "main.html", type: "text/html" },
  { url: "/reference.css", file: "main.css", type: "text/css" },
  { url: "/reference.svg", file: "main.svg", type: "image/svg+xml" },
  { url: "/reference.mjs", file: "main.mjs", type: "text/javascript" },
] as const;

/** Serves the OpenAPI document, and a page that shows it and can send calls. */
async function serveReference(app: FastifyInstance): Promise<void> {
  const serve = (url: string, type: string, text: string) =>
    app.get(url, (_request, reply) =>
      reply.header("cache-control", "no-cache").type(`${type}; charset=utf-8`).send(text),
    );
  serve(`${INTEGRATION_BASE}openapi.json`, "application/json", JSON.stringify(integrationOpenApi()));
  for (const { url, file, type } of REFERENCE)
    serve(url, type, await readFile(join(import.meta.dirname, "reference", file), "utf8"));
}

function addRoutes(app: FastifyInstance, deps: PlatformDeps, throttled: ThrottledAudit): void {
  const { config, ledger, random, passwordCost } = deps;
  const { timeZone } = config.staff.venue;
  const operatorWallet = config.wallet !== null;
  const handlers = integrationHandlers({ ledger, random, timeZone, operatorWallet, passwordCost });
  const perIntegration = callLimit(
    app,
    config.integration.callsPerMinute,
    ({ integration }) => integration?.id ?? "none",
    undefined,
    tooMany,
  );
  for (const [name, handler] of Object.entries(handlers) as [IntegrationCallName, Handler][]) {
    const call: IntegrationCall = integrationCalls[name];
    const guard = guardOf(deps, throttled, call);
    app.route({
      method: call.method,
      url: INTEGRATION_BASE + call.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      exposeHeadRoute: false,
      bodyLimit: BODY_BYTES_MAX,
      onRequest: [guard, perIntegration],
      handler: (request, reply) => answer(deps, { name, call, handler }, request, reply),
    });
  }
}

/** Signature, time, nonce and right, in this order and before a body is read. */
function guardOf({ db, random, clock }: PlatformDeps, throttled: ThrottledAudit, call: IntegrationCall) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const refuse = (problem: Problem): FastifyReply => {
      const address = request.clientAddress;
      const entry = {
        type: "integration.refused",
        actor: "visitor",
        address,
        facts: { problem: problem.name },
      } as const;
      throttled.note(`integration/${problem.name}/${address}`, entry);
      return sendProblem(reply, problem);
    };
    const given = readSignature(request.headers);
    if (typeof given === "string") return refuse({ name: "signature.missing", detail: given });
    const uncovered = coverProblem(call.method, given.covered);
    if (uncovered !== null) return refuse({ name: "signature.missing", detail: uncovered });
    const nowS = clock.now() / 1_000;
    const isOld = Math.abs(nowS - given.created) > INTEGRATION_WINDOW_S || (given.expires ?? nowS) < nowS;
    if (isOld) return refuse({ name: "signature.time", detail: `Our clock says ${Math.floor(nowS)}.` });
    const base = signatureBase(
      given.covered,
      componentsOf(request.method, request.raw.url ?? "", request.headers),
      given.params,
    );
    const key = await findKey(db.kysely, random, given.keyId);
    if (key === undefined || !isSame(macOf(key.secret, base), given.signature))
      return refuse({ name: "signature.wrong" });
    // Longer than its time could be accepted: until a window after it, by a clock that may be a window off.
    if (!(await takeNonce(db.kysely, given.keyId, given.nonce, 3 * INTEGRATION_WINDOW_S)))
      return refuse({ name: "signature.repeated" });
    request.integration = key.integration;
    if (!key.integration.scopes.has(call.scope))
      return refuse({ name: "scope.missing", detail: `It needs the scope ${call.scope}.` });
    return undefined;
  };
}

type Served = { readonly name: IntegrationCallName; readonly call: IntegrationCall; readonly handler: Handler };

function read(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const found = z.safeParse(schema, value);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  const where = (issue?.path ?? []).join(".").slice(0, 100) || "the whole";
  throw new IntegrationRefused("request.invalid", { detail: `${where}: ${(issue?.message ?? "wrong").slice(0, 150)}` });
}

/** JSON of a body whose digest is right. @throws IntegrationRefused. */
function bodyOf(request: FastifyRequest, bytes: Buffer): unknown {
  if (request.headers["content-digest"] !== digestOf(bytes)) throw new IntegrationRefused("digest.wrong");
  const value = jsonIn(bytes);
  if (value === undefined) throw new IntegrationRefused("request.invalid", { detail: "The body is no JSON in UTF-8." });
  return value;
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

async function answer(
  deps: PlatformDeps,
  served: Served,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { integration } = request;
  if (integration === null) throw new Error("a call that passed the guard has an integration");
  try {
    const { call } = served;
    const { externalId } = request.params as { readonly externalId?: string };
    const shared = {
      integration,
      externalId: externalId === undefined ? "" : (read(ExternalId, externalId) as string),
      query: read(call.query ?? z.strictObject({}), request.query),
    };
    if (call.method === "GET") return send(reply, await look(deps, served, shared));
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const key = read(IdempotencyKey, request.headers["idempotency-key"]) as string;
    const body = read(call.body, bodyOf(request, bytes));
    return await change(deps, served, { ...shared, key, body, bytes, url: request.raw.url ?? "" }, reply);
  } catch (error) {
    return sendProblem(reply, problemOf(error));
  }
}

type Shared = Pick<Incoming<never>, "integration" | "externalId"> & { readonly query: unknown };

const noteCall = (
  db: Kysely<unknown>,
  { config }: PlatformDeps,
  { name }: Served,
  { integration, externalId }: Shared,
  facts: object,
) =>
  openAudit(db, config.play.NODE_ID).write({
    type: "integration.called",
    actor: actorOf(integration),
    ...(externalId !== "" && { subject: `external:${externalId}` }),
    facts: { call: name, ...facts },
  });

/** A call that changes nothing: it is in the audit log before its answer is sent. */
async function look(deps: PlatformDeps, served: Served, shared: Shared): Promise<Answered> {
  const db = deps.db.kysely;
  const found = await served.handler({ ...shared, db, key: "", body: undefined, after: [] } as never);
  const text = JSON.stringify(z.parse(served.call.answer, found));
  await noteCall(db, deps, served, shared, {});
  return { status: 200, text };
}

type Change = Shared & { readonly key: string; readonly body: unknown; readonly bytes: Buffer; readonly url: string };

async function change(deps: PlatformDeps, served: Served, given: Change, reply: FastifyReply): Promise<FastifyReply> {
  const { integration, key, bytes, url, ...shared } = given;
  let after: Afterwards[] = [];
  const isFresh = served.call.isFresh === true;
  const request = { integrationId: integration.id, key, method: served.call.method, url, body: bytes, isFresh };
  const { answer: answered, isRepeat } = await once(deps.db.kysely, request, async (trx) => {
    after = [];
    await openAudit(trx, deps.config.play.NODE_ID).actAs(actorOf(integration));
    await sql`savepoint work`.execute(trx);
    const result = await work();
    await noteCall(trx, deps, served, given, { key, status: result.status });
    return result;

    async function work(): Promise<Answered> {
      try {
        const done = await served.handler({ ...shared, integration, key, db: trx, after } as never);
        return { status: 200, text: JSON.stringify(z.parse(served.call.answer, done)) };
      } catch (error) {
        const problem = problemOf(error);
        await sql`rollback to savepoint work`.execute(trx);
        after = [];
        return problemText(problem, reply.request);
      }
    }
  });
  if (typeof answered === "string") return sendProblem(reply, { name: `idempotency.${answered}` });
  if (isRepeat) {
    await noteCall(deps.db.kysely, deps, served, given, { key, status: answered.status, repeated: true });
    void reply.header("idempotency-replayed", "true");
  }
  for (const one of after) afterwards(deps, one, actorOf(integration));
  return send(reply, answered);
}

/** What others see at once; each of them sees it by itself later. */
function afterwards({ db, bus, random, clock, log }: PlatformDeps, one: Afterwards, by: string): void {
  if ("balanceOf" in one) {
    bus.publish("balance.changed", { playerId: one.balanceOf });
    return;
  }
  const pause = (ms: number) => new Promise<void>((over) => void clock.after(ms, over));
  const operation = { kind: "player", body: { playerId: one.limitsOf }, by, beginWithinMs: BEGIN_WITHIN_MS } as const;
  askOperation({ db: db.kysely, random, pause }, operation).catch((error: unknown) =>
    log.warn({ err: error }, "a limit is enforced later"),
  );
}
