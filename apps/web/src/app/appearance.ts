import type { AppearanceChange } from "../shared/appearance/appearance.ts";
import { useText } from "../shared/i18n/use-text.ts";
import { useLive } from "../shared/live/live.ts";
import type { App } from "./app.ts";

/** Writing direction of the page: the chosen one, else that of the language. */
export function useDirection({ appearance }: App): "ltr" | "rtl" {
  const { language } = useText();
  const chosen = useLive(appearance.current, ({ direction }) => direction);
  return chosen ?? (language === "ar" ? "rtl" : "ltr");
}

/** Keeps `<html lang dir>` as language and appearance say. What is not the default is drawn by a part that is fetched for it. */
export function drawAppearance({ appearance, texts, log }: App, root: HTMLElement): void {
  let isDrawn = false;
  function draw(): void {
    const { language } = texts.speech.getState();
    const { direction, theme, animations, customScrollbars } = appearance.current.getState();
    root.lang = language;
    root.dir = direction ?? (language === "ar" ? "rtl" : "ltr");
    isDrawn ||= !animations || !customScrollbars || Object.values(theme).some((palette) => palette !== "night");
    if (!isDrawn) return;
    import("../features/theme/draw.ts")
      .then(({ drawTheme }) => drawTheme(root, appearance.current.getState()))
      .catch((error: unknown) => log("The palettes could not be loaded.", error));
  }
  draw();
  texts.speech.subscribe(draw);
  appearance.current.subscribe(draw);
}

/** Draws a choice at once and keeps all choices with the account of a player, never of a guest (row R-6-13). */
export function changeAppearance(app: App, choice: AppearanceChange): void {
  const { appearance, auth, log } = app;
  appearance.change(choice);
  if (auth.state.getState().is === "guest") return;
  import("./account/save-user-data.ts")
    .then(({ saveUserData }) => saveUserData(app, { settings: appearance.chosen.getState() }))
    .catch((error: unknown) => log("What was chosen of the appearance could not be kept.", error));
}

/** The choices that are kept with an account hold while its player is signed in. */
export function followAccount({ auth, appearance, log }: App): { settled(): Promise<void> } {
  let taken = Promise.resolve();
  auth.state.subscribe((state, before) => {
    if (state.is === before.is) return;
    if (state.is === "guest") return appearance.take(undefined);
    const { settings } = state.player;
    // Who has none goes on with what the visit began with.
    if (settings === undefined) return;
    taken = import("../shared/appearance/saved.ts")
      .then(({ readSaved }) => {
        if (auth.state.getState().is === "player") appearance.take(readSaved(settings));
      })
      .catch((error: unknown) => log("The appearance that is kept with the account could not be read.", error));
  });
  return { settled: () => taken };
}
