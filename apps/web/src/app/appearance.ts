import type { Language } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { painted } from "@longarm/ui/time/painted.ts";
import type { AppearanceChange } from "../shared/appearance/appearance.ts";
import { STORAGE_KEYS } from "../shared/storage/storage.ts";
import type { App } from "./app.ts";

/** Writing direction of the page: the chosen one, else that of the language. */
export function useDirection({ appearance }: App): "ltr" | "rtl" {
  const { language } = useText();
  return useLive(appearance.current, ({ direction }) => direction) ?? directionOf(language);
}

const directionOf = (language: string): "ltr" | "rtl" => (language === "ar" ? "rtl" : "ltr");

/** What only a page needs that is not as it is by default. */
async function withTheme(app: App, use: (theme: typeof import("./account/theme.ts")) => unknown): Promise<void> {
  try {
    await use(await import("./account/theme.ts"));
  } catch (error) {
    app.log("The appearance could not be drawn or kept as it was chosen.", error);
  }
}

/** Keeps `<html lang dir>`, and the palettes, as language and appearance say. */
export function drawAppearance(app: App, root: HTMLElement): void {
  const { speech } = app.texts;
  const { current } = app.appearance;
  let isPlain = true;
  function draw(): void {
    const { direction, theme, animations, customScrollbars } = current.getState();
    const { language } = speech.getState();
    root.lang = language;
    root.dir = direction ?? directionOf(language);
    isPlain &&= animations && customScrollbars && Object.values(theme).every((palette) => palette === "night");
    if (!isPlain) void withTheme(app, ({ draw }) => draw(root, current.getState()));
  }
  draw();
  speech.subscribe(draw);
  current.subscribe(draw);
}

/** Draws a choice at once and keeps all choices with the account of a player, never of a guest (row R-6-13). */
export function changeAppearance(app: App, choice: AppearanceChange): void {
  app.appearance.change(choice);
  void withTheme(app, ({ keep }) => keep(app));
}

/** The choices that are kept with an account hold while its player is signed in. The answer waits until they are drawn. */
export function followAccount(app: App): () => Promise<void> {
  let taken = Promise.resolve();
  app.auth.state.subscribe((state, before) => {
    if (state.is === before.is) return;
    if (state.is === "guest") app.appearance.take();
    // An account without choices keeps the appearance with which the visit began.
    else if (state.player.settings) taken = withTheme(app, ({ takeSaved }) => takeSaved(app, state));
  });
  return () => taken;
}

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
