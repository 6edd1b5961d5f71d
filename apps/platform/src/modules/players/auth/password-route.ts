import { CODE_OK } from "@longarm/contract/call";
import { calls } from "@longarm/contract/http";
import type { PasskeyAnswer } from "@longarm/contract/passkeys";
import type { ConfirmedAct } from "@longarm/contract/player-keys";
import type { Problem } from "@longarm/contract/problems";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type * as z from "zod/mini";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Audit, AuditType } from "../../records/audit/index.ts";
import type { Player, Players } from "../accounts/index.ts";
import { newPasswordProblem } from "../accounts/index.ts";
import type { Passkeys, Signed } from "../passkeys/index.ts";
import type { Guard } from "./guard.ts";
import { callerOf } from "./guard.ts";
import type { Lockout } from "./lockout.ts";
import type { Notices } from "./notices.ts";
import { noticeOf } from "./notices.ts";

/** A passkey's answer has one or two KiB. */
export const PASSKEY_BODY_BYTES_MAX = 8_192;

/** POST /v1/player/password. All other sign-ins of the player end; the caller's stays. */
export function passwordRoute(
  app: FastifyInstance,
  guard: Guard,
  parts: ChangeParts,
  endOthers: (playerId: string, exceptJti: string) => Promise<void>,
): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      `/v1/${calls.password.path}`,
      { schema: { body: calls.password.body }, bodyLimit: PASSKEY_BODY_BYTES_MAX, onRequest: guard },
      async (request, reply) => {
        const { playerId, jti } = callerOf(request);
        const problem = await changePassword(parts, { playerId, jti }, request.body);
        if (problem !== null) {
          request.log.info({ playerId, problem: problem.name }, "password change refused");
          await noteWrongProof(parts.audit, problem, request);
          return sendProblem(reply, problem);
        }
        await endOthers(playerId, jti);
        request.log.info({ playerId }, "changed password");
        return reply.header("cache-control", "no-store").send({ code: CODE_OK });
      },
    );
}

/**
 * Wrong old passwords are counted by player alone, under a word that is no address: a token that was stolen could be used from
 * anywhere, and its thief must not block the owner's own sign-in.
 */
const COUNTED_AS = "password change";

export type ChangeParts = {
  readonly players: Players;
  readonly lockout: Lockout;
  readonly passkeys: Pick<Passkeys, "confirms" | "app">;
  readonly audit: Pick<Audit, "write">;
  /** Null: players receive no e-mail. */
  readonly notices: Notices | null;
};

type Asked = z.output<(typeof calls)["password"]["body"]>;

/**
 * Changes a player's password. Refuses, in this order, with: password.too_short, password.too_common, request.too_many, auth.protected,
 * password.old_wrong; null: it is done.
 */
export async function changePassword(
  parts: ChangeParts,
  whose: Signed,
  { old_password: password, passkey, new_password }: Asked,
): Promise<Problem | null> {
  const player = await parts.players.find(whose.playerId);
  if (!player) return { name: "auth.signature" };
  // Reported before the old one is checked: it says nothing about it, and costs no try.
  const weak = await newPasswordProblem(new_password, player.username);
  if (weak !== null) return { name: weak };
  return await withProof(parts, { whose, player, act: "password" }, { password, passkey }, () =>
    parts.players.changePassword(player, new_password, noticeOf(parts.notices, player.id, "passwordChanged")),
  );
}

/** The player's word for an act: the password, a passkey's answer, or a code of the app or of the paper list. */
export type Given = {
  readonly password?: string | undefined;
  readonly passkey?: PasskeyAnswer | undefined;
  readonly code?: string | undefined;
};
type About = { readonly whose: Signed; readonly player: Player; readonly act: ConfirmedAct };

/**
 * Makes a change that takes the player's own password, a passkey or a code. Refuses with: request.invalid (none was sent), request.too_many (nothing was
 * looked at, and no try is counted), auth.protected, password.old_wrong, passkey.wrong, app.code_wrong. `change` answers false when the password is another by now.
 */
export async function withProof(
  { players, passkeys, lockout }: Omit<ChangeParts, "audit" | "notices">,
  { whose, player, act }: About,
  { password, passkey, code }: Given,
  change: () => Promise<boolean>,
): Promise<Problem | null> {
  if (password === undefined && passkey === undefined && code === undefined)
    return { name: "request.invalid", detail: "neither the password nor a passkey's answer was sent" };
  const wrong = async (): Promise<Problem["name"] | undefined> => {
    if (passkey !== undefined) return (await passkeys.confirms(whose, act, passkey)) ? undefined : "passkey.wrong";
    if (code !== undefined) return (await passkeys.app.spend(player.id, code)) ? undefined : "app.code_wrong";
    return (await players.passwords.check(password ?? "", player.password)) ? undefined : "password.old_wrong";
  };
  const answer = await players.passwords.admit(async (): Promise<Problem | null> => {
    const attempt = await lockout.count(player.username, COUNTED_AS);
    if (attempt.is === "blocked") return { name: "auth.protected", params: { block_time: attempt.minutesLeft } };
    const name = await wrong();
    if (name !== undefined) return { name };
    if (!(await change())) return { name: "password.old_wrong" };
    await lockout.forget(player.username, COUNTED_AS);
    return null;
  });
  return answer === "busy" ? { name: "request.too_many", params: { seconds: 5 } } : answer;
}

const WRONG_PROOFS: Readonly<Partial<Record<Problem["name"], AuditType>>> = {
  "password.old_wrong": "signIn.wrongPassword",
  "passkey.wrong": "player.wrongPasskey",
  "app.code_wrong": "player.wrongCode",
};

/** Writes a wrong password, passkey or code of somebody who is signed in to the audit log. */
export async function noteWrongProof(
  audit: Pick<Audit, "write">,
  problem: Problem,
  request: FastifyRequest,
): Promise<void> {
  const type = WRONG_PROOFS[problem.name];
  if (type === undefined) return;
  const who = `player:${callerOf(request).playerId}`;
  await audit.write({ type, actor: who, subject: who, address: request.clientAddress });
}
