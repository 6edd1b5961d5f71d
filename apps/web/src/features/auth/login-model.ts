import { LOGIN_FIELD_MIN } from "@longarm/contract/http";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { Speech } from "../../shared/i18n/texts.ts";

export type LoginFields = { readonly username: string; readonly password: string };
/** What stands under the fields, and above the key for everything that names no field. */
export type LoginErrors = { readonly username?: string; readonly password?: string; readonly form?: string };

export function isLongEnough(value: string): boolean {
  return value.length >= LOGIN_FIELD_MIN;
}

export function mayLogIn({ username, password }: LoginFields): boolean {
  return isLongEnough(username.trim()) && isLongEnough(password);
}

/** Puts a failure where it belongs: errors that name a field stand on it (an e-mail is a user name here), the rest above the key. */
export function loginErrors(speech: Speech, failure: ApiFailure): LoginErrors {
  const messageOf = (...types: string[]) => failure.fields.find(({ type }) => types.includes(type))?.message;
  const username = messageOf("username", "email");
  const password = messageOf("password");
  if (username === undefined && password === undefined) return { form: failureText(speech, failure) };
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}
