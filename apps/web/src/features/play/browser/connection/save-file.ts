/** Saves a text as a file of the player's. */
export function saveFile(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  Object.assign(link, { href, download: name });
  link.click();
  URL.revokeObjectURL(href);
}
