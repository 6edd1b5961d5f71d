import { NEW_PASSWORD_MIN, newPasswordProblem } from "../../modules/players/accounts/index.ts";
import type { Random } from "../../random.ts";
import type { CommandDeps, Given, Option } from "../command.ts";
import { UsageProblem } from "../command.ts";

const PASSWORD_LENGTH_MAX = 256;
const GENERATED_PASSWORD_LETTERS = 16;
const GENERATED_PIN_DIGITS = 6;
/** Without letters that are taken for others when they are read aloud or copied. */
const LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** For commands that set a password or PIN: it is never part of the command line, which other users of the computer can see. */
export const GENERATE: Option = { type: "boolean", about: "make one and show it once, instead of asking for it" };

/** A secret to be set, and whether it was made here and has to be shown. */
export type Secret = { readonly text: string; readonly isMade: boolean };

/** A password that was typed, or one that is made here. @throws UsageProblem. */
export async function newPassword(deps: CommandDeps, given: Given, username: string): Promise<Secret> {
  if (given.has("generate")) return { text: random(deps.random, LETTERS, GENERATED_PASSWORD_LETTERS), isMade: true };
  const text = await deps.secret(`New password of ${username}: `);
  const problem = await passwordProblem(text, username);
  if (problem !== undefined) throw new UsageProblem(problem);
  return { text, isMade: false };
}

async function passwordProblem(password: string, username: string): Promise<string | undefined> {
  if (password.length > PASSWORD_LENGTH_MAX || !password.isWellFormed() || password.includes("\0"))
    return `The password must be text of at most ${PASSWORD_LENGTH_MAX} characters. Nothing was changed.`;
  if (password.toLowerCase().includes(username.toLowerCase()))
    return "The password must not contain the name of the player. Nothing was changed.";
  const weak = await newPasswordProblem(password, username);
  if (weak === "password.too_short")
    return `The password needs at least ${NEW_PASSWORD_MIN} characters. Nothing was changed.`;
  return weak === null ? undefined : "Many people use this password: choose another one. Nothing was changed.";
}

/** A PIN that was typed, or one that is made here. @throws UsageProblem. */
export async function newPin(deps: CommandDeps, given: Given, username: string): Promise<Secret> {
  if (given.has("generate")) return { text: random(deps.random, "0123456789", GENERATED_PIN_DIGITS), isMade: true };
  const text = await deps.secret(`New PIN of ${username}, 4 to 12 digits: `);
  if (!/^\d{4,12}$/.test(text)) throw new UsageProblem("A PIN has 4 to 12 digits. Nothing was changed.");
  return { text, isMade: false };
}

/** Each letter as likely as another: bytes beyond the last whole round of the letters are thrown away. */
function random(source: Random, letters: string, length: number): string {
  const whole = 256 - (256 % letters.length);
  let text = "";
  while (text.length < length)
    for (const byte of source.bytes(length))
      if (byte < whole && text.length < length) text += letters[byte % letters.length];
  return text;
}
