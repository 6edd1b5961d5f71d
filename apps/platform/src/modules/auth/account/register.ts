import type { ProblemName } from "@longarm/contract/problems";
import { problems } from "@longarm/contract/problems";
import type { RegisterReason, servedTemplateCalls } from "@longarm/contract/template/template-api";
import * as z from "zod/mini";
import type { Audit } from "../../audit/index.ts";
import type { Player, Players } from "../../players/index.ts";
import { isKeepable, newPasswordProblem, USERNAME_LENGTH_MAX, usernameKey } from "../../players/index.ts";

export type RegisterParts = { readonly players: Players; readonly audit: Audit };

type Asked = z.output<(typeof servedTemplateCalls)["register"]["body"]>;
export type FieldError = {
  /** `username` is the display name (decision D-53). */
  readonly type: "username" | "email" | "password";
  readonly message: string;
  readonly reason: RegisterReason;
};
export type Registered =
  | { readonly is: "registered"; readonly player: Player }
  | { readonly is: "refused"; readonly errors: readonly FieldError[] }
  | { readonly is: "busy" };

const Email = z.email();
/** What steers a line of text instead of standing in it; the two joiners belong to words of Arabic and Persian. */
const STEERING = /[\p{Cc}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;
/** Letters that nobody sees, and marks piled up until they cover the lines around: no script of people's names needs more than four. */
const UNSEEN_OR_PILED = /[\u115f\u1160\u3164\uffa0]|\p{M}{5}/u;

/**
 * Opens an account: an empty wallet, the group of all players, and the e-mail address as the name that signs in, since nobody is told another
 * one. What is wrong with the fields is told all at once, but for an address that is taken: it is found by adding, after the same work as for
 * one that is free.
 */
export async function register({ players, audit }: RegisterParts, asked: Asked): Promise<Registered> {
  const email = usernameKey(asked.email);
  const name = asked.displayName.normalize("NFC").trim().replaceAll(/\s+/gu, " ");
  const errors = [...nameErrors(name), ...emailErrors(email), ...(await passwordErrors(asked.password, email, name))];
  if (errors.length > 0) return { is: "refused", errors };
  const account = { username: email, email, name, password: asked.password, emailOnce: true };
  const added = await players.passwords.admit(() => players.add(account, (trx) => audit.within(trx).actAs("visitor")));
  if (added === "busy") return { is: "busy" };
  if (added.is === "known") return { is: "refused", errors: [TAKEN] };
  // Checked above by the same rules: what is refused now is ours to mend.
  if (added.is === "refused") throw new Error(`A registration was refused: ${added.sentence}`);
  const player = await players.find(added.id);
  if (!player) throw new Error("A player that was just added is not there");
  return { is: "registered", player };
}

const TAKEN: FieldError = { type: "email", reason: "taken", message: "The email address is already in use" };

function nameErrors(name: string): FieldError[] {
  const isPlain = !STEERING.test(name) && !UNSEEN_OR_PILED.test(name);
  const fits = /[\p{L}\p{N}]/u.test(name) && isKeepable(name) && isPlain && name.length <= 100;
  return fits ? [] : [{ type: "username", reason: "invalid", message: "The display name must be plain text" }];
}

function emailErrors(email: string): FieldError[] {
  const fits = z.safeParse(Email, email).success && email.length <= USERNAME_LENGTH_MAX;
  const message = `You must enter a valid email of at most ${USERNAME_LENGTH_MAX} letters`;
  return fits ? [] : [{ type: "email", reason: "invalid", message }];
}

const REASONS: Readonly<Partial<Record<ProblemName, RegisterReason>>> = {
  "password.too_short": "short",
  "password.too_common": "common",
};

async function passwordErrors(password: string, email: string, name: string): Promise<FieldError[]> {
  const [local = ""] = email.split("@");
  const problem = await newPasswordProblem(password, email, local, name);
  if (problem === null) return [];
  return [{ type: "password", reason: REASONS[problem] ?? "invalid", message: problems[problem].text }];
}
