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

type Typed = z.output<typeof LoginBody>;

/**
 * Checks a name and a password. Refuses, in this order, with: request.too_many (nothing was looked at, nothing is counted), auth.protected,
 * auth.wrong_counted, auth.banned. An unknown name reads and takes as long as a wrong password.
 */
export async function checkLogin(deps: LoginDeps, typed: Typed, address: string): Promise<SignIn> {
  const answer = await deps.players.passwords.admit(() => checkCounted(deps, typed, address));
  return answer === "busy" ? refused({ name: "request.too_many", params: { seconds: 5 } }) : answer;
}

/** Counts before it looks, so that many at once cannot pass the limit. */
async function checkCounted(
  { players, lockout, demoAllowed }: LoginDeps,
  { username, password }: Typed,
  address: string,
): Promise<SignIn> {
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
  await lockout.forget(username, address);
  if (player.banned_at !== null) return refused({ name: "auth.banned" });
  return { is: "player", player };
}

function refused(problem: Problem): SignIn {
  return { is: "refused", problem };
}
