type Page = Pick<Document, "pictureInPictureEnabled" | "pictureInPictureElement" | "exitPictureInPicture">;
type Picture = Partial<Pick<HTMLVideoElement, "requestPictureInPicture">>;

/** Whether the browser can show the picture in a small window of its own. */
export function canShowSmall(page: Partial<Page>): boolean {
  return page.pictureInPictureEnabled === true;
}

/** Into a small window of its own, and back. A browser that refuses leaves everything as it was. */
export async function toggleSmallPicture(page: Page, picture: (Picture & Element) | null): Promise<void> {
  try {
    if (page.pictureInPictureElement !== null) await page.exitPictureInPicture();
    else await picture?.requestPictureInPicture?.();
  } catch {
    // Refused: the key stays unlit.
  }
}
