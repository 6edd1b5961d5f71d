import { problems } from "@longarm/contract/problems";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import type { PinErrors, PinFields } from "../../features/profile/pin-form.tsx";
import type { PasswordErrors, PasswordFields } from "../../features/profile/profile-screen.tsx";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { confirmByPasskey, unconfirmedText } from "../../shared/passkeys/confirm.ts";
import type { App } from "../app.ts";
import { renewToken } from "../start/sign-in.ts";

/** Sends a new password with the old one, or with a passkey's word in its place. */
export async function changePassword(
  app: App,
  { oldPassword, newPassword }: PasswordFields,
): Promise<PasswordErrors | undefined> {
  const speech = app.texts.speech.getState();
  const by = oldPassword === undefined ? await confirmByPasskey(app.api, "password") : { old_password: oldPassword };
  if ("failure" in by || "ended" in by) return { form: unconfirmedText(speech, by) };
  const body = { ...by, new_password: newPassword };
  const answer = await app.api.call("password", { body, at: app.addresses.password });
  if (!answer.ok) return passwordErrors(speech, answer.failure);
  app.messages.say("good", speech.t("profile.changed"), TOAST_MS);
  // The new token says when the password was changed, and that it is not expired.
  void renewToken(app);
  return undefined;
}

/** Refusals that are about the new password. */
const OF_THE_NEW_ONE = [problems["password.too_short"].code, problems["password.too_common"].code];

/** Assigns a failure to its field. */
function passwordErrors(speech: Speech, failure: ApiFailure): PasswordErrors {
  const text = failureText(speech, failure);
  if (failure.code === problems["password.old_wrong"].code) return { oldPassword: text };
  if (OF_THE_NEW_ONE.some((code) => failure.code === code)) return { newPassword: text };
  const named = failure.fields.find(({ type }) => type === "password");
  return named === undefined ? { form: text } : { newPassword: named.message };
}

/** Sends a new PIN with the password, or with a passkey's word in its place, from the profile or from the prompt. */
export async function choosePin(app: App, { pin, password }: PinFields): Promise<PinErrors | undefined> {
  const speech = app.texts.speech.getState();
  const by = password === undefined ? await confirmByPasskey(app.api, "pin") : { password };
  if ("failure" in by || "ended" in by) return { form: unconfirmedText(speech, by) };
  const answer = await app.api.call("pin", { body: { pin, ...by } });
  if (!answer.ok) return pinErrors(speech, answer.failure);
  app.messages.say("good", speech.t("profile.pinSaved"), TOAST_MS);
  // The new token says that there is a PIN, so that the screen locks.
  await renewToken(app);
  return undefined;
}

/** Assigns a failure to its field. */
function pinErrors(speech: Speech, failure: ApiFailure): PinErrors {
  if (failure.code === problems["password.old_wrong"].code) return { password: speech.t("profile.pinPasswordWrong") };
  const text = failureText(speech, failure);
  return failure.code === problems["pin.weak"].code ? { pin: text } : { form: text };
}
