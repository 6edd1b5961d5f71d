import { FRESH_SIGN_IN_MINUTES } from "@longarm/contract/player-keys";
import type { OpenIdAct } from "@longarm/contract/player-openid";
import { OPENID_LOGOUT_PATH, openIdCalls } from "@longarm/contract/player-openid";
import type { Problem } from "@longarm/contract/problems";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import type { IssuersPerson } from "../../../openid.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { OpenId } from "../passkeys/index.ts";
import type { AuthSessions } from "./auth-sessions.ts";
import type { Caller, Guard } from "./guard.ts";
import { callerOf } from "./guard.ts";
import type { OpenIdParts } from "./openid-login.ts";
import { ANSWER_BODY_BYTES_MAX, noIssuer, shownIssuer, withIssuer } from "./openid-login.ts";
import type { PasskeyRoutesParts } from "./passkey-routes.ts";
import { proven, steps } from "./passkey-routes.ts";
import { PASSKEY_BODY_BYTES_MAX } from "./password-route.ts";

type Parts = Omit<PasskeyRoutesParts, "sessions"> &
  Pick<OpenIdParts, "originOf"> & {
    readonly sessions: PasskeyRoutesParts["sessions"] & Pick<AuthSessions, "confirm" | "ofOpenId">;
  };

const send = (reply: FastifyReply, answer: object) => reply.header("cache-control", "no-store").send(answer);

/** A player's links with the issuers. Changing one takes what changing passkeys takes. */
export function openIdRoutes(app: FastifyInstance, guard: Guard, parts: Parts, openId: OpenId | undefined): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.get(`/v1/${openIdCalls.openId.path}`, { onRequest: guard }, async (request, reply) =>
    openId === undefined ? noIssuer(reply) : send(reply, await shown(parts, openId, callerOf(request))),
  );
  typed.post(
    `/v1/${openIdCalls.openIdAct.path}`,
    {
      schema: { body: openIdCalls.openIdAct.body },
      bodyLimit: PASSKEY_BODY_BYTES_MAX,
      compress: false,
      onRequest: guard,
    },
    async (request, reply) => {
      const { act, proof, issuer: named } = request.body;
      const issuer = openId?.issuerNamed(named);
      if (openId === undefined || issuer === undefined) return noIssuer(reply);
      const begin = async (whose: Caller) => {
        const begun = await withIssuer(request, () => openId.begin(issuer, parts.originOf(request), { act, whose }));
        return "name" in begun ? sendProblem(reply, begun) : send(reply, begun);
      };
      if (act === "link") return await proven(parts, request, reply, proof, begin);
      const whose = callerOf(request);
      return (await openId.of(whose.playerId)).has(issuer.provider) ? await begin(whose) : noLink(reply);
    },
  );
  typed.post(
    `/v1/${openIdCalls.openIdFinish.path}`,
    { schema: { body: openIdCalls.openIdFinish.body }, bodyLimit: ANSWER_BODY_BYTES_MAX, onRequest: guard },
    async (request, reply) => {
      if (openId === undefined) return noIssuer(reply);
      const caller = callerOf(request);
      const back = await withIssuer(request, () => openId.answered(request.body, caller));
      if (back === undefined || ("act" in back && back.act === null))
        return sendProblem(reply, { name: "openId.refused" });
      if ("name" in back) return sendProblem(reply, back);
      const did = back.act as OpenIdAct;
      const problem = await DONE[did](parts, openId, caller, back.person);
      if (problem !== null) return sendProblem(reply, problem);
      request.log.info({ playerId: caller.playerId, did }, "came back from the issuer");
      return send(reply, { ...(await shown(parts, openId, caller)), did });
    },
  );
  typed.post(
    `/v1/${openIdCalls.openIdRemove.path}`,
    { schema: { body: openIdCalls.openIdRemove.body }, bodyLimit: PASSKEY_BODY_BYTES_MAX, onRequest: guard },
    async (request, reply) => {
      const issuer = openId?.issuerNamed(request.body.issuer);
      if (openId === undefined || issuer === undefined) return noIssuer(reply);
      return await proven(parts, request, reply, request.body.proof, async (caller, player) => {
        const noted = steps(parts, caller, "linkRemoved");
        const done = await openId.unlink(player.id, issuer.provider, player.password !== "", noted);
        if (done === "unknown") return noLink(reply);
        if (done === "last") return sendProblem(reply, { name: "passkey.last" });
        for (const jti of await parts.sessions.ofOpenId(player.id, issuer.provider))
          if (jti !== caller.jti) await parts.end(jti);
        request.log.info({ playerId: player.id, issuer: issuer.name }, "removed the link with an issuer");
        return send(reply, await shown(parts, openId, caller));
      });
    },
  );
}

const noLink = (reply: FastifyReply) =>
  sendProblem(reply, { name: "request.invalid", detail: "the caller has no link with that issuer" }, 404);

type Finish = (parts: Parts, openId: OpenId, caller: Caller, person: IssuersPerson) => Promise<Problem | null>;

const DONE: Readonly<Record<OpenIdAct, Finish>> = {
  link: async (parts, openId, caller, person) =>
    (await openId.link(caller.playerId, person, steps(parts, caller, "linkAdded"))) ? null : { name: "openId.taken" },
  /** The person of the link alone confirms. */
  async confirm({ sessions }, openId, { playerId, jti }, person) {
    if ((await openId.playerOf(person)) !== playerId) return { name: "openId.refused" };
    await sessions.confirm(jti);
    return null;
  },
};

async function shown({ players, passkeys, sessions }: Parts, openId: OpenId, { playerId, jti }: Caller) {
  const [player, links, keys, fresh] = await Promise.all([
    players.find(playerId),
    openId.of(playerId),
    passkeys.of(playerId),
    sessions.freshUntil(jti, FRESH_SIGN_IN_MINUTES),
  ]);
  const isAlone = player?.password === "" && keys.length === 0 && links.size === 1;
  const issuers = openId.issuers.map((issuer) => {
    const link = links.get(issuer.provider);
    const shownLink = link && {
      name: link.name,
      linkedAt: link.linked_at.toISOString(),
      usedAt: link.last_used_at?.toISOString() ?? null,
    };
    return { ...shownIssuer(issuer), link: shownLink ?? null, keepsLast: link !== undefined && isAlone };
  });
  const { label = "", link = null, keepsLast = false } = issuers[0] ?? {};
  return { label, link, keepsLast, issuers, freshUntil: fresh?.toISOString() ?? null };
}

const LOGOUT_BYTES_MAX = 16_384;
const Form = z.object({ logout_token: z.string().check(z.minLength(1), z.maxLength(12_000)) });
/** Clocks of issuer and database may differ by so much, ms: a sign-in of just after the logout ends too, and is made again. */
const CLOCKS_MS = 30_000;

type LogoutParts = { readonly sessions: Pick<AuthSessions, "ofOpenId">; end(jti: string): Promise<void> };

/** An issuer ends the sign-ins that it made. A token that comes again ends nothing that began after it. */
export function openIdLogoutRoute(
  app: FastifyInstance,
  { sessions, end }: LogoutParts,
  openId: OpenId | undefined,
): void {
  const refuse = (reply: FastifyReply) =>
    reply.code(400).header("cache-control", "no-store").send({ error: "invalid_request" });
  // Alone: no other call takes a form, which a page of another origin could send.
  void app.register((scope, _options, ready) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.post(`/${OPENID_LOGOUT_PATH}`, { bodyLimit: LOGOUT_BYTES_MAX }, async (request, reply) => {
      if (openId === undefined) return noIssuer(reply);
      const form = z.safeParse(Form, request.body);
      if (!form.success) return refuse(reply);
      const ended = await withIssuer(request, () => openId.loggedOut(form.data.logout_token));
      if (ended !== undefined && "name" in ended)
        return ended.name === "openId.away" ? sendProblem(reply, ended) : refuse(reply);
      if (ended !== undefined) {
        const { playerId, provider, at } = ended;
        const until = new Date(at.getTime() + CLOCKS_MS);
        for (const jti of await sessions.ofOpenId(playerId, provider, until)) await end(jti);
        request.log.info({ playerId }, "signed out by the issuer");
      }
      return reply.code(200).header("cache-control", "no-store").send();
    });
    ready();
  });
}
