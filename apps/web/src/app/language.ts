import type { Language } from "@longarm/contract/settings";
import { STORAGE_KEYS } from "../shared/storage/storage.ts";
import { painted } from "../shared/time/painted.ts";
import type { App } from "./app.ts";
import { changeAppearance } from "./appearance.ts";

/** Changes the language for this visit and the next; says so when its texts cannot be had. */
export async function chooseLanguage(app: App, language: Language): Promise<void> {
  try {
    // Everything is drawn anew: the key that was pressed comes first.
    await painted();
    await app.texts.speak(language);
    app.storage.write(STORAGE_KEYS.language, language);
    // The direction goes with the language again.
    if (app.appearance.chosen.getState().direction) changeAppearance(app, { direction: undefined });
  } catch (error) {
    app.log(`The texts in "${language}" could not be loaded.`, error);
    app.messages.say("bad", app.texts.speech.getState().t("app.networkError"));
  }
}
