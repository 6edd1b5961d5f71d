import { readFile, stat } from "node:fs/promises";
import type { Account } from "@longarm/load/visitor/sign-in";
import { CommandRefused } from "../../command.ts";
import { printable } from "../../printable.ts";

/** Bytes; longer is no such file. */
const BYTES_MAX = 1_000_000;
const ACCOUNTS_MAX = 2_000;
/** As the login takes them. */
const FIELD_MAX = 256;
const PIN = /^\d{4,12}$/;

/**
 * Reads `username:password` or `username:password:pin` from the lines of a file; empty lines and those that begin with # are passed over.
 * A password may hold colons: what stands last is a PIN only where it is one. @throws CommandRefused; no sentence tells a password.
 */
export async function readAccounts(path: string): Promise<Account[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new CommandRefused(`There is no file "${printable(path).slice(0, 100)}".`);
  if (found.size > BYTES_MAX) throw new CommandRefused(`The file of accounts is larger than ${BYTES_MAX} bytes.`);
  return parseAccounts(await readFile(path, "utf8"));
}

/** The accounts in a file's text. @throws CommandRefused. */
export function parseAccounts(text: string): Account[] {
  const accounts: Account[] = [];
  const names = new Set<string>();
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    const line = raw.replace(/\r$/, "");
    if (line.trim() === "" || line.startsWith("#")) continue;
    const account = parseLine(line);
    if (account === undefined)
      throw new CommandRefused(`Line ${index + 1} of the accounts must be username:password or username:password:pin.`);
    if (names.has(account.username))
      throw new CommandRefused(`Line ${index + 1} of the accounts names somebody a second time.`);
    if (accounts.length >= ACCOUNTS_MAX) throw new CommandRefused(`There are more than ${ACCOUNTS_MAX} accounts.`);
    names.add(account.username);
    accounts.push(account);
  }
  return accounts;
}

function parseLine(line: string): Account | undefined {
  const [username = "", ...rest] = line.split(":");
  const last = rest.at(-1) ?? "";
  const pin = rest.length > 1 && PIN.test(last) ? last : undefined;
  const password = (pin === undefined ? rest : rest.slice(0, -1)).join(":");
  const isField = (text: string): boolean =>
    text.length >= 1 && text.length <= FIELD_MAX && text.isWellFormed() && printable(text) === text;
  if (!isField(username.trim()) || !isField(password)) return undefined;
  return { username: username.trim(), password, ...(pin !== undefined && { pin }) };
}
