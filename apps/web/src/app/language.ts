import type { Language } from "@longarm/contract/settings";
import { STORAGE_KEYS } from "../shared/storage/storage.ts";
import type { App } from "./app.ts";

/** Changes the language for this visit and the next; says so when its texts cannot be had. */
export async function chooseLanguage(app: App, language: Language): Promise<void> {
  try {
    await app.texts.speak(language);
    app.storage.write(STORAGE_KEYS.language, language);
  } catch (error) {
    app.log(`The texts in "${language}" could not be loaded.`, error);
    app.messages.say("bad", app.texts.speech.getState().t("app.networkError"));
  }
}

/** Keeps `<html lang dir>` as the spoken language. */
export function followLanguage(app: App, root: HTMLElement): void {
  const follow = () => {
    const { language } = app.texts.speech.getState();
    root.lang = language;
    root.dir = language === "ar" ? "rtl" : "ltr";
  };
  follow();
  app.texts.speech.subscribe(follow);
}
