import { SDP_BYTES_MAX } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import { OwnId } from "@longarm/contract/ids";
import {
  FRAGMENT_BYTES_MAX,
  FRAGMENT_TYPE,
  SDP_TYPE,
  WHEP_PATH,
  WHEP_WATCH_PATH,
  whepProblems,
} from "@longarm/contract/whep";
import { addressOfMachine } from "@longarm/link/environment";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod/mini";
import type { PlatformDeps } from "../../../deps.ts";
import type { Play } from "../../play/index.ts";
import { AccountOffers } from "../../play/session/index.ts";
import { offerProblem, readFragment } from "./fragment.ts";
import type { WatchKey } from "./keys.ts";
import { findWatchKey } from "./keys.ts";
import type { WatchProblem } from "./watches.ts";
import { Watches } from "./watches.ts";

export type { ListedWatchKey } from "./keys.ts";
export { addWatchKey, endWatchKey, endWatchKeysOf, listWatchKeys } from "./keys.ts";

/** Offers of one key: a page of an operator may bring all its visitors at once. */
const KEY_OFFERS = { atOnce: 20, everyMs: 1_000 };
/** What a caller waits before it tries a taken place again, s. */
const RETRY_S = 10;

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the guard of the addresses to watch from outside. */
    watchKey: WatchKey | null;
  }
}

/** What others than players watch machines over. */
export type Whep = { start(): void; close(): Promise<void> };

/** Adds the WHEP addresses to the players' listener. Nothing can be watched before staff has made a key. */
export function createWhep(deps: PlatformDeps, app: FastifyInstance, play: Play): Whep {
  const watches = new Watches({ ...deps, play });
  app.register((own, _options, done) => {
    own.decorateRequest("watchKey", null);
    own.removeAllContentTypeParsers();
    own.addContentTypeParser([SDP_TYPE, FRAGMENT_TYPE], { parseAs: "string" }, (_request, body, done) =>
      done(null, body),
    );
    own.setErrorHandler(answerFailure);
    own.addHook("onRequest", async (_request, reply) => {
      void reply
        .headers({ "access-control-allow-origin": "*", "cache-control": "no-store" })
        .header("access-control-expose-headers", "location, etag, link, accept-post, accept-patch, retry-after");
    });
    addRoutes(own, deps, watches);
    done();
  });
  return watches;
}

const config = { anyOrigin: true };
const route = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

function addRoutes(own: FastifyInstance, deps: PlatformDeps, watches: Watches): void {
  const guard = guardOf(deps);
  const offers = new AccountOffers(deps.clock, KEY_OFFERS);

  own.post(
    route(WHEP_PATH),
    { config, bodyLimit: SDP_BYTES_MAX, onRequest: [guard, takes(SDP_TYPE, "accept-post")] },
    async (request, reply) => {
      const key = keyOf(request);
      const seconds = Math.ceil(offers.wait(key.id) / 1_000);
      if (seconds > 0) return sendProblem(reply, { name: "request.tooMany" }, seconds);
      const offer = String(request.body ?? "");
      const problem = offerProblem(offer);
      if (problem !== null) return sendProblem(reply, { name: problem });
      const begun = await watches.begin(
        { key, machineId: partOf(request, "machine"), address: request.clientAddress },
        offer,
      );
      const { CROWD_WHEP: crowdWhep } = deps.config.play;
      if (begun.is === "refused" && begun.name === "places.taken" && crowdWhep !== null) {
        request.log.info({ machine: partOf(request, "machine") }, "a watcher without a place goes to the media server");
        return reply
          .code(307)
          .header("location", addressOfMachine(crowdWhep, partOf(request, "machine")))
          .send();
      }
      if (begun.is === "refused") return sendProblem(reply, begun);
      const links = watches.iceServers(key.id).flatMap(linksOf);
      if (links.length > 0) void reply.header("link", links.join(", "));
      return reply
        .code(201)
        .headers({ location: `${request.url.split("?")[0]}/${begun.id}`, etag: `"${begun.tag}"` })
        .header("accept-patch", FRAGMENT_TYPE)
        .type(SDP_TYPE)
        .send(begun.answer);
    },
  );
  own.patch(
    route(WHEP_WATCH_PATH),
    { config, bodyLimit: FRAGMENT_BYTES_MAX, onRequest: [guard, takes(FRAGMENT_TYPE, "accept-patch")] },
    async (request, reply) => {
      const tags = tagsOf(request.headers["if-match"]);
      if (tags === undefined) return sendProblem(reply, { name: "tag.missing" });
      const fragment = readFragment(String(request.body ?? ""));
      if (typeof fragment === "string") return sendProblem(reply, { name: "fragment.malformed", detail: fragment });
      const patched = await watches.patch(addressOf(request), tags, fragment);
      if (patched.is === "refused")
        return sendProblem(reply, patched, patched.name === "request.tooMany" ? 2 : undefined);
      if (patched.is === "trickled") return reply.code(204).send();
      return reply.code(200).header("etag", `"${patched.tag}"`).type(FRAGMENT_TYPE).send(patched.fragment);
    },
  );
  own.delete(route(WHEP_WATCH_PATH), { config, onRequest: guard }, async (request, reply) =>
    (await watches.endOf(addressOf(request))) ? reply.code(200).send() : sendProblem(reply, { name: "watch.unknown" }),
  );
  addOptions(own, WHEP_PATH, "POST", { "accept-post": SDP_TYPE });
  addOptions(own, WHEP_WATCH_PATH, "PATCH, DELETE", { "accept-patch": FRAGMENT_TYPE });
}

/** Preflights of pages, what an address takes, and 405 for the methods that it does not know. */
function addOptions(
  own: FastifyInstance,
  path: string,
  methods: string,
  takes: Readonly<Record<string, string>>,
): void {
  const allow = `OPTIONS, ${methods}`;
  own.options(route(path), { config }, (_request, reply) =>
    reply
      .code(204)
      .headers({ allow, ...takes, "access-control-allow-methods": allow, "access-control-max-age": "600" })
      .header("access-control-allow-headers", "authorization, content-type, if-match")
      .send(),
  );
  const others = ["GET", "PUT", "POST", "PATCH", "DELETE"].filter((method) => !methods.includes(method));
  own.route({
    method: others,
    url: route(path),
    config,
    handler: (_request, reply) => sendProblem(reply.header("allow", allow), { name: "method.unknown" }),
  });
}

/** A token in the header alone: one in an address would be in every log. */
function guardOf({ db }: PlatformDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const [, token = ""] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
    const key = await findWatchKey(db.kysely, token);
    if (key === undefined) return sendProblem(reply.header("www-authenticate", "Bearer"), { name: "key.wrong" });
    request.watchKey = key;
    return undefined;
  };
}

function keyOf({ watchKey }: FastifyRequest): WatchKey {
  if (watchKey === null) throw new Error("a call that passed the guard has a key");
  return watchKey;
}

/** Refuses a body of another type before it is read. */
const takes = (type: string, header: string) => async (request: FastifyRequest, reply: FastifyReply) => {
  const given = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  return given === type ? undefined : sendProblem(reply.header(header, type), { name: "type.wrong" });
};

/** A part of the address; one that can be no id is the empty text, which nothing is called. */
function partOf(request: FastifyRequest, name: "machine" | "watch"): string {
  const { data = "" } = z.safeParse(OwnId, (request.params as Record<string, string>)[name]);
  return data;
}

const addressOf = (request: FastifyRequest) => ({
  key: keyOf(request),
  machineId: partOf(request, "machine"),
  id: partOf(request, "watch"),
});

/** The strong tags of If-Match; null: any; undefined: there is no header. A weak tag matches nothing. */
function tagsOf(header: string | undefined): readonly string[] | null | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  if (header.trim() === "*") return null;
  return [...header.slice(0, 1_000).matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = ""]) => (weak ? [] : [tag]));
}

function linksOf({ urls, username, credential }: IceServer): string[] {
  const more =
    username === undefined ? "" : `; username="${username}"; credential="${credential}"; credential-type="password"`;
  return [urls].flat().map((url) => `<${url}>; rel="ice-server"${more}`);
}

type Problem = Omit<WatchProblem, "is">;

function sendProblem(reply: FastifyReply, { name, detail }: Problem, retryS?: number): FastifyReply {
  const { status, title } = whepProblems[name];
  reply.log.info({ problem: name, detail }, "refused");
  if (retryS !== undefined || status === 503) void reply.header("retry-after", String(retryS ?? RETRY_S));
  const body = { type: `urn:longarm:problem:${name}`, title, status, ...(detail !== undefined && { detail }) };
  return reply.code(status).type("application/problem+json; charset=utf-8").send(JSON.stringify(body));
}

/** Answers whatever was thrown. */
function answerFailure(error: Partial<FastifyError>, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = error.statusCode ?? 500;
  if (status === 413) return sendProblem(reply, { name: "body.tooLarge" });
  if (status === 415) return sendProblem(reply, { name: "type.wrong" });
  if (status < 500) return sendProblem(reply, { name: "request.invalid", detail: (error.message ?? "").slice(0, 200) });
  request.log.error({ err: error }, "a request to watch from outside failed on our side");
  return sendProblem(reply, { name: "request.failed" });
}
