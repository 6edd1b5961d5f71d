import type { Page } from "playwright-core";
import type { TextLanguage } from "../../rig/page/game-page.ts";
import { texts } from "../../rig/page/game-page.ts";

/** Words of the web in one language, by the keys it has for them: `t("play.spin")`. */
export type Words = (key: string) => string;

/** One state that is worth a picture: how to get there from the state before, and how it is known. */
export type State<G> = {
  /** The name of its pictures, of lower-case words. */
  readonly name: string;
  /** What has to be done before; the page may be loaded anew here. */
  readonly ready?: (game: G, t: Words) => unknown;
  /** What brings the state. From here on the page is watched, and its timers stop as soon as it is there. */
  readonly begin?: (game: G, t: Words) => unknown;
  /** By this selector it is known, */
  readonly seen: string;
  /** and by this text, where the selector does not say it: "play.autoEnd_win". */
  readonly said?: string;
  /** What is visible in every size, where that comes a moment later than the size. */
  readonly everywhere?: string;
};

/** States that follow one another on one page. After a state that fails the next one begins on a fresh page. */
export type Walk<G, S> = {
  readonly name: string;
  readonly scene: S;
  /** After the page was opened. */
  readonly start?: (game: G, t: Words) => unknown;
  readonly states: readonly State<G>[];
};

/** What every game has for the camera. */
export type Shown = { readonly page: Page };

export function wordsOf(language: TextLanguage): Words {
  return (key) => {
    const [area = "", name = ""] = key.split(".");
    const text = texts(language, area)[name];
    if (text === undefined) throw new Error(`There is no text ${key}`);
    return text;
  };
}

/** The longest part of a text that is the same whatever it is filled with. */
export function fixedPart(text: string): string {
  const parts = text.split(/\{\w+\}/).map((part) => part.trim());
  return parts.toSorted((one, other) => other.length - one.length)[0] ?? "";
}
