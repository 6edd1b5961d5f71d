import type { ProblemName } from "@longarm/contract/problems";
import { usernameKey } from "./username.ts";

/** The least password that a player or staff may choose, characters. Source: the specification leaves the rules to the server; ASVS 5.0 6.2.1. */
export const NEW_PASSWORD_MIN = 8;
/** What is left of a password without the words of its context must have so many characters to stand for itself. */
const OWN_MIN = 4;
/** Words that everybody thinks of here. Source: ASVS 5.0 6.1.2. */
const CONTEXT_WORDS = ["longarm", "casino", "jackpot", "slot"];

let known: ReadonlySet<string> | undefined;

/** Passwords that many people have chosen, some tens of thousands; read when the first one is asked for. */
async function commonPasswords(): Promise<ReadonlySet<string>> {
  if (known === undefined) {
    const { dictionary } = await import("@zxcvbn-ts/language-common");
    known = new Set(dictionary["passwords-common"].map((password) => String(password).toLowerCase()));
  }
  return known;
}

/** Why a new password is refused, however it is composed otherwise; null: it may be taken. `names`: by which its owner is known. */
export async function newPasswordProblem(password: string, ...names: string[]): Promise<ProblemName | null> {
  if ([...password].length < NEW_PASSWORD_MIN) return "password.too_short";
  const plain = usernameKey(password);
  if ((await commonPasswords()).has(plain)) return "password.too_common";
  const own = [...names.map(usernameKey), ...CONTEXT_WORDS].reduce((rest, word) => rest.replaceAll(word, ""), plain);
  return own !== plain && [...own].length < OWN_MIN ? "password.too_common" : null;
}
