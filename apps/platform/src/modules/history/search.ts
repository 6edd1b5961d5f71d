/**
 * Text as people compare it: without capitals, marks and the dot of the Turkish i, so that `ışık`, `IŞIK` and `isik` are one.
 */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll("ı", "i")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Whether a text holds what was searched for. Null: nothing was, and everything matches. */
export function matcherOf(search: string | undefined): ((text: string) => boolean) | null {
  const wanted = folded(search ?? "");
  return wanted === "" ? null : (text) => folded(text).includes(wanted);
}
