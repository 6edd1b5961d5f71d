import { painted } from "./painted.ts";

/** Shows a key as pressed, and resolves behind the picture of it: what the press opens is drawn then. */
export async function pressed(key: Element | null): Promise<void> {
  key?.setAttribute("data-pressing", "");
  await painted();
  key?.removeAttribute("data-pressing");
}
