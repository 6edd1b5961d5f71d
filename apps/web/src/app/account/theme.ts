import type { Appearance } from "../../shared/appearance/appearance.ts";
import { readSaved } from "../../shared/appearance/saved.ts";
import type { AuthState } from "../../shared/auth/auth-session.ts";
import type { App } from "../app.ts";

/** Draws the palettes, which are fetched with the first that is not night. */
export async function draw(root: HTMLElement, appearance: Appearance): Promise<void> {
  const { drawTheme } = await import("../../features/theme/draw.ts");
  drawTheme(root, appearance);
}

/** Takes what the account of this sign-in keeps, and draws it. */
export async function takeSaved({ auth, appearance }: App, signIn: AuthState & { is: "player" }): Promise<void> {
  const now = auth.state.getState();
  if (now.is !== "player" || now.player.id !== signIn.player.id) return;
  appearance.take(readSaved(signIn.player.settings));
  await draw(document.documentElement, appearance.current.getState());
}

/** Keeps all choices with the account of a player. */
export async function keep(app: App): Promise<void> {
  if (app.auth.state.getState().is === "guest") return;
  const { saveUserData } = await import("./save-user-data.ts");
  await saveUserData(app, { settings: app.appearance.chosen.getState() });
}
