/** The longest user name, letters. */
export const USERNAME_LENGTH_MAX = 64;

/** The form of a name that signs in: Unicode compatibility form, lower case, single spaces. */
export function usernameKey(username: string): string {
  return username.normalize("NFKC").trim().replaceAll(/\s+/gu, " ").toLowerCase().normalize("NFKC");
}

/** False for text that PostgreSQL cannot keep: the zero character and halves of a surrogate pair. */
export function isKeepable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
