import type { Speech, TextParams } from "@longarm/ui/i18n/texts.ts";
import type { ApiFailure } from "../api/failure.ts";

/** The text of a wire code in the spoken language: `18800`, `"CODE_18800"` and `"18800"` are the same. Undefined when it is not ours. */
export function codeText(speech: Speech, code: number | string, params?: TextParams): string | undefined {
  const number = String(code).replace(/^CODE_/, "");
  return /^\d+$/.test(number) ? speech.find(`code.${number}`, params) : undefined;
}

/** The message for a failed call: our text of its code if there is one, otherwise its ErrorMessage (specification section 8). */
export function failureText(speech: Speech, failure: ApiFailure): string {
  if (failure.is === "network") return speech.t("app.networkError");
  const known = failure.code === undefined ? undefined : codeText(speech, failure.code, failure.params);
  if (known !== undefined) return known;
  if (failure.message) return failure.message;
  return speech.t(failure.is === "unauthorised" ? "app.invalidToken" : "app.callFailed");
}

/** The message when the sign-in is over: the player is banned, else the token is invalid (specification section 8). */
export function overText(speech: Speech, { httpStatus, code }: ApiFailure): string {
  const known = httpStatus === 401 || code === undefined ? undefined : codeText(speech, code);
  return known ?? speech.t("app.invalidToken");
}
