import { createHash } from "node:crypto";
import type { ProblemName } from "@longarm/contract/problems";
import type { Audit, AuditType } from "../../audit/index.ts";
import type { Players } from "../../players/index.ts";
import { usernameKey } from "../../players/index.ts";

/** What the log calls a refused sign-in; a limit that was hit is told elsewhere. */
const TYPES: Readonly<Partial<Record<ProblemName, AuditType>>> = {
  "auth.wrong_counted": "loginFail",
  "auth.wrong": "loginFail",
  "auth.protected": "temporaryBlocked",
  "auth.banned": "notAllowed",
  "auth.ip_not_permitted": "notAllowed",
};

export type RefusedSignIn = { readonly problem: ProblemName; readonly username: string; readonly address: string };

/**
 * Writes a refused sign-in down before it is answered. A known name and an unknown one cost the same; of an unknown one only a hash is kept:
 * it may be a password that was typed into the wrong field.
 */
export function tellSignIn(audit: Audit, players: Pick<Players, "findByName">) {
  return async ({ problem, username, address }: RefusedSignIn): Promise<void> => {
    const type = TYPES[problem];
    if (type === undefined) return;
    const player = await players.findByName(username);
    const name = createHash("sha256").update(usernameKey(username)).digest("hex").slice(0, 24);
    const subject = player === undefined ? `name:${name}` : `player:${player.id}`;
    await audit.write({ type, actor: "visitor", subject, address, facts: { problem } });
  };
}
