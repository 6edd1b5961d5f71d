import type { RegisterReason } from "@longarm/contract/template/template-api";
import type { AccountErrors, NewAccount } from "../../features/showcase/host.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { codeText, failureText } from "../../shared/i18n/problem-text.ts";
import type { Speech } from "../../shared/i18n/texts.ts";
import type { App } from "../app.ts";
import { signInWithToken } from "../start/sign-in.ts";
import { templateApiOf } from "./template-api.ts";

/** A field as either list of errors names it. */
type FieldError = { readonly type: string; readonly message: string; readonly reason?: string | undefined };

/** Opens an account and signs in to it: the token is kept, and checked as on every start. Undefined: a player is signed in. */
export function registerWith(app: App): (account: NewAccount) => Promise<AccountErrors | undefined> {
  return async (account) => {
    await app.texts.need("account");
    const speech = app.texts.speech.getState();
    // The page is open to everybody; nothing of one player may stay on the screen of another.
    if (app.auth.state.getState().is === "player") return { form: speech.t("account.logOutFirst") };
    const answer = await templateApiOf(app).call("register", { body: account });
    if (!answer.ok) return failureErrors(speech, answer.failure);
    const { error, access_token } = answer.data;
    if (error && error.length > 0) return fieldErrors(speech, error);
    if (!access_token) return { form: speech.t("app.callFailed") };
    app.auth.keep(access_token);
    await signInWithToken(app);
    return app.auth.token() === null || app.auth.state.getState().roles.length === 0
      ? { form: speech.t("account.openedNotSignedIn") }
      : undefined;
  };
}

function failureErrors(speech: Speech, failure: ApiFailure): AccountErrors {
  if (failure.fields.length > 0) return fieldErrors(speech, failure.fields);
  return { form: failureText(speech, failure) };
}

/** Each error on its field, the first of a field; one of a field that the form does not have stands above it. */
function fieldErrors(speech: Speech, errors: readonly FieldError[]): AccountErrors {
  const shown: AccountErrors = {};
  for (const error of errors) {
    const field = FIELDS[error.type] ?? "form";
    shown[field] ??= ownText(speech, field, error.reason) ?? error.message;
  }
  return shown;
}

const FIELDS: Readonly<Partial<Record<string, keyof NewAccount>>> = {
  username: "displayName",
  displayName: "displayName",
  email: "email",
  password: "password",
};

/** Our own words for what is wrong, in the language of the page. */
function ownText(speech: Speech, field: keyof AccountErrors, reason: string | undefined): string | undefined {
  const known: Partial<Record<RegisterReason, string | undefined>> = {
    taken: speech.t("account.emailTaken"),
    invalid: field === "email" ? speech.t("account.emailInvalid") : speech.t("account.nameInvalid"),
    short: codeText(speech, 40101),
    common: codeText(speech, 60052),
  };
  return known[reason as RegisterReason];
}
