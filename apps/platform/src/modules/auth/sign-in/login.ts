import type { LoginBody } from "@longarm/contract/http";
import type { Problem } from "@longarm/contract/problems";
import type * as z from "zod/mini";
import type { Player, Players } from "../../players/index.ts";
import type { Lockout } from "./lockout.ts";

export type LoginDeps = {
  readonly players: Players;
  readonly lockout: Lockout;
  readonly demoAllowed: boolean;
};

export type SignIn =
  | { readonly is: "player"; readonly player: Player }
  | { readonly is: "refused"; readonly problem: Problem };

/**
 * Checks a name and a password. Refuses, in this order, with: auth.protected, request.too_many,
 * auth.wrong_counted, auth.banned. An unknown name reads and takes as long as a wrong password.
 */
export async function checkLogin(
  { players, lockout, demoAllowed }: LoginDeps,
  { username, password }: z.output<typeof LoginBody>,
  address: string,
): Promise<SignIn> {
  const attempt = await lockout.countSignIn(username, address);
  if (attempt.is === "blocked") return refused({ name: "auth.protected", params: { block_time: attempt.minutesLeft } });

  const found = await players.findByName(username);
  // The demo seed's password is public: on a platform that others can reach it opens nothing.
  const player = found?.demo && !demoAllowed ? undefined : found;
  const matches = await players.passwords.check(password, player?.password);
  if (matches === "busy") return refused({ name: "request.too_many", params: { seconds: 5 } });
  if (!matches || !player) {
    const params = { left_count: attempt.left, block_time: lockout.blockMinutes };
    return refused({ name: "auth.wrong_counted", params });
  }
  await lockout.forget(username, address);
  if (player.banned_at !== null) return refused({ name: "auth.banned" });
  return { is: "player", player };
}

function refused(problem: Problem): SignIn {
  return { is: "refused", problem };
}
