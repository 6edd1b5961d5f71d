/** A browser may read the file some time after the click, such as once the player has chosen where it goes, ms. */
const KEPT_MS = 60_000;

/** Saves a text as a file of the player's. */
export function saveFile(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  Object.assign(link, { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), KEPT_MS);
}
