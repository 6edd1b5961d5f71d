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
import type { Passkeys } from "../passkeys/index.ts";
import { passkeyShown } from "../passkeys/index.ts";
import type { AuthSessions } from "./auth-sessions.ts";
import type { Caller, Guard } from "./guard.ts";
import { callerOf } from "./guard.ts";
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
      const problem = await passkeys.add(caller, request.body, actsAs(parts, caller));
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
        const done = await passkeys.remove(player.id, id, player.password !== "", actsAs(parts, caller));
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
  app.withTypeProvider<ZodTypeProvider>().post(
    `/v1/${path}`,
    { schema: { body }, bodyLimit: PASSKEY_BODY_BYTES_MAX, compress: false, onRequest: guard },
    async (request, reply) =>
      await proven(parts, request, reply, request.body.proof, async (caller) => {
        const codes = await parts.passkeys.renewCodes(caller.playerId, actsAs(parts, caller));
        const who = `player:${caller.playerId}`;
        await parts.audit.write({
          type: "player.recoveryCodes",
          actor: who,
          subject: who,
          address: request.clientAddress,
        });
        return send(reply, { codes });
      }),
  );
}

export const actsAs =
  ({ audit }: Pick<PasskeyRoutesParts, "audit">, { playerId }: Caller) =>
  (trx: AnyDb): Promise<void> =>
    audit.within(trx).actAs(`player:${playerId}`);

async function shown({ players, passkeys, sessions }: PasskeyRoutesParts, { playerId, jti }: Caller) {
  const [player, own, hasLink, codesLeft, fresh] = await Promise.all([
    players.find(playerId),
    passkeys.of(playerId),
    passkeys.hasLink(playerId),
    passkeys.codesLeft(playerId),
    sessions.freshUntil(jti, FRESH_SIGN_IN_MINUTES),
  ]);
  return {
    passkeys: own.map(passkeyShown),
    keepsLast: player?.password === "" && !hasLink,
    codesLeft,
    freshUntil: fresh?.toISOString() ?? null,
  };
}

/** Does what needs a fresh sign-in, or a proof that it is the player. Refuses with proof.needed, and with what `withProof` refuses. */
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
  const given = "password" in proof ? proof : { passkey: proof };
  return await withProof(parts, { whose, player, act: "passkeys" }, given, async () => true);
}
