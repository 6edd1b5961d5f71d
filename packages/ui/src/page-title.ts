import { useEffect } from "react";

/** The casino's name, as the page that the platform sent has it. */
export const siteName = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ?? "Longarm";

/** The title of the tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${siteName()}`;
  }, [title]);
}
