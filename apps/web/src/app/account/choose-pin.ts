import { problems } from "@longarm/contract/problems";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import type { PinErrors, PinFields } from "../../features/profile/pin-form.tsx";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { App } from "../app.ts";
import { renewToken } from "../start/sign-in.ts";

/** Sends a new PIN with the password, from the profile or from the prompt. */
export async function choosePin(app: App, fields: PinFields): Promise<PinErrors | undefined> {
  const answer = await app.api.call("pin", { body: fields });
  const speech = app.texts.speech.getState();
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
