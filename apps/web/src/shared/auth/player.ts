import type { ValidateAnswer } from "@longarm/contract/http";
import type * as z from "zod/mini";
import { readToken } from "./token.ts";

/** Who is signed in, from the token's claims and the answer that brought it (specification section 3). */
export type SignedInPlayer = {
  readonly id: string;
  readonly name: string;
  readonly lastname: string;
  readonly username: string;
  readonly email: string;
  /** Undefined when the platform sends none: then nothing is hidden by permission (decision D-08). */
  readonly permissions: readonly string[] | undefined;
  /** The platform's kind of player, as text; undefined when it tells none. */
  readonly type: string | undefined;
  /** Address of this login, and address and time of the one before it. */
  readonly address: string;
  readonly lastAddress: string;
  readonly lastLogin: string;
};

/** What login and token check answer; an operator's platform may leave any of it out. */
export type SignInAnswer = z.output<typeof ValidateAnswer>;

export function playerOf(token: string, answer: SignInAnswer): SignedInPlayer {
  const claims = readToken(token);
  const permissions = answer.Permissions ?? claims?.Permissions;
  return {
    id: claims?.id ?? "",
    name: claims?.name ?? "",
    lastname: claims?.lastname ?? "",
    username: claims?.username ?? "",
    email: claims?.email ?? "",
    permissions: permissions?.map(String),
    type: claims?.type === undefined || claims.type === null ? undefined : String(claims.type),
    address: answer.ip_address ?? "",
    lastAddress: answer.last_logon_ip ?? "",
    lastLogin: answer.last_logon ?? "",
  };
}
