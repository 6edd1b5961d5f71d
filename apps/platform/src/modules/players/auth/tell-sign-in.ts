import { createHash } from "node:crypto";
import type { ProblemName } from "@longarm/contract/problems";
import type { Players } from "../accounts/index.ts";
import { usernameKey } from "../accounts/index.ts";
import type { Bursts } from "./bursts.ts";
import type { RefusedProblem } from "./refused-types.ts";
import { REFUSED_TYPES } from "./refused-types.ts";

export type RefusedSignIn = { readonly problem: ProblemName; readonly username: string; readonly address: string };

const isTold = (problem: ProblemName): problem is RefusedProblem => Object.hasOwn(REFUSED_TYPES, problem);

/**
 * Writes a refused sign-in down before it is answered. A known name and an unknown one cost the same; of an unknown one only a hash is kept:
 * it may be a password that was typed into the wrong field.
 */
export function tellSignIn(bursts: Bursts, players: Pick<Players, "findByName">, refused: (type: string) => void) {
  return async ({ problem, username, address }: RefusedSignIn): Promise<void> => {
    if (!isTold(problem)) return;
    refused(REFUSED_TYPES[problem]);
    const player = await players.findByName(username);
    const name = createHash("sha256").update(usernameKey(username)).digest("hex").slice(0, 24);
    const subject = player === undefined ? `name:${name}` : `player:${player.id}`;
    await bursts.note({ problem, subject, address });
  };
}
