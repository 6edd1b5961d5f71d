import type { App } from "./app.ts";
import { useText } from "../shared/i18n/use-text.ts";
import { useLive } from "../shared/live/live.ts";

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
