import "@fastify/compress";
import type {} from "@fastify/compress";
import { CODE_OK } from "@longarm/contract/call";
import type { LoginBody, SignedInAnswer } from "@longarm/contract/http";
import { calls } from "@longarm/contract/http";
import type { Problem } from "@longarm/contract/problems";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type * as z from "zod/mini";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Player, Players } from "../accounts/index.ts";
import type { Passkeys } from "../passkeys/index.ts";
import type { Caller, Guard } from "./guard.ts";
import { callerOf } from "./guard.ts";
import type { Lockout } from "./lockout.ts";
import type { Visit } from "./session-rows.ts";
import type { RefusedSignIn, SignedInParts } from "./signed-in.ts";
import { playerAnswer, visitOf } from "./signed-in.ts";
import type { SignInHow } from "./tables.ts";

const KEPT_OUT: SignIn = { is: "refused", problem: { name: "auth.ip_not_permitted" } };
/** The password was right, and changed before anybody was signed in. */
const CHANGED = { name: "auth.wrong" } as const;
/** Larger than any name and password; a larger body is refused before it is read. */
const BODY_BYTES_MAX = 4_096;

export type LoginRoute = SignInDoor & { readonly check: LoginDeps };

/** What every way to sign in goes through. */
export type SignInDoor = {
  /** True for a visitor who may not sign in from where they are. */
  isBlocked(visitor: FastifyRequest): boolean;
  signIn(player: Player, visit: Visit): Promise<SignedInAnswer | undefined>;
  /** Writes a refusal to the audit log. */
  tell(refused: RefusedSignIn): Promise<void>;
  readonly perMinuteAddress: number;
};

export function loginRoute(app: FastifyInstance, route: LoginRoute): void {
  const { check, perMinuteAddress } = route;
  app.withTypeProvider<ZodTypeProvider>().post(
    "/v1/login",
    {
      schema: { body: calls.login.body },
      bodyLimit: BODY_BYTES_MAX,
      // Its answer carries secrets: never compressed together with what the caller sent.
      compress: false,
      onRequest: callLimit(app, perMinuteAddress),
    },
    async (request, reply) =>
      await answerSignIn(route, { request, reply, how: "password", named: { username: request.body.username } }, () =>
        checkLogin(check, request.body, request.clientAddress),
      ),
  );
}

type Incoming = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly how: SignInHow;
  readonly named: RefusedSignIn["named"];
};

/** Signs in whom `check` finds, and answers the token; what every way to sign in refuses is the same. */
export async function answerSignIn(
  { isBlocked, signIn, tell }: SignInDoor,
  { request, reply, how, named }: Incoming,
  check: () => Promise<SignIn>,
): Promise<FastifyReply> {
  const visit = visitOf(request, how);
  const { address } = visit;
  const answer = isBlocked(request) ? KEPT_OUT : await check();
  if (answer.is === "refused") {
    request.log.info({ problem: answer.problem.name, address }, "sign-in refused");
    await tell({ problem: answer.problem.name, named: answer.named ?? named, address });
    return sendProblem(reply, answer.problem);
  }
  const opened = await signIn(answer.player, { ...visit, passkeyId: answer.passkeyId, person: answer.person });
  if (opened === undefined) {
    await tell({ problem: CHANGED.name, named, address });
    return sendProblem(reply, CHANGED);
  }
  request.log.info({ playerId: answer.player.id, address, how }, "signed in");
  return reply.header("cache-control", "no-store").send({ ...opened, code: CODE_OK });
}

export type LoginDeps = {
  readonly players: Players;
  readonly passkeys: Pick<Passkeys, "app">;
  readonly lockout: Lockout;
  readonly demoAllowed: boolean;
};

export type SignIn =
  | {
      readonly is: "player";
      readonly player: Player;
      readonly passkeyId?: string;
      readonly person?: Visit["person"];
    }
  /** `named`: who it was, where only the check found out. */
  | { readonly is: "refused"; readonly problem: Problem; readonly named?: RefusedSignIn["named"] };

type Typed = z.output<typeof LoginBody>;

/**
 * Checks a name and a password. Refuses, in this order, with: request.too_many (nothing was looked at, nothing is counted), auth.protected,
 * auth.wrong_counted, app.code_needed, app.code_wrong, auth.banned. An unknown name reads and takes as long as a wrong password.
 */
async function checkLogin(deps: LoginDeps, typed: Typed, address: string): Promise<SignIn> {
  const answer = await deps.players.passwords.admit(() => checkCounted(deps, typed, address));
  return answer === "busy" ? refused({ name: "request.too_many", params: { seconds: 5 } }) : answer;
}

/** Counts before it looks, so that many at once cannot pass the limit. */
async function checkCounted(deps: LoginDeps, { username, password, code }: Typed, address: string): Promise<SignIn> {
  const { players, lockout, demoAllowed } = deps;
  const attempt = await lockout.countSignIn(username, address);
  if (attempt.is === "blocked") return refused({ name: "auth.protected", params: { block_time: attempt.minutesLeft } });

  const found = await players.findByName(username);
  // The demo seed's password is public: on a platform that others can reach it opens nothing.
  const player = found?.demo && !demoAllowed ? undefined : found;
  const matches = await players.passwords.check(password, player?.password);
  if (!matches || !player) {
    const params = { left_count: attempt.left, block_time: lockout.blockMinutes };
    return refused({ name: "auth.wrong_counted", params });
  }
  const second = await secondProblem(deps, player, code);
  if (second !== null) return refused(second);
  await lockout.forget(username, address);
  if (player.banned_at !== null) return refused({ name: "auth.banned" });
  return { is: "player", player };
}

/**
 * Wrong codes after the right password are counted by player alone, under a word that is no address: six figures would be found from many addresses. Who
 * has the password alone can so keep the owner from this way for a while; passkeys and recovery codes stay open.
 */
const COUNTED_AS = "app code";

/** The second step of a player with an authenticator app. Refuses with: app.code_needed, auth.protected, app.code_wrong. */
async function secondProblem(
  { passkeys, lockout }: LoginDeps,
  { id, username }: Player,
  code: string | undefined,
): Promise<Problem | null> {
  if ((await passkeys.app.since(id)) === undefined) return null;
  if (code === undefined) return { name: "app.code_needed" };
  const attempt = await lockout.count(username, COUNTED_AS);
  if (attempt.is === "blocked") return { name: "auth.protected", params: { block_time: attempt.minutesLeft } };
  if (!(await passkeys.app.spend(id, code))) return { name: "app.code_wrong" };
  await lockout.forget(username, COUNTED_AS);
  return null;
}

function refused(problem: Problem): SignIn {
  return { is: "refused", problem };
}

/** Ends the caller's token and closes its sockets, on every node. */
export function logoutRoute(app: FastifyInstance, guard: Guard, end: (jti: string) => Promise<void>): void {
  app.post("/v1/player/logout", { onRequest: guard }, async (request, reply) => {
    const { jti, playerId } = callerOf(request);
    await end(jti);
    request.log.info({ playerId }, "signed out");
    return reply.header("cache-control", "no-store").send({ code: CODE_OK });
  });
}

const HOUR_MS = 3_600_000;

/** Also the sign-in with a token. Answers a token that is good for longer when half the life of the given one is over. */
export function validateRoute(app: FastifyInstance, guard: Guard, parts: SignedInParts): void {
  const { players, sessions } = parts;
  app.get("/v1/validate", { onRequest: guard, compress: false }, async (request, reply) => {
    const caller = callerOf(request);
    const [player, session] = await Promise.all([players.find(caller.playerId), sessions.find(caller.jti)]);
    if (!player || !session) return sendProblem(reply, { name: "auth.signature" });
    const token = (await renewed(parts, player, caller)) ?? givenToken(request.headers.authorization);
    const answer = await playerAnswer(parts, player, request.clientAddress, session);
    return reply.header("cache-control", "no-store").send({ token, ...answer, locked: session.locked });
  });
}

async function renewed(
  { sessions, tokens, tokenHours: hours, clock }: SignedInParts,
  player: Player,
  caller: Caller,
): Promise<string | undefined> {
  if (caller.expiresAtMs - clock.now() > (hours * HOUR_MS) / 2) return undefined;
  const expiresAt = await sessions.extend(caller.jti, hours);
  return expiresAt && (await tokens.sign(player, caller.jti, expiresAt));
}

function givenToken(authorization = ""): string {
  return authorization.slice(authorization.lastIndexOf(" ") + 1);
}
