import { CODE_OK } from "@longarm/contract/call";
import { mailCalls } from "@longarm/contract/player-mail";
import type { Problem } from "@longarm/contract/problems";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sql } from "kysely";
import type * as z from "zod/mini";
import type { AnyDb } from "../../../deps.ts";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Audit } from "../../records/audit/index.ts";
import type { Player, Players } from "../accounts/index.ts";
import { addressOf, findPlayerByNameOrAddress, newPasswordProblem, storePassword } from "../accounts/index.ts";
import type { Passkeys } from "../passkeys/index.ts";
import type { Lockout } from "./lockout.ts";
import type { SignInDoor } from "./login-route.ts";
import type { CodeParts } from "./mailed-codes.ts";
import { checkCode, endPasswordCodes, sendCode, useCode } from "./mailed-codes.ts";
import type { Notices } from "./notices.ts";
import { endSessions } from "./session-rows.ts";

const BODY_BYTES_MAX = 2_048;

export type ResetParts = CodeParts & {
  readonly players: Players;
  readonly passkeys: Pick<Passkeys, "of" | "app">;
  readonly audit: Audit;
  readonly notices: Notices;
  /** How often a code may be sent for a typed name. */
  readonly requests: Lockout;
  /** Ends every sign-in of a player. */
  endAll(playerId: string): Promise<void>;
};

/**
 * A new password for who has forgotten the old one, by a code that goes to the confirmed address. Whether there is such a player, no answer says, nor
 * the time that it takes: the same rows are written, and a mail to no address is dropped by its sender.
 */
export function resetRoutes(app: FastifyInstance, door: SignInDoor, parts: ResetParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const open = () => ({ bodyLimit: BODY_BYTES_MAX, onRequest: callLimit(app, door.perMinuteAddress) });
  typed.post(
    `/v1/${mailCalls.resetAsk.path}`,
    { schema: { body: mailCalls.resetAsk.body }, ...open() },
    async (request, reply) => {
      if (door.isBlocked(request)) return sendProblem(reply, { name: "auth.ip_not_permitted" });
      const { username, language } = request.body;
      const attempt = await parts.requests.countSignIn(username, request.clientAddress);
      if (attempt.is === "blocked")
        return sendProblem(reply, { name: "auth.protected", params: { block_time: attempt.minutesLeft } });
      const player = await findPlayerByNameOrAddress(parts.db, username);
      // A demo player is everybody: no visitor may keep the others out.
      const mayReset = player !== undefined && !player.demo && player.banned_at === null;
      const own = await addressOf(parts.db, player?.id);
      const receiver = mayReset && own !== undefined ? { playerId: player.id, address: own.address } : NO_RECEIVER;
      const { id, expiresAt } = await sendCode(parts, { purpose: "password", language, ...receiver });
      return reply.header("cache-control", "no-store").send({ reset: id, expiresAt: expiresAt.toISOString() });
    },
  );
  typed.post(
    `/v1/${mailCalls.resetPassword.path}`,
    { schema: { body: mailCalls.resetPassword.body }, ...open() },
    async (request, reply) => {
      if (door.isBlocked(request)) return sendProblem(reply, { name: "auth.ip_not_permitted" });
      const done = await parts.players.passwords.admit(() => reset(parts, request.body));
      if (done === "busy") return sendProblem(reply, { name: "request.too_many", params: { seconds: 5 } });
      if (done.is === "refused") {
        const { name } = done.problem;
        request.log.info({ problem: name }, "a new password by e-mail was refused");
        await door.tell({ problem: name, named: { link: request.body.reset }, address: request.clientAddress });
        return sendProblem(reply, done.problem);
      }
      await parts.endAll(done.player.id);
      request.log.info({ playerId: done.player.id }, "chose a new password by e-mail");
      return reply.header("cache-control", "no-store").send({ code: CODE_OK });
    },
  );
}

const NO_RECEIVER = { playerId: undefined, address: "" };

type Given = z.output<(typeof mailCalls)["resetPassword"]["body"]>;
type Reset = { readonly is: "done"; readonly player: Player } | { readonly is: "refused"; readonly problem: Problem };
const refused = (name: Problem["name"]): Reset => ({ is: "refused", problem: { name } });

/**
 * Refuses, in this order, with: password.too_short, password.too_common, mail.code_wrong, auth.banned, password.too_common (the player's own name),
 * mail.second_needed. The code may be tried again after all but a wrong one.
 */
async function reset(parts: ResetParts, { reset: id, code: typed, new_password, second }: Given): Promise<Reset> {
  // Before anything that only a player has: it says nothing about anybody.
  const weak = await newPasswordProblem(new_password);
  if (weak !== null) return refused(weak);
  const code = await checkCode(parts, { id }, typed);
  const player = code && (await parts.players.find(code.playerId ?? ""));
  if (code === undefined || player === undefined) return refused("mail.code_wrong");
  if (player.banned_at !== null) return refused("auth.banned");
  const own = await newPasswordProblem(new_password, player.username);
  if (own !== null) return refused(own);
  // The mail proves the mailbox alone: what protects the account beside the password still does.
  const { of, app } = parts.passkeys;
  const isEnough = (await of(player.id)).length === 0 && (await app.since(player.id)) === undefined;
  if (!isEnough && !(second !== undefined && (await app.spend(player.id, second))))
    return refused("mail.second_needed");
  return await setPassword(parts, player, code.id, await parts.players.passwords.hash(new_password));
}

/** The password, the end of every sign-in and the notice: all or none, and once for a player whose codes come at once. */
async function setPassword(
  { db, audit, notices }: ResetParts,
  player: Player,
  codeId: string,
  hash: string,
): Promise<Reset> {
  return await db.transaction().execute(async (trx: AnyDb) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`mailed_code ${player.id}`}, 0))`.execute(trx);
    await audit.within(trx).actAs(`player:${player.id}`);
    if (!(await useCode(trx, codeId))) return refused("mail.code_wrong");
    await endPasswordCodes(trx, player.id);
    await storePassword(trx, player.id, hash);
    await endSessions(trx, { playerId: player.id }, "logged out");
    await notices.changed(trx, player.id, "passwordChanged");
    return { is: "done", player };
  });
}
