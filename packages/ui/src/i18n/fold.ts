/** A text for comparing: without case, dots and marks, so that "pera", "PERA" and "İ", "I", "ı", "i" all meet. */
export function fold(text: string): string {
  return text.toLocaleLowerCase("tr").replaceAll("ı", "i").normalize("NFD").replace(/\p{M}/gu, "");
}
