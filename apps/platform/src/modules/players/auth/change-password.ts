import type { calls } from "@longarm/contract/http";
import type { Problem } from "@longarm/contract/problems";
import type * as z from "zod/mini";
import type { Audit } from "../../records/audit/index.ts";
import type { Player, Players } from "../accounts/index.ts";
import { newPasswordProblem } from "../accounts/index.ts";
import type { Lockout } from "./lockout.ts";

/**
 * Wrong old passwords are counted by player alone, under a word that is no address: a token that was stolen could be used from
 * anywhere, and its thief must not block the owner's own sign-in.
 */
const COUNTED_AS = "password change";

export type ChangeParts = {
  readonly players: Players;
  readonly lockout: Lockout;
  readonly audit: Pick<Audit, "write">;
};

type Asked = z.output<(typeof calls)["password"]["body"]>;

/**
 * Changes a player's password. Refuses, in this order, with: password.too_short, password.too_common, request.too_many, auth.protected,
 * password.old_wrong; null: it is done.
 */
export async function changePassword(
  parts: ChangeParts,
  playerId: string,
  { old_password, new_password }: Asked,
): Promise<Problem | null> {
  const player = await parts.players.find(playerId);
  if (!player) return { name: "auth.signature" };
  // Told before the old one is looked at: it says nothing about it, and costs no try.
  const weak = await newPasswordProblem(new_password, player.username);
  if (weak !== null) return { name: weak };
  return await withOwnPassword(parts, player, old_password, () => parts.players.changePassword(player, new_password));
}

/**
 * Makes a change that takes the player's own password. Refuses with: request.too_many (nothing was looked at, and no try is counted),
 * auth.protected, password.old_wrong. `change` answers false when the password is another by now.
 */
export async function withOwnPassword(
  { players, lockout }: ChangeParts,
  player: Player,
  password: string,
  change: () => Promise<boolean>,
): Promise<Problem | null> {
  const answer = await players.passwords.admit(async (): Promise<Problem | null> => {
    const attempt = await lockout.count(player.username, COUNTED_AS);
    if (attempt.is === "blocked") return { name: "auth.protected", params: { block_time: attempt.minutesLeft } };
    if (!(await players.passwords.check(password, player.password)) || !(await change()))
      return { name: "password.old_wrong" };
    await lockout.forget(player.username, COUNTED_AS);
    return null;
  });
  return answer === "busy" ? { name: "request.too_many", params: { seconds: 5 } } : answer;
}
