import { problems } from "@longarm/contract/problems";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { Speech } from "../../shared/i18n/texts.ts";

export type PinFields = { readonly password: string; readonly pin: string };
/** What is shown under the fields, and above the button for everything that is about none of them. */
export type PinErrors = {
  readonly password?: string;
  readonly pin?: string;
  readonly repeated?: string;
  readonly form?: string;
};

/** Puts a failure on the field that it is about. */
export function pinErrors(speech: Speech, failure: ApiFailure): PinErrors {
  if (failure.code === problems["password.old_wrong"].code) return { password: speech.t("profile.pinPasswordWrong") };
  const text = failureText(speech, failure);
  return failure.code === problems["pin.weak"].code ? { pin: text } : { form: text };
}
