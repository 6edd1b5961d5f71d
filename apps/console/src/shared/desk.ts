import { createContext, useEffect, useRef } from "react";
import { useConsole } from "./console.ts";
import type { KeyAct } from "./keyboard.ts";
import type { TextKey } from "./texts.ts";

/** What the shell gives its pages: where to, and the two sheets that it opens. */
export type Desk = {
  /** The pages of the person who is signed in, with the keys that lead to them. */
  readonly pages: readonly { readonly path: string; readonly word: TextKey; readonly keys?: string | undefined }[];
  find(): void;
  showKeys(): void;
};
export const DeskContext = createContext<Desk | undefined>(undefined);

/** Offers acts for as long as the component is there. */
export function useKeys(acts: readonly KeyAct[]): void {
  const { keyboard } = useConsole();
  const now = useRef(acts);
  useEffect(() => {
    now.current = acts;
  });
  const shape = JSON.stringify(acts.map(({ keys, label }) => [keys, label]));
  useEffect(() => {
    const offered = (JSON.parse(shape) as [string, string][]).map(([keys, label], index) => ({
      keys,
      label,
      run: () => now.current[index]?.run(),
    }));
    return keyboard.offer(offered);
  }, [keyboard, shape]);
}
