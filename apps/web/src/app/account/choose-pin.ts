import type { PinErrors, PinFields } from "../../features/profile/pin-model.ts";
import { pinErrors } from "../../features/profile/pin-model.ts";
import { TOAST_MS } from "../../shared/ui/messages.ts";
import type { App } from "../app.ts";
import { renewToken } from "../start/sign-in.ts";

/** Sends a new PIN with the password, from the profile or from the page's question. */
export async function choosePin(app: App, fields: PinFields): Promise<PinErrors | undefined> {
  const answer = await app.api.call("pin", { body: fields });
  const speech = app.texts.speech.getState();
  if (!answer.ok) return pinErrors(speech, answer.failure);
  app.messages.say("good", speech.t("profile.pinSaved"), TOAST_MS);
  // Says from now on that there is a PIN, so that the screen locks.
  await renewToken(app);
  return undefined;
}
