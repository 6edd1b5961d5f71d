import { CODE_OK } from "@longarm/contract/call";
import { calls } from "@longarm/contract/http";
import type { Problem } from "@longarm/contract/problems";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type * as z from "zod/mini";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Audit } from "../../records/audit/index.ts";
import type { Players } from "../accounts/index.ts";
import { isWeakPin } from "../accounts/index.ts";
import type { Passkeys, Signed } from "../passkeys/index.ts";
import type { AuthSessions } from "./auth-sessions.ts";
import type { Caller, Guard } from "./guard.ts";
import { callerOf } from "./guard.ts";
import type { ChangeParts } from "./password-route.ts";
import { noteWrongProof, PASSKEY_BODY_BYTES_MAX, withProof } from "./password-route.ts";

export type LockParts = {
  readonly audit: Pick<Audit, "write">;
  readonly players: Players;
  readonly passkeys: Pick<Passkeys, "confirms">;
  readonly sessions: AuthSessions;
  /** Has other nodes read a sign-in again. */
  changed(jti: string): void;
  /** Ends the caller's sign-in. */
  end(jti: string): Promise<void>;
};

/** POST /v1/player/lock and /v1/player/unlock. Both may be called while locked: two tabs may lock, and unlock, at once. */
export function lockRoutes(app: FastifyInstance, guardEvenLocked: Guard, parts: LockParts): void {
  app.post(`/v1/${calls.lock.path}`, { onRequest: guardEvenLocked }, async (request, reply) => {
    const { playerId, jti } = callerOf(request);
    if ((await parts.players.find(playerId))?.pin == null)
      return sendProblem(reply, { name: "request.invalid", detail: "a player without a PIN could never unlock" });
    await parts.sessions.lock(jti);
    parts.changed(jti);
    return reply.header("cache-control", "no-store").send({ code: CODE_OK });
  });
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      `/v1/${calls.unlock.path}`,
      { schema: { body: calls.unlock.body }, bodyLimit: PASSKEY_BODY_BYTES_MAX, onRequest: guardEvenLocked },
      async (request, reply) => {
        const caller = callerOf(request);
        const problem = await unlock(parts, caller, request.body);
        if (problem === null) return reply.header("cache-control", "no-store").send({ code: CODE_OK });
        if (problem.name === "request.too_many" || problem.name === "request.invalid")
          return sendProblem(reply, problem);
        const who = `player:${caller.playerId}`;
        const facts = { left: problem.params?.["left_count"] ?? 0 };
        await parts.audit.write({
          type: request.body.pin === undefined ? "player.wrongPasskey" : "signIn.wrongPin",
          actor: who,
          subject: who,
          address: request.clientAddress,
          facts,
        });
        request.log.info({ playerId: caller.playerId, problem: problem.name }, "unlock refused");
        return sendProblem(reply, problem);
      },
    );
}

/** POST /v1/player/active: the guard has noted the activity already; this writes it down at once. */
export function activeRoute(app: FastifyInstance, guard: Guard, sessions: Pick<AuthSessions, "touch">): void {
  app.post(`/v1/${calls.active.path}`, { onRequest: guard }, async (request, reply) => {
    const isOpen = await sessions.touch(callerOf(request).jti);
    if (!isOpen) return sendProblem(reply, { name: "session.locked" });
    return reply.header("cache-control", "no-store").send({ code: CODE_OK });
  });
}

type Typed = z.output<(typeof calls)["unlock"]["body"]>;

/**
 * Refuses with: request.invalid (neither was sent), request.too_many (nothing was compared, and no try is counted), pin.wrong, passkey.wrong,
 * auth.signature (that was the last try: the sign-in is over).
 */
async function unlock(parts: LockParts, caller: Caller, { pin, passkey }: Typed): Promise<Problem | null> {
  const { players, sessions, passkeys } = parts;
  const { playerId, jti } = caller;
  if (pin === undefined && passkey === undefined)
    return { name: "request.invalid", detail: "neither the PIN nor a passkey's answer was sent" };
  const judged = await players.passwords.admit(async () => {
    const left = await sessions.countPin(jti);
    if (left < 0) return { left, matches: false };
    if (pin === undefined)
      return { left, matches: passkey !== undefined && (await passkeys.confirms(caller, "unlock", passkey)) };
    const player = await players.find(playerId);
    return { left, matches: player !== undefined && (await players.checkPin(player, pin)) };
  });
  if (judged === "busy") return { name: "request.too_many", params: { seconds: 5 } };
  if (judged.matches) {
    await sessions.unlock(jti);
    parts.changed(jti);
    return null;
  }
  if (judged.left > 0 && pin === undefined) return { name: "passkey.wrong" };
  if (judged.left > 0) return { name: "pin.wrong", params: { left_count: judged.left } };
  await parts.end(jti);
  return { name: "auth.signature" };
}

/** POST /v1/player/pin: sets the PIN of the idle lock, or changes it. It takes the password: a page left open must not lock its owner out. */
export function pinRoute(app: FastifyInstance, guard: Guard, parts: ChangeParts): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      `/v1/${calls.pin.path}`,
      { schema: { body: calls.pin.body }, bodyLimit: PASSKEY_BODY_BYTES_MAX, onRequest: guard },
      async (request, reply) => {
        const { playerId, jti } = callerOf(request);
        const problem = await choosePin(parts, { playerId, jti }, request.body);
        if (problem === null) {
          request.log.info({ playerId }, "changed PIN");
          return reply.header("cache-control", "no-store").send({ code: CODE_OK });
        }
        request.log.info({ playerId, problem: problem.name }, "PIN change refused");
        await noteWrongProof(parts.audit, problem, request);
        return sendProblem(reply, problem);
      },
    );
}

type Asked = z.output<(typeof calls)["pin"]["body"]>;

/** Refuses, in this order, with: pin.weak, request.too_many, auth.protected, password.old_wrong; null: the PIN is set. */
async function choosePin(
  parts: ChangeParts,
  whose: Signed,
  { password, passkey, pin }: Asked,
): Promise<Problem | null> {
  const player = await parts.players.find(whose.playerId);
  if (!player) return { name: "auth.signature" };
  // Before the password is checked: it says nothing about it, and costs no try.
  if (isWeakPin(pin)) return { name: "pin.weak" };
  return await withProof(parts, { whose, player, act: "pin" }, { password, passkey }, async () => {
    await parts.players.setPin(player.id, pin);
    return true;
  });
}
