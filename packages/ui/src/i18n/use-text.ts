import { createContext, use } from "react";
import { useLive } from "../live.ts";
import type { Speech, Texts } from "./texts.ts";

export const TextsContext = createContext<Texts | undefined>(undefined);

/** The texts, for changing the language. */
export function useTexts(): Texts {
  const texts = use(TextsContext);
  if (texts === undefined) throw new Error("TextsContext is missing above this component");
  return texts;
}

/** The language now spoken and its `t`. */
export function useText(): Speech {
  return useLive(useTexts().speech);
}
