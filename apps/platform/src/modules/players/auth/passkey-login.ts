import type { PasskeyAnswer } from "@longarm/contract/passkeys";
import { keyCalls } from "@longarm/contract/player-keys";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Passkeys } from "../passkeys/index.ts";
import type { LoginDeps, SignIn, SignInDoor } from "./login-route.ts";
import { answerSignIn } from "./login-route.ts";
import { PASSKEY_BODY_BYTES_MAX } from "./password-route.ts";

type Deps = LoginDeps & { readonly passkeys: Passkeys };

/** Signing in without the password: by a passkey, or by a recovery code. Both are counted and refused as passwords are. */
export function passkeyLoginRoutes(app: FastifyInstance, door: SignInDoor, deps: Deps): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  // Their answers carry secrets: never compressed together with what the caller sent.
  const open = () => ({ compress: false as const, onRequest: callLimit(app, door.perMinuteAddress) });
  typed.post(`/v1/${keyCalls.passkeyAsk.path}`, open(), async (request, reply) => {
    if (door.isBlocked(request)) return sendProblem(reply, { name: "auth.ip_not_permitted" });
    return reply.header("cache-control", "no-store").send(await deps.passkeys.askSignIn());
  });
  typed.post(
    `/v1/${keyCalls.passkeyLogin.path}`,
    { schema: { body: keyCalls.passkeyLogin.body }, bodyLimit: PASSKEY_BODY_BYTES_MAX, ...open() },
    async (request, reply) =>
      await answerSignIn(door, { request, reply, how: "passkey", named: { passkey: request.body.response.id } }, () =>
        checkPasskey(deps, request.body, request.clientAddress),
      ),
  );
  typed.post(
    `/v1/${keyCalls.codeLogin.path}`,
    { schema: { body: keyCalls.codeLogin.body }, bodyLimit: CODE_BODY_BYTES_MAX, ...open() },
    async (request, reply) =>
      await answerSignIn(
        door,
        { request, reply, how: "recoveryCode", named: { username: request.body.username } },
        () => checkCode(deps, request.body, request.clientAddress),
      ),
  );
}

const CODE_BODY_BYTES_MAX = 4_096;

const refused = (problem: Extract<SignIn, { is: "refused" }>["problem"], username?: string): SignIn => ({
  is: "refused",
  problem,
  ...(username !== undefined && { named: { username } }),
});

/** Refuses, in this order, with: passkey.unknown or passkey.wrong, auth.protected, passkey.wrong, auth.banned. */
async function checkPasskey(
  { players, passkeys, lockout, demoAllowed }: Deps,
  answer: PasskeyAnswer,
  address: string,
): Promise<SignIn> {
  const given = await passkeys.signIn(answer);
  if (given === "late") return refused({ name: "passkey.wrong" });
  const player = given === "unknown" ? undefined : await players.find(given.key.player_id);
  if (given === "unknown" || player === undefined || (player.demo && !demoAllowed))
    return refused({ name: "passkey.unknown" });
  const { username } = player;
  // Counted before it is looked at, and with the tries of the password: what blocks the name blocks both.
  const attempt = await lockout.countSignIn(username, address);
  if (attempt.is === "blocked")
    return refused({ name: "auth.protected", params: { block_time: attempt.minutesLeft } }, username);
  if (!(await given.check())) return refused({ name: "passkey.wrong" }, username);
  await lockout.forget(username, address);
  if (player.banned_at !== null) return refused({ name: "auth.banned" }, username);
  return { is: "player", player, passkeyId: given.key.id };
}

type TypedCode = { readonly username: string; readonly code: string };

/** Refuses, in this order, with: auth.protected, auth.wrong_counted, auth.banned. An unknown name reads as a wrong code. */
async function checkCode(
  { players, passkeys, lockout, demoAllowed }: Deps,
  { username, code }: TypedCode,
  address: string,
): Promise<SignIn> {
  const attempt = await lockout.countSignIn(username, address);
  if (attempt.is === "blocked") return refused({ name: "auth.protected", params: { block_time: attempt.minutesLeft } });
  const found = await players.findByName(username);
  const player = found?.demo && !demoAllowed ? undefined : found;
  const isRight = await passkeys.spendCode(player?.id, code);
  if (!isRight || player === undefined) {
    const params = { left_count: attempt.left, block_time: lockout.blockMinutes };
    return refused({ name: "auth.wrong_counted", params });
  }
  await lockout.forget(username, address);
  if (player.banned_at !== null) return refused({ name: "auth.banned" });
  return { is: "player", player };
}
