import { problems } from "@longarm/contract/problems";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { Speech } from "../../shared/i18n/texts.ts";

export type PasswordFields = { readonly oldPassword: string; readonly newPassword: string };
/** What stands under the fields, and above the key for everything that is about neither. */
export type PasswordErrors = { readonly oldPassword?: string; readonly newPassword?: string; readonly form?: string };

/** Refusals that are about the new password. */
const OF_THE_NEW_ONE = [problems["password.too_short"].code, problems["password.too_common"].code];

/** Puts a failure on the field that it is about. */
export function passwordErrors(speech: Speech, failure: ApiFailure): PasswordErrors {
  const text = failureText(speech, failure);
  if (failure.code === problems["password.old_wrong"].code) return { oldPassword: text };
  if (OF_THE_NEW_ONE.some((code) => failure.code === code)) return { newPassword: text };
  const named = failure.fields.find(({ type }) => type === "password");
  return named === undefined ? { form: text } : { newPassword: named.message };
}

/** Whole days since an ISO time, or undefined when it is no time or lies ahead. */
export function daysSince(time: string, nowMs: number): number | undefined {
  const days = Math.floor((nowMs - Date.parse(time)) / 86_400_000);
  return days >= 0 ? days : undefined;
}
