import type { Proof } from "@longarm/contract/player-keys";
import { FRESH_SIGN_IN_MINUTES, keyCalls } from "@longarm/contract/player-keys";
import type { Problem } from "@longarm/contract/problems";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import type { AnyDb } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Audit } from "../../records/audit/index.ts";
import type { Player } from "../accounts/index.ts";
import type { Passkeys, Steps } from "../passkeys/index.ts";
import { passkeyShown } from "../passkeys/index.ts";
import type { AuthSessions } from "./auth-sessions.ts";
import type { Caller, Guard } from "./guard.ts";
import { callerOf } from "./guard.ts";
import { noticeOf } from "./notices.ts";
import type { ChangeParts } from "./password-route.ts";
import { noteWrongProof, PASSKEY_BODY_BYTES_MAX, withProof } from "./password-route.ts";

/** What changes of what signs in need. */
export type PasskeyRoutesParts = Omit<ChangeParts, "passkeys" | "audit"> & {
  readonly passkeys: Passkeys;
  readonly audit: Audit;
  readonly sessions: Pick<AuthSessions, "freshUntil" | "ofPasskey">;
  /** Ends a sign-in. */
  end(jti: string): Promise<void>;
};

const REGISTRATION_BODY_BYTES_MAX = 16_384;
const Part = z.object({ id: z.string().check(z.maxLength(100)) });

/** A player's passkeys and recovery codes. Changing them takes a fresh sign-in, the password, or a passkey. */
export function passkeyRoutes(app: FastifyInstance, guards: Guards, parts: PasskeyRoutesParts): void {
  confirmRoute(app, guards.guardEvenLocked, parts);
  addRoutes(app, guards.guard, parts);
  changeRoutes(app, guards.guard, parts);
  codesRoute(app, guards.guard, parts);
  appRoutes(app, guards.guard, parts);
}

type Guards = { readonly guard: Guard; readonly guardEvenLocked: Guard };

const send = (reply: FastifyReply, answer: object) => reply.header("cache-control", "no-store").send(answer);

/** POST player/confirm/ask. A locked sign-in asks to unlock, and nothing else. */
function confirmRoute(app: FastifyInstance, guardEvenLocked: Guard, { passkeys }: PasskeyRoutesParts): void {
  const { path, body } = keyCalls.confirmAsk;
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      `/v1/${path}`,
      { schema: { body }, bodyLimit: SMALL_BODY_BYTES_MAX, onRequest: guardEvenLocked },
      async (request, reply) => {
        const caller = callerOf(request);
        const { act } = request.body;
        if (caller.locked && act !== "unlock") return sendProblem(reply, { name: "session.locked" });
        if ((await passkeys.of(caller.playerId)).length === 0)
          return sendProblem(reply, { name: "passkey.unknown" }, 404);
        return send(reply, await passkeys.ask(caller, act));
      },
    );
}

const SMALL_BODY_BYTES_MAX = 1_024;

function addRoutes(app: FastifyInstance, guard: Guard, parts: PasskeyRoutesParts): void {
  const { passkeys } = parts;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.get(`/v1/${keyCalls.passkeys.path}`, { onRequest: guard }, async (request, reply) =>
    send(reply, await shown(parts, callerOf(request))),
  );
  typed.post(
    `/v1/${keyCalls.passkeyAddAsk.path}`,
    { schema: { body: keyCalls.passkeyAddAsk.body }, bodyLimit: PASSKEY_BODY_BYTES_MAX, onRequest: guard },
    async (request, reply) =>
      await proven(parts, request, reply, request.body.proof, async (caller, player) => {
        const name = `${player.name} ${player.lastname}`.trim() || player.username;
        return send(reply, await passkeys.askNew(caller, { username: player.username, name }));
      }),
  );
  typed.post(
    `/v1/${keyCalls.passkeyAdd.path}`,
    { schema: { body: keyCalls.passkeyAdd.body }, bodyLimit: REGISTRATION_BODY_BYTES_MAX, onRequest: guard },
    async (request, reply) => {
      const caller = callerOf(request);
      const problem = await passkeys.add(caller, request.body, steps(parts, caller, "passkeyAdded"));
      if (problem !== null) return sendProblem(reply, { name: problem });
      request.log.info({ playerId: caller.playerId }, "added a passkey");
      return send(reply, await shown(parts, caller));
    },
  );
}

function changeRoutes(app: FastifyInstance, guard: Guard, parts: PasskeyRoutesParts): void {
  const { passkeys, sessions } = parts;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.post(
    `/v1/${keyCalls.passkeyName.path.replace("{id}", ":id")}`,
    {
      schema: { params: Part, body: keyCalls.passkeyName.body },
      bodyLimit: SMALL_BODY_BYTES_MAX,
      onRequest: guard,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { params, body } = request;
      const done = await passkeys.rename(caller.playerId, params.id, body.name, actsAs(parts, caller));
      return done ? send(reply, await shown(parts, caller)) : noSuch(reply);
    },
  );
  typed.post(
    `/v1/${keyCalls.passkeyRemove.path.replace("{id}", ":id")}`,
    {
      schema: { params: Part, body: keyCalls.passkeyRemove.body },
      bodyLimit: PASSKEY_BODY_BYTES_MAX,
      onRequest: guard,
    },
    async (request, reply) =>
      await proven(parts, request, reply, request.body.proof, async (caller, player) => {
        const { id } = request.params;
        const done = await passkeys.remove(
          player.id,
          id,
          player.password !== "",
          steps(parts, caller, "passkeyRemoved"),
        );
        if (done === "unknown") return noSuch(reply);
        if (done === "last") return sendProblem(reply, { name: "passkey.last" });
        for (const jti of await sessions.ofPasskey(player.id, id)) if (jti !== caller.jti) await parts.end(jti);
        request.log.info({ playerId: player.id }, "removed a passkey");
        return send(reply, await shown(parts, caller));
      }),
  );
}

const noSuch = (reply: FastifyReply) =>
  sendProblem(reply, { name: "request.invalid", detail: "no passkey of the caller has this id" }, 404);

function codesRoute(app: FastifyInstance, guard: Guard, parts: PasskeyRoutesParts): void {
  const { path, body } = keyCalls.codesRenew;
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      `/v1/${path}`,
      { schema: { body }, bodyLimit: PASSKEY_BODY_BYTES_MAX, compress: false, onRequest: guard },
      async (request, reply) =>
        await proven(parts, request, reply, request.body.proof, async () =>
          send(reply, { codes: await renewCodes(parts, request) }),
        ),
    );
}

/** New recovery codes of the caller, in place of the old ones. */
async function renewCodes(parts: PasskeyRoutesParts, request: FastifyRequest): Promise<string[]> {
  const caller = callerOf(request);
  const codes = await parts.passkeys.renewCodes(caller.playerId, actsAs(parts, caller));
  const who = `player:${caller.playerId}`;
  await parts.audit.write({ type: "player.recoveryCodes", actor: who, subject: who, address: request.clientAddress });
  return codes;
}

/** The player's authenticator app. A demo player is everybody: no visitor may keep the others out. */
function appRoutes(app: FastifyInstance, guard: Guard, parts: PasskeyRoutesParts): void {
  const { app: apps, codesLeft } = parts.passkeys;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  // Their answers carry secrets: never compressed together with what the caller sent.
  const own = { bodyLimit: PASSKEY_BODY_BYTES_MAX, compress: false as const, onRequest: guard };
  typed.post(
    `/v1/${keyCalls.appAsk.path}`,
    { schema: { body: keyCalls.appAsk.body }, ...own },
    async (request, reply) =>
      await proven(parts, request, reply, request.body.proof, async (caller, player) =>
        player.demo ? noApp(reply) : send(reply, await apps.ask(caller, player.username)),
      ),
  );
  typed.post(
    `/v1/${keyCalls.appAdd.path}`,
    { schema: { body: keyCalls.appAdd.body }, ...own },
    async (request, reply) => {
      const caller = callerOf(request);
      const done = await apps.add(caller, request.body, steps(parts, caller, "appAdded"));
      if (done === "late") return noApp(reply);
      if (done === "wrong") return sendProblem(reply, { name: "app.code_wrong" });
      request.log.info({ playerId: caller.playerId }, "added an authenticator app");
      const codes = (await codesLeft(caller.playerId)) === 0 ? { codes: await renewCodes(parts, request) } : {};
      return send(reply, { ...(await shown(parts, caller)), ...codes });
    },
  );
  typed.post(
    `/v1/${keyCalls.appRemove.path}`,
    { schema: { body: keyCalls.appRemove.body }, ...own },
    async (request, reply) =>
      await proven(parts, request, reply, request.body.proof, async (caller) => {
        if (!(await apps.remove(caller.playerId, steps(parts, caller, "appRemoved")))) return noApp(reply);
        request.log.info({ playerId: caller.playerId }, "removed the authenticator app");
        return send(reply, await shown(parts, caller));
      }),
  );
}

const noApp = (reply: FastifyReply) =>
  sendProblem(reply, { name: "request.invalid", detail: "no such app of the caller is there, or waits" }, 404);

const actsAs =
  ({ audit }: Pick<PasskeyRoutesParts, "audit">, { playerId }: Caller) =>
  (trx: AnyDb): Promise<void> =>
    audit.within(trx).actAs(`player:${playerId}`);

/** A change by the caller, of which a notice leaves with it. */
export const steps = (parts: PasskeyRoutesParts, caller: Caller, kind: Parameters<typeof noticeOf>[2]): Steps => ({
  first: actsAs(parts, caller),
  done: noticeOf(parts.notices, caller.playerId, kind),
});

async function shown({ players, passkeys, sessions }: PasskeyRoutesParts, { playerId, jti }: Caller) {
  const [player, own, hasLink, codesLeft, since, fresh] = await Promise.all([
    players.find(playerId),
    passkeys.of(playerId),
    passkeys.hasLink(playerId),
    passkeys.codesLeft(playerId),
    passkeys.app.since(playerId),
    sessions.freshUntil(jti, FRESH_SIGN_IN_MINUTES),
  ]);
  return {
    passkeys: own.map(passkeyShown),
    keepsLast: player?.password === "" && !hasLink,
    codesLeft,
    ...(player?.demo !== true && { appSince: since?.toISOString() ?? null }),
    freshUntil: fresh?.toISOString() ?? null,
  };
}

/** Does what needs a fresh sign-in, or a proof that it is the player. Refuses with proof.needed, app.code_needed, and with what `withProof` refuses. */
export async function proven(
  parts: ProofParts,
  request: FastifyRequest,
  reply: FastifyReply,
  proof: Proof,
  act: (caller: Caller, player: Player) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const caller = callerOf(request);
  const player = await parts.players.find(caller.playerId);
  if (!player) return sendProblem(reply, { name: "auth.signature" });
  const problem = await proofProblem(parts, caller, player, proof);
  if (problem === null) return await act(caller, player);
  request.log.info({ playerId: player.id, problem: problem.name }, "change of what signs in refused");
  await noteWrongProof(parts.audit, problem, request);
  return sendProblem(reply, problem);
}

type ProofParts = Pick<PasskeyRoutesParts, "players" | "lockout" | "audit" | "passkeys"> & {
  readonly sessions: Pick<AuthSessions, "freshUntil">;
};

async function proofProblem(parts: ProofParts, whose: Caller, player: Player, proof: Proof): Promise<Problem | null> {
  if (proof === undefined) {
    const fresh = await parts.sessions.freshUntil(whose.jti, FRESH_SIGN_IN_MINUTES);
    return fresh === null ? { name: "proof.needed" } : null;
  }
  // A thief of the password would take the app away with it.
  if ("password" in proof && (await parts.passkeys.app.since(player.id)) !== undefined)
    return { name: "app.code_needed" };
  const given = "ceremony" in proof ? { passkey: proof } : proof;
  return await withProof(parts, { whose, player, act: "passkeys" }, given, async () => true);
}
